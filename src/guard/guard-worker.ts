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
import { createDriver, type Driver, type DriverBus } from '../drivers/index.ts';
import { Guard } from './guard.ts';
import { GuardPulse } from './guardian/guard-pulse.ts';
import { WatchedDriver } from './guardian/watched-driver.ts';
import { GuardianWatch } from './guardian-watch.ts';
import { packFrame, unpackCommand } from './link/frames.ts';
import type { GuardPort } from './link/link.ts';
import { type RaiseResult, raiseThisThread, threadFolder } from './priority.ts';
import { Lateness, runAtDeadlines } from './scheduler.ts';
import { SharedRingReader, SharedRingWriter } from './shared-ring.ts';
import { warmUp } from './warm-up.ts';
import { CONTROL, type FromWorker, STOP, type ToWorker, type WorkerStart } from './worker-messages.ts';

/** How long braking may take at the end before the driver is closed all the same, s. */
const STOP_LIMIT_S = 2;

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
  const { ros } = start;
  const opened = await createDriver(config.driver, {
    model: config.model,
    rosLink:
      ros === undefined
        ? undefined
        : async (options) => new (await import('./ros/worker-ros-link.ts')).WorkerRosLink(ros, options),
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
    overruns: lateness,
  });
  const raise: RaiseResult =
    config.realTimePriority === 'try' ? raiseThisThread() : { isRaised: false, reason: 'not asked for' };
  post({
    kind: 'ready',
    raise,
    isSimulated: opened.isSimulated === true,
    measuresTorque: opened.measuresTorque !== false,
    ...busOf(opened),
    ...thisThread(),
  });
  const watch = pulse === undefined ? undefined : new GuardianWatch(guard, pulse, control, post);
  try {
    runAtDeadlines({
      periodS: 1 / shape.controlHz,
      clock,
      lateness,
      tick: () => {
        watch?.beforeTick();
        guard.tick();
      },
      shouldGoOn: createShouldGoOn(guard, clock, config.model),
    });
  } finally {
    await guard.close();
    watch?.end();
  }
  post({ kind: 'ended', lateness: lateness.summary() });
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

function thisThread(): { tickThread?: string } {
  const tickThread = threadFolder();
  return tickThread === undefined ? {} : { tickThread };
}

/** The bus as plain data: a driver's own object does not cross threads. */
function busOf({ bus }: Driver): { bus?: DriverBus } {
  return bus === undefined ? {} : { bus: { path: bus.path, stopFrames: bus.stopFrames.map((frame) => frame.slice()) } };
}

function post(message: FromWorker): void {
  port.postMessage(message);
}
