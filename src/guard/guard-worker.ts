/** The tick's thread: owns the driver and the guard, sleeps until absolute deadlines, and does nothing else. */
import { parentPort, workerData } from 'node:worker_threads';
import { createDriver } from '../drivers/index.ts';
import { LockStepClock, messageOf, packError, ReinError, SystemClock } from '../model/index.ts';
import { Guard } from './guard.ts';
import { movesNothing } from './guard-config.ts';
import { GuardPulse } from './guardian/guard-pulse.ts';
import { watchedDriver } from './guardian/watched-driver.ts';
import { type RaiseResult, raiseThisThread, threadFolder } from './priority.ts';
import { createRingPort } from './ring-port.ts';
import { Lateness } from './scheduler.ts';
import { openLineThrough } from './serial-ports.ts';
import { runTicks } from './tick-loop.ts';
import { warmUp } from './warm-up.ts';
import type { FromWorker, WorkerStart } from './worker-messages.ts';

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
  const steps = config.timing === 'lock-step' ? new LockStepClock(1 / shape.controlHz) : undefined;
  const clock = steps ?? new SystemClock();
  const lateness = new Lateness();
  if (config.warmUp === true || !movesNothing(config)) await warmUp(config);
  post({ kind: 'opening' });
  const { ros, serial } = start;
  const opened = await createDriver(config.driver, {
    model: config.model,
    rosLink:
      ros === undefined
        ? undefined
        : async (options) => new (await import('./ros/worker-ros-link.ts')).WorkerRosLink(ros, options),
    openLine: serial && ((settings) => openLineThrough(serial, settings, clock)),
  });
  const facts = await opened.open();
  const pulse = facts.bus === undefined ? undefined : new GuardPulse(clock);
  const driver = pulse === undefined ? opened : watchedDriver(opened, pulse);
  const guard = new Guard({
    driver,
    facts,
    model: config.model,
    action: config.action,
    policyPeriodS: config.policyPeriodS,
    speedRatioMax: config.speedRatioMax,
    clock,
    port: createRingPort(start),
    timing: lateness,
  });
  const raise: RaiseResult =
    config.realTimePriority === 'try' ? raiseThisThread() : { isRaised: false, reason: 'not asked for' };
  post({
    kind: 'ready',
    raise,
    facts,
    tickThread: threadFolder(),
  });
  try {
    runTicks({
      guard,
      pulse,
      main: { port, control },
      clock,
      steps,
      periodS: 1 / shape.controlHz,
      lateness,
    });
  } finally {
    await guard.close();
    // A robot that is left moving is the guardian's to stop.
    if (!guard.isMoving) pulse?.goodbye();
  }
  post({ kind: 'ended', lateness: lateness.summary() });
}

function post(message: FromWorker): void {
  port.postMessage(message);
}
