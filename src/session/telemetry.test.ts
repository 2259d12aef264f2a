import { beforeEach, describe, expect, it, vi } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { standingFrame } from '../../tests/support/frames.ts';
import { type GuardFrame, kindOf, type PacketKind } from '../rows/index.ts';
import { decodeJson, decodeNumbers, FRAME_LAYOUT, type FrameView } from '../rows/telemetry.ts';
import type { LiveSession } from './session.ts';
import type { SessionListener } from './session-types.ts';
import { createRunStatus } from './status.ts';
import { KeptSteps, LearnerTelemetry, PERIOD_MS, Telemetry } from './telemetry.ts';

/** Kept steps of `episodes` of 50 steps, each of which takes `wallMs`. */
function keptOf(episodes: number, wallMs: number): number[] {
  let nowMs = 0;
  const steps = new KeptSteps(100, () => nowMs);
  return Array.from({ length: episodes }, (_, episode) => {
    let kept = 0;
    for (let step = 0; step < 50; step++) {
      const source = episode === 2 && step >= 40 ? 'human_correct' : 'policy';
      nowMs += wallMs;
      if (steps.takes({ episode, source })) kept++;
    }
    return kept;
  });
}

it('all steps of real time are kept; of a faster run whole episodes, as many as real time would bring, and what people decide', () => {
  expect(keptOf(5, 100)).toEqual([50, 50, 50, 50, 50]);
  expect(keptOf(10, 25)).toEqual([50, 0, 10, 0, 50, 0, 0, 0, 50, 0]);
});

const names = { setup: arm6Setup(), runId: 'r', folder: '/tmp/r', command: 'run' };
const quiet = { status: () => undefined, print: () => undefined };

/** Packets sent, with their time, ms. */
class Sent {
  readonly packets: { readonly kind: PacketKind; readonly atMs: number; readonly bytes: Uint8Array }[] = [];
  readonly take = (bytes: Uint8Array): void => {
    this.packets.push({ kind: kindOf(bytes)!, atMs: Date.now(), bytes });
  };

  of(kind: PacketKind) {
    return this.packets.filter((packet) => packet.kind === kind);
  }

  frames(): FrameView[] {
    return this.of('frame').map(({ bytes }) => decodeNumbers(FRAME_LAYOUT, bytes));
  }

  json<T>(kind: PacketKind): T[] {
    return this.of(kind).map(({ bytes }) => decodeJson(bytes) as T);
  }
}

/** A session whose output the test emits. */
function fakeSession() {
  const listeners = new Set<SessionListener>();
  const frame = standingFrame();
  const session = {
    state: { mode: 'idle' },
    frame,
    listen: (listener: SessionListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as LiveSession;
  const tell = <K extends keyof SessionListener>(kind: K, value: unknown): void => {
    for (const listener of listeners) (listener[kind] as ((value: unknown) => void) | undefined)?.(value);
  };
  return { session, frame, tell };
}

describe('what a run tells', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('has of a state the first at once, no more than can be used, and the newest in the end', () => {
    const sent = new Sent();
    const telemetry = new Telemetry({ ...names, send: sent.take });
    const observer = telemetry.observer(quiet);
    const status = createRunStatus('r', 'insert', 0);
    for (let updates = 0; updates < 950; updates++) {
      observer.status(Object.assign(status, { updates }));
      vi.advanceTimersByTime(1);
    }
    const sentAtMs = sent.of('status').map(({ atMs }) => atMs);
    expect(sentAtMs).toHaveLength(1 + Math.floor(950 / PERIOD_MS.status));
    vi.advanceTimersByTime(PERIOD_MS.status);
    expect(sent.json<{ updates: number }>('status').at(-1)).toMatchObject({ updates: 949 });
    const gapsMs = sentAtMs.slice(1).map((ms, i) => ms - sentAtMs[i]!);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(PERIOD_MS.status);
    const before = sent.packets.length;
    vi.advanceTimersByTime(10_000);
    expect(sent.packets).toHaveLength(before);
  });

  it('has the last state when it is closed, and nothing after it', () => {
    const sent = new Sent();
    const telemetry = new Telemetry({ ...names, send: sent.take });
    const observer = telemetry.observer(quiet);
    const status = createRunStatus('r', 'insert', 0);
    for (const phase of ['preparing', 'done'] as const) observer.status(Object.assign(status, { phase }));
    telemetry.close();
    expect(sent.json<{ phase: string }>('status').map(({ phase }) => phase)).toEqual(['preparing', 'done']);
    observer.status(status);
    vi.advanceTimersByTime(1000);
    expect(sent.of('status')).toHaveLength(2);
  });

  it.each([
    ['in lock-step', 'lockStep', 40],
    ['in real time, whose guard is silent', undefined, 0],
  ] as const)('goes on where a robot %s stands: frames %s', (_, pace, least) => {
    const sent = new Sent();
    const telemetry = new Telemetry({ ...names, pace, send: sent.take });
    const { session } = fakeSession();
    telemetry.attach(session);
    vi.advanceTimersByTime(1000);
    const frames = sent.frames();
    expect(frames.length).toBeGreaterThanOrEqual(least);
    expect(frames.length).toBeLessThanOrEqual(Math.ceil(1.25 * least));
    telemetry.close();
    vi.advanceTimersByTime(1000);
    expect(sent.frames().length - frames.length).toBeLessThanOrEqual(1);
  });

  it('tells a page which of its buttons to press, and not which key of a terminal', () => {
    const sent = new Sent();
    const telemetry = new Telemetry({ ...names, send: sent.take });
    const { session, tell } = fakeSession();
    telemetry.attach(session);
    const event = { level: 'warn', name: 'a', row: 0, remedy: '' };
    tell('event', { ...event, message: 'Press c.', messageAtPage: 'Press Start.' });
    tell('event', { ...event, message: 'It moves.' });
    const observer = telemetry.observer(quiet);
    observer.print('\u0007Press c.', 'Press Start.');
    observer.print('It moves.');
    telemetry.close();
    expect(sent.json('notice')).toMatchObject([{ line: 'Press Start.' }, { line: 'It moves.' }]);
    expect(sent.json('event')).toMatchObject([{ message: 'Press Start.' }, { message: 'It moves.' }]);
    expect(sent.json('event')[0]).not.toHaveProperty('messageAtPage');
  });

  it('has 50 frames a second, with all that happened in those between, and each event', () => {
    const sent = new Sent();
    const telemetry = new Telemetry({ ...names, send: sent.take });
    const { session, frame, tell } = fakeSession();
    telemetry.attach(session);
    for (let tick = 0; tick < 200; tick++) {
      tell('frame', Object.assign(frame, { tick, filterBits: tick === 101 ? 4 : 0 }));
      tell('event', { level: 'info', name: 'a', row: 0, message: `${tick}`, remedy: '' });
      Object.assign(session.state, { mode: 'running', step: tick });
      tell('state', session.state as never);
      vi.advanceTimersByTime(5);
    }
    // Then nothing changes, and the session is still sent.
    const before = sent.of('session').length;
    vi.advanceTimersByTime(1000);
    expect(sent.of('session').length - before).toBeGreaterThanOrEqual(5);
    const frames = sent.frames();
    expect(frames.length).toBeLessThanOrEqual(51);
    expect(frames.length).toBeGreaterThan(45);
    expect(frames.at(-1)!.tick).toBe(199);
    expect(frames.filter(({ filterBitsSince }) => filterBitsSince === 4)).toHaveLength(1);
    expect(sent.of('event')).toHaveLength(200);
    expect(sent.json('session')[0]).toEqual({ mode: 'idle' });
    expect(sent.json('session').at(-1)).toEqual({ mode: 'running', step: 199 });
    expect(sent.of('session').length).toBeLessThanOrEqual(2 + 1000 / PERIOD_MS.session + 5);
  });

  it("has how late ticks began, which is the guard's to say: not when their frames came", () => {
    const sent = new Sent();
    const telemetry = new Telemetry({ ...names, send: sent.take });
    const { session, frame, tell } = fakeSession();
    telemetry.attach(session);
    const see = (measuredAtS: number, tickLateS: number): void => {
      frame.robot.measuredAtS = measuredAtS;
      tell('frame', Object.assign(frame satisfies GuardFrame, { tickLateS }));
      vi.advanceTimersByTime(PERIOD_MS.frame + 1);
    };
    // Always late by the same amount, then a node that got no frame for a second.
    for (let tick = 1; tick <= 5; tick++) see(0.01 * tick + 0.004, 0.004);
    see(1.05, 0);
    expect(sent.frames().map(({ tickLateMs }) => tickLateMs)).toEqual([4, 4, 4, 4, 4, 0]);
  });
});

describe('what a learner tells', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('is what it is, how it is going, at the pace of people, and the newest in the end', () => {
    const sent = new Sent();
    const telemetry = new LearnerTelemetry({ ...names, command: 'learn' }, sent.take);
    expect(sent.json<{ command: string }>('run')).toMatchObject([{ command: 'learn' }]);
    const view = { updates: 0, robots: [] } as unknown as Parameters<LearnerTelemetry['learner']>[0];
    for (let updates = 0; updates <= 100; updates++) {
      telemetry.learner({ ...view, updates });
      vi.advanceTimersByTime(10);
    }
    telemetry.close();
    const updates = sent.json<{ updates: number }>('learner').map((told) => told.updates);
    expect(updates[0]).toBe(0);
    expect(updates.at(-1)).toBe(100);
    expect(updates.length).toBeLessThanOrEqual(2 + 1000 / PERIOD_MS.learner);
  });
});
