/** Compiles the tick before there is a robot: compilation during operation delays a tick by milliseconds. */
import { closeSync, openSync } from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import { bound, type Driver, type DriverFacts, MockDriver } from '../drivers/index.ts';
import { LockStepClock, type RobotModel, SystemClock } from '../model/index.ts';
import { Guard } from './guard.ts';
import type { GuardConfig } from './guard-config.ts';
import { GuardPulse } from './guardian/guard-pulse.ts';
import { watchedDriver } from './guardian/watched-driver.ts';
import { commandNumbers, createActionCommand, frameNumbers, packCommand } from './link/frames.ts';
import { createRingPort } from './ring-port.ts';
import { Lateness } from './scheduler.ts';
import { createSharedRingMemory, SharedRingWriter } from './shared-ring.ts';
import { runTicks } from './tick-loop.ts';
import { CONTROL, STOP, type ToWorker } from './worker-messages.ts';

/**
 * Number of rounds, each with its own guard, clock and driver: the compiler specialises code for the object shapes seen so far, and
 * recompiles for a new one. Code that has seen five shapes is compiled for any.
 */
const ROUNDS = 6;
const TICKS = 2500;
/** Rounds on the system clock, which ticks will use, at the rate that they reach; the others are in lock-step, as fast as possible. */
const TIMED_ROUNDS: readonly number[] = [1, ROUNDS - 1];
const TIMED_HZ = 10_000;
/** Rounds with a low tick rate, so that the robot reaches its limits, walls and itself, in strokes of this many steps. */
const FAR_STROKES: ReadonlyMap<number, number> = new Map([
  [2, 80],
  [3, 220],
]);
const FAR_HZ = 50;
/** Round with an empty energy tank. */
const EMPTY_ROUND = 4;
const STANDING_TICKS = 100;
const SLOTS = 8;
/** Deadlines that have always passed, so that nothing waits; in the last round they are waited for. */
const PERIOD_S = 20e-6;
const LAST_PERIOD_S = 1 / TIMED_HZ;
const LAST_TICKS = 2500;
/** For a robot with a fast tick, all rounds but the first take shorter steps, to cover more of them. */
const MOST_TICKS_PER_STEP = 10;
/** Injected faults: readings frozen for too long, late readings, and a broken command every so many steps. */
const FROZEN_EVERY = 401;
const FROZEN_S = 0.12;
const LATE_EVERY = 97;
const BROKEN_EVERY = 53;
/** Overrunning ticks, after which the robot is slow for a second. */
const OVERRUNS_AT = 500;
const OVERRUNS = 6;

type WarmUpConfig = Pick<GuardConfig, 'model' | 'action' | 'policyPeriodS'>;

/** Runs the tick thread's loop on mocks of this robot, with all kinds of motion. Touches no hardware. */
export async function warmUp(config: WarmUpConfig): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await warmUpRound(config, round);
}

async function warmUpRound(config: WarmUpConfig, round: number): Promise<void> {
  const { action, policyPeriodS } = config;
  const near = round === EMPTY_ROUND ? withEmptyTank(config.model) : config.model;
  const farStroke = FAR_STROKES.get(round);
  const isTimed = TIMED_ROUNDS.includes(round);
  const model = { ...near, controlHz: isTimed ? TIMED_HZ : farStroke === undefined ? near.controlHz : FAR_HZ };
  const systemClock = new SystemClock();
  const steps = isTimed ? undefined : new LockStepClock(1 / model.controlHz);
  const clock = steps ?? systemClock;
  const mock = new MockDriver(model);
  mock.report.meanWrench.fill(0);
  const facts: DriverFacts = { ...(await mock.open()), measuresTorque: round === 1, measuresMeanWrench: true };
  const shape = { joints: model.joints.length, signals: facts.signalNames.length, actions: action.dimensions.length };
  const link = { ...shape, controlHz: model.controlHz, timing: 'real-time' } as const;
  const frames = createSharedRingMemory(frameNumbers(link), SLOTS);
  const commands = createSharedRingMemory(commandNumbers(link), SLOTS);
  const { port1, port2 } = new MessageChannel();
  const control = new Int32Array(new SharedArrayBuffer(4 * CONTROL.words));
  const writer = new SharedRingWriter(commands);
  const command = createActionCommand(shape.actions);
  const perStep = Math.max(1, Math.round(policyPeriodS * model.controlHz));
  const ticksPerStep = round === 0 ? perStep : Math.min(perStep, MOST_TICKS_PER_STEP);
  const isLast = round === ROUNDS - 1;
  const mostTicks = isLast ? LAST_TICKS : TICKS;
  const timing = new Lateness();
  let ticks = 0;
  const ask = (kind: 'acknowledge' | 'enable' | 'activate'): void => {
    const message: ToWorker = { id: ticks, request: { kind }, by: 'person' };
    port2.postMessage(message);
    Atomics.add(control, CONTROL.requests, 1);
  };
  const act = (): void => {
    const step = ticks / ticksPerStep;
    command.seq++;
    command.decider = step % 40 < 30 ? 'policy' : 'human';
    command.issuedAtS = clock.nowS();
    // Sometimes no command comes in time.
    command.leaseS = step % 20 === 19 ? 0 : 1;
    for (let i = 0; i < command.action.length; i++) {
      command.action[i] = swing(step, i, farStroke);
    }
    if (step % BROKEN_EVERY === BROKEN_EVERY - 1) command.action[0] = Number.NaN;
    packCommand(writer.rows, writer.offset(), command);
    writer.publish();
    if (ticks < STANDING_TICKS || (guard.isMoving && guard.state !== 'stopping')) return;
    ask('acknowledge');
    ask('enable');
    ask('activate');
  };
  const before = (): void => {
    ticks++;
    if (ticks % FROZEN_EVERY === 0) mock.inject('frozen', Math.ceil(FROZEN_S * model.controlHz));
    if (ticks >= OVERRUNS_AT && ticks < OVERRUNS_AT + OVERRUNS) timing.addOverrun();
    if (ticks % LATE_EVERY === 0) mock.inject('late', 1);
    if (ticks % ticksPerStep === 0) act();
    if (ticks >= mostTicks) Atomics.store(control, CONTROL.stop, STOP.now);
    // Last: the tick has read its time already, and a command one slow tick newer would be from the future.
    steps?.step();
  };
  const pulse = round % 2 === 0 ? undefined : new GuardPulse(clock);
  const shaped = shapedDriver(mock, round, before);
  const driver =
    pulse === undefined ? shaped : Object.assign(watchedDriver(shaped, pulse), { [`round${round}`]: round });
  const port = createRingPort({ frames, commands });
  const guard = new Guard({ driver, facts, model, action, policyPeriodS, clock, port, timing });
  const pipes = pulse === undefined ? [] : [openSync('/dev/null', 'w'), openSync('/dev/zero', 'r')];
  control[CONTROL.answersFd] = pipes[1] ?? 0;
  control[CONTROL.pulseFd] = pipes[0] ?? 0;
  try {
    runTicks({
      guard,
      pulse,
      main: { port: port1, control },
      clock: systemClock,
      periodS: isLast ? LAST_PERIOD_S : PERIOD_S,
      lateness: new Lateness(),
    });
  } finally {
    await guard.close();
    port1.close();
    for (const fd of pipes) closeSync(fd);
  }
}

/** Action for axis `i`: travel far, stand, swing slowly, or full strokes. */
function swing(step: number, i: number, farStroke: number | undefined): number {
  if (step % 10 > 7) return 0;
  if (farStroke !== undefined) return Math.sin((Math.PI * step) / farStroke + 2 * i);
  return step % 40 < 20 ? 0.5 * Math.sin(step / 5 + i) : Math.sign(Math.sin(step / 12 + 2 * i));
}

/** `driver` as an object of a different shape in each round; `before` runs first in a tick. */
function shapedDriver(driver: Driver, round: number, before: () => void): Driver {
  return {
    [`round${round}`]: round,
    ...bound(driver),
    read: (out) => {
      before();
      return driver.read(out);
    },
  };
}

function withEmptyTank(model: RobotModel): RobotModel {
  return model.tank === undefined ? model : { ...model, tank: { ...model.tank, startJ: model.tank.minJ } };
}
