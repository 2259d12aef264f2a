/**
 * A person who drives a robot with devices of this machine, and with no policy: `rein teleop` with a gamepad and a pedal, which are named pipes here,
 * into which a test writes what the kernel would.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { namesOfBits } from '../../src/safety/index.ts';
import { LiveRun, type Program, until } from '../support/live-run.ts';

let run: LiveRun;
beforeEach(() => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-teleop-test-')));
});
afterEach(async () => {
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

/** A device in the hand of the test: plugged in until it is closed. */
class Device {
  readonly path: string;
  readonly #fd: number;

  constructor(name: string) {
    this.path = join(run.folder, name);
    execFileSync('mkfifo', [this.path]);
    this.#fd = openSync(this.path, constants.O_RDWR);
  }

  /** `struct js_event`: 1 is a button, 2 an axis, 0x80 what it is at the beginning. */
  joy(type: number, index: number, value: number): void {
    const event = Buffer.alloc(8);
    event.writeInt16LE(value, 4);
    event.writeUInt8(type, 6);
    event.writeUInt8(index, 7);
    writeSync(this.#fd, event);
  }

  /** `struct input_event` of a key. */
  key(code: number, value: 0 | 1): void {
    const event = Buffer.alloc(24);
    event.writeUInt16LE(1, 16);
    event.writeUInt16LE(code, 18);
    event.writeInt32LE(value, 20);
    writeSync(this.#fd, event);
  }

  unplug(): void {
    closeSync(this.#fd);
  }
}

const [KEY_A, LB, FORWARD, SIDEWAYS] = [30, 4, 1, 0];
const FULL = 32_767;

interface Line {
  readonly t: number;
  readonly hex?: string;
  readonly end?: true;
  readonly dropped?: number;
}

const rawOf = (name: string): Line[] =>
  readFileSync(join(run.folder, 'out', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** What the operator has asked for and the robot has done so far, by the journal. */
const driven = () => run.journal('out').filter(({ source }) => source === 'human_correct');
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

async function ended(program: Program): Promise<void> {
  program.child.kill('SIGINT');
  await program.exit;
}

it('a gamepad moves a robot that has no policy, a pedal enables it, and unplugged it stops the robot for good', async () => {
  const [pad, pedal] = [new Device('pad'), new Device('pedal')];
  writeFileSync(
    join(run.folder, 'place.yaml'),
    `robot: { reducedSpeedMPerS: 0.03 }
operators:
  - { kind: gamepad, device: ${pad.path}, pad: xbox, speed: 1 }
  - { kind: pedal, device: ${pedal.path}, enable: KEY_A }
`,
  );
  for (let i = 0; i < 11; i++) pad.joy(0x81, i, 0);
  for (let i = 0; i < 8; i++) pad.joy(0x82, i, 0);
  // A simulated arm goes on by itself where a busy machine was late.
  const options = ['--operator', 'none', '--config', 'place.yaml', '--out', 'out'];
  const program = run.start('teleop', ...options);
  await until(() => run.journal('out').length > 2, 'the first steps');
  expect(program.said()).toContain(
    'Reduced speed: no point of arm7 is moved faster than 0.03 m/s. For full speed start with --speed-mode full.',
  );
  // Whoever pushes a stick without enabling moves nothing.
  pad.joy(2, FORWARD, -FULL);
  await sleep(200);
  pad.joy(2, FORWARD, 0);
  await sleep(100);
  expect(run.journal('out').every(({ source }) => source === 'policy')).toBe(true);

  pad.joy(1, LB, 1);
  await until(() => driven().length > 0, 'a take-over');
  pad.joy(2, FORWARD, -FULL);
  await until(() => sumOf(driven().map(({ executed }) => executed[0]!)) > 3, 'a motion forward');
  expect(driven().at(-1)!.humanAction[0]).toBeCloseTo(1, 5);
  pad.joy(2, FORWARD, 0);
  pad.joy(1, LB, 0);

  // By foot, and to the left.
  await until(
    () =>
      driven()
        .at(-1)
        ?.humanAction.every((value) => value === 0) === true,
    'a rest',
  );
  pedal.key(KEY_A, 1);
  // Motion passes once neutral was seen with the pedal held, which a busy machine may look for late. Where it stopped the robot meanwhile,
  // control is taken anew with a fresh press.
  for (let tries = 0; tries < 100 && !((driven().at(-1)?.humanAction[1] ?? 0) > 0.9); tries++) {
    if (tries % 5 === 4) {
      pedal.key(KEY_A, 0);
      await sleep(250);
      pedal.key(KEY_A, 1);
    }
    pad.joy(2, SIDEWAYS, 0);
    await sleep(150);
    pad.joy(2, SIDEWAYS, -FULL);
    await sleep(250);
  }
  expect(driven().at(-1)!.humanAction[1]).toBeCloseTo(1, 5);

  pad.unplug();
  await until(() => program.said().includes('can no longer be read'), 'a dropout');
  const atDropout = run.journal('out').length;
  await until(() => run.journal('out').length > atDropout + 4, 'further steps');
  const after = run.journal('out').slice(atDropout + 2);
  expect(
    after.every(({ source, humanAction }) => source === 'human_correct' && humanAction.every((v) => v === 0)),
  ).toBe(true);
  await ended(program);

  const said = rawOf('operator-gamepad.jsonl');
  expect(said[0]!.hex).toHaveLength(2 * 8 * 19);
  expect(said.flatMap(({ hex }) => hex ?? []).join('')).toContain('01000104');
  expect(said.at(-1)).toMatchObject({ end: true, dropped: 0 });
  expect(rawOf('operator-pedal.jsonl')[0]!.hex).toContain('01001e0001000000');
  // The stick asked for more than that, and was held to it.
  expect(driven().some(({ filterBits }) => namesOfBits(filterBits).includes('toolSpeedLimited'))).toBe(true);
}, 120_000);

it('a device that is not there is refused in a sentence before anything is started', async () => {
  writeFileSync(join(run.folder, 'place.yaml'), 'operators: [{ kind: gamepad, device: /dev/input/js77 }]\n');
  const program = run.start('teleop', '--operator', 'none', '--config', 'place.yaml', '--out', 'out');
  expect(await program.exit).toBe(1);
  expect(program.said().trim().split('\n')).toEqual([
    'rein: There is no gamepad at /dev/input/js77.',
    '  → Plug it in; rein doctor lists the input devices of this machine.',
  ]);
  expect(run.files('out')).toEqual([]);
}, 60_000);
