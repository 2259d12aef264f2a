/** Main loop of the tick's thread: ticks, and requests between them. */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Clock, LockStepClock } from '../model/index.ts';
import { WORKING_STATES } from './authority.ts';
import type { Guard } from './guard.ts';
import type { GuardPulse } from './guardian/guard-pulse.ts';
import { type Lateness, runAtDeadlines } from './scheduler.ts';
import { CONTROL, type FromWorker, STOP, type ToWorker } from './worker-messages.ts';

/** Time limit of braking at the end, after which the driver is closed regardless, s. */
const STOP_LIMIT_S = 2;
/** Poll interval in lock-step for requests that did not wake this thread, ms. */
const ASKED_MS = 5;

/** The main thread, as seen from this thread. */
export interface MainThread {
  readonly port: MessagePort;
  /** Words of `CONTROL`. */
  readonly control: Int32Array;
}

export interface TickLoopOptions {
  readonly guard: Guard;
  /** For a driver with a bus of its own. */
  readonly pulse: GuardPulse | undefined;
  readonly main: MainThread;
  readonly clock: Clock;
  /** The same clock in lock-step, if ticks run on request of the main thread. Absent: at their deadlines. */
  readonly steps?: LockStepClock | undefined;
  readonly periodS: number;
  readonly lateness: Lateness;
}

/** Ticks until the main thread requests the end and the robot stands. Blocks its thread. */
export function runTicks({ guard, pulse, main, clock, steps, periodS, lateness }: TickLoopOptions): void {
  const tick = (): void => {
    if (pulse !== undefined) watchBus(guard, pulse, main);
    guard.tick();
  };
  const shouldGoOn = createShouldGoOn(guard, clock, main);
  if (steps !== undefined) runAsAsked(steps, tick, shouldGoOn, main);
  else runAtDeadlines({ periodS, clock, lateness, tick, shouldGoOn, collect: createCollect() });
}

/** Advances `steps` and ticks as often as the main thread requests; freely once the thread is to end. */
function runAsAsked(steps: LockStepClock, tick: () => void, shouldGoOn: () => boolean, main: MainThread): void {
  const { control } = main;
  let passed = 0;
  while (shouldGoOn()) {
    const asked = Atomics.load(control, CONTROL.ticks);
    if (asked === passed && Atomics.load(control, CONTROL.stop) === STOP.no) {
      Atomics.wait(control, CONTROL.ticks, asked, ASKED_MS);
      continue;
    }
    steps.step();
    tick();
    if (asked === passed) continue;
    passed = (passed + 1) | 0;
    if (asked === passed) post(main, { kind: 'ticked' });
  }
}

/** Returns a collection of the young generation if Node runs with `--expose-gc`, as in `GUARD_NODE_FLAGS`. */
function createCollect(): (() => void) | undefined {
  const { gc } = globalThis as { gc?: (options: { type: 'minor' }) => void };
  if (gc === undefined) return undefined;
  const young = { type: 'minor' } as const;
  return () => gc(young);
}

/**
 * Called before each tick for a driver with a bus of its own: sends a heartbeat to the guardian, and stops the robot without one.
 * Tick-safe while the guardian is connected.
 */
function watchBus(guard: Guard, pulse: GuardPulse, main: MainThread): void {
  const { control } = main;
  const pulseFd = Atomics.load(control, CONTROL.pulseFd);
  if (!pulse.isConnected && pulseFd !== 0) {
    pulse.connect({ pulseFd, answersFd: Atomics.load(control, CONTROL.answersFd) });
  }
  pulse.beat();
  Atomics.store(control, CONTROL.watched, pulse.isWatched ? 1 : 0);
  if (pulse.isWatched || !WORKING_STATES.includes(guard.state)) return;
  // Category 2: brakes, and holds with torque until the operator acknowledges; stops again while no guardian watches.
  if (!guard.handle({ kind: 'stop' }).ok) return;
  post(main, {
    kind: 'notice',
    notice: {
      row: 25,
      level: 'error',
      message: 'The guardian, which stops the bus when the guard dies, is gone or frozen: the robot brakes and holds.',
      remedy: 'It is started again. When it is back, acknowledge.',
    },
  });
}

/** Between ticks: answers requests, and ends the loop once the robot stands after a stop request. */
function createShouldGoOn(guard: Guard, clock: Clock, main: MainThread): () => boolean {
  const { control } = main;
  // The driver's exit policy may take torque off: an arm that would fall is let down first.
  const falls = guard.exitRampS > 0;
  const limitS = STOP_LIMIT_S + guard.exitRampS;
  let handledRequests = 0;
  let stopBeganAtS = Number.NaN;
  return () => {
    while (Atomics.load(control, CONTROL.requests) !== handledRequests && handleNext(guard, main)) {
      handledRequests = (handledRequests + 1) | 0;
    }
    const notice = guard.takeNotice();
    if (notice !== undefined) post(main, { kind: 'notice', notice });
    const stop = Atomics.load(control, CONTROL.stop);
    if (stop === STOP.no) return true;
    if (Number.isNaN(stopBeganAtS)) {
      stopBeganAtS = clock.nowS();
      guard.handle({ kind: falls ? 'disable' : 'stop' });
      return true;
    }
    return stop === STOP.braked && guard.isMoving && clock.nowS() - stopBeganAtS < limitS;
  };
}

/** Returns false if the counted request has not arrived yet. */
function handleNext(guard: Guard, main: MainThread): boolean {
  const received = receiveMessageOnPort(main.port);
  if (received === undefined) return false;
  const message = received.message as ToWorker;
  if ('said' in message) {
    guard.hear(message.said);
    return true;
  }
  const { id, request, by } = message;
  post(main, { kind: 'answer', id, answer: guard.handle(request, by) });
  return true;
}

function post({ port }: MainThread, message: FromWorker): void {
  port.postMessage(message);
}
