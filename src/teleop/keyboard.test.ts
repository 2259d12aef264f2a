import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../../tests/support/fake-clock.ts';
import type { ActionSpec } from '../model/index.ts';
import { type KeyboardOptions, KeyboardTeleop } from './keyboard.ts';
import type { TeleopCommand } from './teleop-source.ts';

const action: ActionSpec = {
  kind: 'cartesian',
  dimensions: ['x', 'y', 'z', 'yaw'].map((name) => ({ name, scale: 0.002, unit: name === 'yaw' ? 'rad' : 'm' })),
};

class FakeTerminal extends PassThrough {
  readonly isTTY = true;
  isRaw = false;
  readonly modes: boolean[] = [];

  setRawMode(mode: boolean): this {
    this.isRaw = mode;
    this.modes.push(mode);
    return this;
  }
}

interface Bench {
  readonly terminal: FakeTerminal;
  readonly clock: FakeClock;
  readonly keyboard: KeyboardTeleop;
  readonly type: (text: string) => Promise<void>;
  readonly wait: (ms: number) => void;
  readonly poll: () => TeleopCommand;
}

const open: KeyboardTeleop[] = [];
afterEach(() => {
  for (const keyboard of open.splice(0)) keyboard.close();
});

function bench(options: Partial<KeyboardOptions> = {}): Bench {
  const terminal = new FakeTerminal();
  const clock = new FakeClock();
  const keyboard = new KeyboardTeleop({ input: terminal, clock, action, ...options });
  open.push(keyboard);
  const out: TeleopCommand = { active: false, action: new Float32Array(4), phase: 'correct' };
  const poll = (): TeleopCommand => {
    keyboard.poll(new Float32Array(0), 0, out);
    return out;
  };
  const type = async (text: string): Promise<void> => {
    terminal.write(text);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { terminal, clock, keyboard, type, poll, wait: (ms) => clock.advanceMs(ms) };
}

const moves = (command: TeleopCommand): number[] => [...command.action].map((v) => Math.round(v * 1e3) / 1e3);

/** Takes control and runs one step, so that neutral was seen. */
async function takeOver(b: Bench): Promise<void> {
  await b.type('t');
  b.poll();
}

describe('KeyboardTeleop', () => {
  it('does nothing until taken over', async () => {
    const b = bench();
    await b.type('w');
    expect(b.poll().active).toBe(false);
    await b.type('t');
    expect(b.poll().active).toBe(true);
    expect(moves(b.poll())).toEqual([0, 0, 0, 0]);
  });

  it('counts no key whose press is yet to come, as after a clock went back', async () => {
    const b = bench();
    b.clock.advanceMs(1000);
    await takeOver(b);
    await b.type('w');
    expect(moves(b.poll())[0]).toBe(0.5);
    b.clock.jumpMs(-500);
    expect(moves(b.poll())[0]).toBe(0);
  });

  it('moves each dimension both ways', async () => {
    const cases: [string, number, number][] = [
      ['w', 0, 0.5],
      ['s', 0, -0.5],
      ['a', 1, 0.5],
      ['d', 1, -0.5],
      ['r', 2, 0.5],
      ['f', 2, -0.5],
      ['q', 3, 0.5],
      ['e', 3, -0.5],
      ['\x1b[A', 0, 0.5],
      ['\x1b[6~', 2, -0.5],
    ];
    for (const [key, dimension, value] of cases) {
      const b = bench();
      await takeOver(b);
      await b.type(key);
      const expected = [0, 0, 0, 0];
      expected[dimension] = value;
      expect(moves(b.poll()), key).toEqual(expected);
    }
  });

  it('stops moving 0.6 s after a tap', async () => {
    const b = bench();
    await takeOver(b);
    await b.type('w');
    b.wait(590);
    expect(moves(b.poll())[0]).toBe(0.5);
    b.wait(20);
    expect(moves(b.poll())[0]).toBe(0);
    expect(b.poll().active).toBe(true);
  });

  it('moves without a gap while a key repeats as terminals do, and stops 0.15 s after the last repetition', async () => {
    for (const [delayMs, periodMs] of [
      [250, 33],
      [500, 33],
      [500, 100],
    ] as const) {
      const b = bench();
      await takeOver(b);
      await b.type('w');
      let sincePressMs = 0;
      let nextMs: number = delayMs;
      while (sincePressMs < 2000) {
        b.wait(1);
        sincePressMs++;
        if (sincePressMs === nextMs) {
          await b.type('w');
          nextMs += periodMs;
        }
        if (sincePressMs % 10 === 0) expect(moves(b.poll())[0], `${sincePressMs} ms`).toBe(0.5);
      }
      b.wait(151);
      expect(moves(b.poll())[0]).toBe(0);
    }
  });

  it('reverses at once and moves two dimensions together', async () => {
    const b = bench();
    await takeOver(b);
    await b.type('w');
    await b.type('d');
    expect(moves(b.poll())).toEqual([0.5, -0.5, 0, 0]);
    await b.type('s');
    expect(moves(b.poll())).toEqual([-0.5, -0.5, 0, 0]);
  });

  it('keeps control and holds still while a key comes now and then, and ends it after 30 s without any', async () => {
    const onExpired = vi.fn();
    const b = bench({ onExpired });
    await takeOver(b);
    for (let i = 0; i < 5; i++) {
      b.wait(29_900);
      expect(b.poll().active).toBe(true);
      expect(moves(b.poll())).toEqual([0, 0, 0, 0]);
      await b.type(']');
    }
    b.wait(30_000);
    expect(b.poll().active).toBe(false);
    expect(b.poll().active).toBe(false);
    expect(onExpired).toHaveBeenCalledTimes(1);
    await takeOver(b);
    expect(b.poll().active).toBe(true);
  });

  it('stays stopped however long nothing is pressed', async () => {
    const onExpired = vi.fn();
    const b = bench({ onExpired });
    await b.type(' ');
    b.wait(3_600_000);
    expect(b.poll()).toMatchObject({ active: true });
    expect(b.keyboard.isStopRequested).toBe(true);
    expect(onExpired).not.toHaveBeenCalled();
  });

  it('gives back only by its key, and a held take-over key does not flap', async () => {
    const b = bench();
    await takeOver(b);
    for (let i = 0; i < 20; i++) {
      b.wait(33);
      await b.type('t');
      expect(b.poll().active).toBe(true);
    }
    await b.type('\x1b');
    b.wait(100);
    expect(b.poll().active).toBe(true);
    await b.type('g');
    expect(b.poll().active).toBe(false);
  });

  it('stops with space, takes over with it, and moves again only after a new take-over', async () => {
    const b = bench();
    await b.type(' ');
    expect(b.poll().active).toBe(true);
    expect(b.keyboard.isStopRequested).toBe(true);
    await b.type('w');
    expect(moves(b.poll())).toEqual([0, 0, 0, 0]);
    await b.type('t');
    b.poll();
    await b.type('w');
    expect(b.keyboard.isStopRequested).toBe(false);
    expect(moves(b.poll())[0]).toBe(0.5);
  });

  it('takes a motion back that does not change for 5 s, until the key is released', async () => {
    const b = bench();
    await takeOver(b);
    const step = async (): Promise<number> => {
      await b.type('w');
      b.wait(100);
      return moves(b.poll())[0]!;
    };
    const seen: number[] = [];
    for (let i = 0; i < 60; i++) seen.push(await step());
    expect(seen.indexOf(0)).toBe(50);
    expect(seen.slice(50).every((v) => v === 0)).toBe(true);
    b.wait(1000);
    b.poll();
    expect(await step()).toBe(0.5);
  });

  it('labels motion with Shift as recovery', async () => {
    const b = bench();
    await takeOver(b);
    await b.type('w');
    expect(b.poll().phase).toBe('correct');
    await b.type('W');
    expect(b.poll().phase).toBe('recover');
    expect(moves(b.poll())[0]).toBe(0.5);
  });

  it('changes the step scale within its bounds', async () => {
    const b = bench();
    for (let i = 0; i < 9; i++) await b.type(']');
    expect(b.keyboard.state.stepScale).toBe(1);
    for (let i = 0; i < 9; i++) await b.type('[');
    expect(b.keyboard.state.stepScale).toBe(0.1);
  });

  it('goes on at c after a stop, and does nothing at c without one', async () => {
    const b = bench();
    await b.type('t');
    await b.type('c');
    expect(b.keyboard.state).toMatchObject({ isInControl: true, isStopped: false });
    await b.type(' ');
    expect(b.keyboard.state).toMatchObject({ isInControl: true, isStopped: true });
  });

  it('gives the arm back at c to whoever had it before the stop', async () => {
    for (const [before, isInControl] of [
      ['t', true],
      ['g', false],
    ] as const) {
      const b = bench();
      await b.type(before);
      for (const key of [' ', ' ', 'c']) await b.type(key);
      expect(b.keyboard.state).toMatchObject({ isInControl, isStopped: false });
    }
  });

  it('reports marks, help and interrupts', async () => {
    const onMark = vi.fn();
    const onHelp = vi.fn();
    const onInterrupt = vi.fn();
    const b = bench({ onMark, onHelp, onInterrupt });
    await b.type('m');
    await b.type('n');
    await b.type('?');
    await b.type('\x03');
    await b.type('\x03');
    expect(onMark.mock.calls).toEqual([['success'], ['failure']]);
    expect(onHelp.mock.calls[0]?.[0]).toContain('w/s x');
    expect(onInterrupt).toHaveBeenCalledTimes(2);
  });

  it('raises the signal that raw mode swallowed where nobody listens for the key', async () => {
    const heard = vi.fn();
    process.once('SIGINT', heard);
    const b = bench();
    await b.type('\x03');
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(1));
  });

  it('puts the terminal back on close, and on the process ending without it', async () => {
    const b = bench();
    expect(b.terminal.isRaw).toBe(true);
    b.keyboard.close();
    b.keyboard.close();
    expect(b.terminal.modes).toEqual([true, false]);
    const exiting = bench();
    const before = process.listeners('exit');
    (before.at(-1) as (code: number) => void)(0);
    expect(exiting.terminal.isRaw).toBe(false);
  });

  it('leaves no listeners behind', () => {
    const before = process.listenerCount('exit');
    const b = bench();
    b.keyboard.close();
    expect(process.listenerCount('exit')).toBe(before);
    expect(b.terminal.listenerCount('data')).toBe(0);
  });

  it('holds still and keeps the policy out when the terminal goes away during control', async () => {
    const b = bench();
    await takeOver(b);
    await b.type('w');
    expect(moves(b.poll())[0]).toBe(0.5);
    b.terminal.destroy(new Error('hang-up'));
    await vi.waitFor(() => expect(b.keyboard.state.isLost).toBe(true));
    b.wait(60_000);
    expect(b.poll()).toMatchObject({ active: true });
    expect(moves(b.poll())).toEqual([0, 0, 0, 0]);
    b.keyboard.reset();
    expect(b.poll().active).toBe(false);
    expect(b.keyboard.state.isInControl).toBe(false);
  });

  it('stays stopped when the terminal goes away after a stop', async () => {
    const b = bench();
    await b.type(' ');
    b.terminal.destroy(new Error('hang-up'));
    await vi.waitFor(() => expect(b.keyboard.state.isLost).toBe(true));
    b.keyboard.reset();
    expect(b.poll().active).toBe(true);
    expect(b.keyboard.isStopRequested).toBe(true);
  });

  it('moves nothing when text is pasted into it', async () => {
    const b = bench();
    await b.type('while the reader takes water');
    expect(moves(b.poll())).toEqual([0, 0, 0, 0]);
    expect(b.keyboard.isStopRequested).toBe(true);
  });

  it('gives actions within [-1, 1] whatever is typed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 12 }), { maxLength: 15 }), async (chunks) => {
        const b = bench({ onInterrupt: () => undefined });
        for (const chunk of chunks) {
          b.terminal.write(chunk);
          await new Promise((resolve) => setImmediate(resolve));
          b.wait(20);
          const command = b.poll();
          expect(command.action.every((v) => Math.abs(v) <= 1)).toBe(true);
          if (!command.active) expect(command.action.every((v) => v === 0)).toBe(true);
        }
        b.keyboard.close();
      }),
      { numRuns: 60 },
    );
  });

  it('says who is in control, and which key came last', async () => {
    const b = bench();
    await b.type('t');
    expect(b.keyboard.state).toMatchObject({ isInControl: true, lastKey: 't' });
    await b.type('g');
    expect(b.keyboard.state.isInControl).toBe(false);
    expect(b.keyboard.state.lastKey).toBe('g');
  });
});
