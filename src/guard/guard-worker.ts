/** The tick's thread: owns the driver and the guard, sleeps to absolute deadlines, and does nothing else. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import {
  type ActionCommand,
  type Clock,
  type GuardFrame,
  messageOf,
  packError,
  ReinError,
  type RobotModel,
  SystemClock,
} from '../core/index.ts';
import { createDriver, type Driver, type DriverBus, MockDriver } from '../drivers/index.ts';
import { WORKING_STATES } from './authority.ts';
import { Guard } from './guard.ts';
import type { GuardConfig } from './guard-config.ts';
import { GuardPulse } from './guardian/guard-pulse.ts';
import { WatchedDriver } from './guardian/watched-driver.ts';
import { copyActionCommand, createActionCommand, packFrame, unpackCommand } from './link/frames.ts';
import type { GuardPort } from './link/link.ts';
import { type RaiseResult, raiseThisThread, threadFolder } from './priority.ts';
import { Lateness, runAtDeadlines } from './scheduler.ts';
import { openLineThrough } from './serial-ports.ts';
import { SharedRingReader, SharedRingWriter } from './shared-ring.ts';
import { CONTROL, type FromWorker, STOP, type ToWorker, type WorkerStart } from './worker-messages.ts';

/** How long braking may take at the end before the driver is closed all the same, s. */
const STOP_LIMIT_S = 2;
/** Enough for the last compiler tier, in states that stand and in states that move. */
const WARM_UP_TICKS = 6000;
const STANDING_TICKS = 1500;
const TICKS_PER_COMMAND = 10;
const WARM_UP_PERIOD_S = 20e-6;

if (parentPort === null) throw new Error('guard-worker.js is started by the guard, not by hand');
const port = parentPort;
const start = workerData as WorkerStart;
const control = new Int32Array(start.control);

try {
  await run();
} catch (error) {
  const known = error instanceof ReinError ? error : new ReinError('driver', messageOf(error));
  post({ kind: 'failed', error: packError(known) });
}
port.close();

async function run(): Promise<void> {
  const { config, shape } = start;
  const clock = new SystemClock();
  const lateness = new Lateness();
  await warmUp(config, clock);
  const { ros, serial } = start;
  const opened = await createDriver(config.driver, {
    model: config.model,
    rosLink:
      ros === undefined
        ? undefined
        : async (options) => new (await import('./ros/worker-ros-link.ts')).WorkerRosLink(ros, options),
    openLine: serial && ((settings) => openLineThrough(serial, settings, clock)),
  });
  await opened.open();
  const pulse = opened.bus === undefined ? undefined : new GuardPulse(clock);
  const driver = pulse === undefined ? opened : new WatchedDriver(opened, pulse);
  const guard = new Guard({
    driver,
    model: config.model,
    action: config.action,
    policyPeriodS: config.policyPeriodS,
    clock,
    port: createPort(),
    timing: lateness,
  });
  const raise: RaiseResult =
    config.realTimePriority === 'try' ? raiseThisThread() : { isRaised: false, reason: 'not asked for' };
  post({
    kind: 'ready',
    raise,
    isSimulated: opened.isSimulated === true,
    measuresTorque: opened.measuresTorque !== false,
    bus: busOf(opened),
    tickThread: threadFolder(),
  });
  try {
    runAtDeadlines({
      periodS: 1 / shape.controlHz,
      clock,
      lateness,
      tick: () => {
        if (pulse !== undefined) watchBus(guard, pulse);
        guard.tick();
      },
      shouldGoOn: createShouldGoOn(guard, clock, config.model),
    });
  } finally {
    await guard.close();
    // A robot that was left moving is the guardian's.
    if (!guard.isMoving) pulse?.goodbye();
  }
  post({ kind: 'ended', lateness: lateness.summary() });
}

/**
 * Runs the whole tick of this robot for half a second, moving a mock of it: compiling it takes milliseconds, several times, and is
 * over then. Touches no hardware.
 */
async function warmUp(
  { model, action, policyPeriodS }: Pick<GuardConfig, 'model' | 'action' | 'policyPeriodS'>,
  clock: Clock,
): Promise<void> {
  const driver = new MockDriver(model);
  await driver.open();
  const command = createActionCommand(action.dimensions.length);
  command.decider = 'policy';
  command.leaseS = 1;
  const port: GuardPort = {
    latestCommand: (out: ActionCommand): boolean => {
      if (out.seq === command.seq) return false;
      copyActionCommand(out, command);
      return true;
    },
    publish: () => undefined,
  };
  const guard = new Guard({ driver, model, action, policyPeriodS, clock, port });
  let ticks = 0;
  runAtDeadlines({
    periodS: WARM_UP_PERIOD_S,
    clock,
    lateness: new Lateness(),
    tick: () => guard.tick(),
    shouldGoOn: () => {
      ticks++;
      if (ticks > STANDING_TICKS && ticks % TICKS_PER_COMMAND === 0) {
        command.seq++;
        command.issuedAtS = clock.nowS();
        for (let i = 0; i < command.action.length; i++) command.action[i] = Math.sin(ticks + i);
        // Asked for each time: whatever stops this robot in a corner of its workspace, the next command moves it again.
        guard.handle({ kind: 'enable' });
        guard.handle({ kind: 'activate' });
      }
      return ticks < WARM_UP_TICKS;
    },
  });
  await guard.close();
}

/**
 * For a driver with a bus of its own, before each tick: a sign of life to the guardian, and no motion without one. Tick-safe while it
 * is there.
 */
function watchBus(guard: Guard, pulse: GuardPulse): void {
  const pulseFd = Atomics.load(control, CONTROL.pulseFd);
  if (!pulse.isConnected && pulseFd !== 0) {
    pulse.connect({ pulseFd, answersFd: Atomics.load(control, CONTROL.answersFd) });
  }
  pulse.beat();
  Atomics.store(control, CONTROL.watched, pulse.isWatched ? 1 : 0);
  if (pulse.isWatched || !WORKING_STATES.includes(guard.state)) return;
  // Category 2: brakes, and holds with torque until somebody has acknowledged, which is undone while nobody watches.
  if (!guard.handle({ kind: 'stop' }).ok) return;
  post({
    kind: 'notice',
    notice: {
      row: 25,
      level: 'error',
      message: 'The guardian, which stops the bus when the guard dies, is gone or frozen: the robot brakes and holds.',
      remedy: 'It is started again. When it is back, acknowledge.',
    },
  });
}

/** Between ticks: answers requests, and ends the loop once the robot stands after a request to stop. */
function createShouldGoOn(guard: Guard, clock: Clock, model: RobotModel): () => boolean {
  // The driver's exit policy may take torque off: an arm that would fall then is let down first.
  const falls = model.holdsWithoutTorque === false;
  const limitS = STOP_LIMIT_S + (falls ? (model.exitRampS ?? 0) : 0);
  let handledRequests = 0;
  let stopBeganAtS = Number.NaN;
  return () => {
    while (Atomics.load(control, CONTROL.requests) !== handledRequests && handleNext(guard)) {
      handledRequests = (handledRequests + 1) | 0;
    }
    const notice = guard.takeNotice();
    if (notice !== undefined) post({ kind: 'notice', notice });
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

/** False when the request that was counted is not there yet. */
function handleNext(guard: Guard): boolean {
  const received = receiveMessageOnPort(port);
  if (received === undefined) return false;
  const { id, request, by } = received.message as ToWorker;
  post({ kind: 'answer', id, answer: guard.handle(request, by) });
  return true;
}

function createPort(): GuardPort {
  const frames = new SharedRingWriter(start.frames);
  const commands = new SharedRingReader(start.commands);
  const row = new Float64Array(start.commands.rowNumbers);
  return {
    latestCommand: (out: ActionCommand): boolean => commands.takeNewest(row) && unpackCommand(out, row, 0),
    publish: (frame: GuardFrame): void => {
      packFrame(frames.rows, frames.offset(), frame);
      frames.publish();
    },
  };
}

/** The bus as plain data: a driver's own object does not cross threads. */
function busOf({ bus }: Driver): DriverBus | undefined {
  return bus && { path: bus.path, stopFrames: bus.stopFrames.map((frame) => frame.slice()) };
}

function post(message: FromWorker): void {
  port.postMessage(message);
}
