/**
 * The guard as a program: `node FLAGS dist/guard/guard-process.js CONFIG.json`, with a `GuardConfig` in the file
 * and the flags of `GUARD_NODE_FLAGS`.
 * The tick runs in a worker thread; this thread serves the socket. Ends on SIGTERM, on loss of its supervisor, and, if
 * unsupervised, on a terminal's signals (SIGINT, SIGHUP, SIGQUIT): the robot brakes, holds, and the driver is closed according
 * to its exit policy. A second SIGTERM or SIGINT does not wait for the robot to stop; not under a supervisor, whose own SIGTERM
 * comes second if a service manager has signalled all processes.
 * If the driver has a bus of its own, it is reported to the supervisor first, which starts a guardian (`../guardian/`).
 */
import { readFileSync } from 'node:fs';
import type { DriverBus } from '../drivers/index.ts';
import {
  closeParentChannel,
  onParentGone,
  patientMs,
  refuseDebugger,
  remedyForLate,
  sendToParent,
} from '../host/index.ts';
import { asObject, ReinError } from '../model/index.ts';
import { createLogger } from '../record/log.ts';
import type { GuardRequest } from '../rows/index.ts';
import { driverTitle, type GuardConfig, parseGuardConfig } from './guard-config.ts';
import { openPulsePipes } from './guardian/guard-pulse.ts';
import { type BusMessage, type GuardianMessage, missedMs, silenceMs } from './guardian/protocol.ts';
import { readRequest } from './link/messages.ts';
import { GuardSocketServer } from './link/socket-server.ts';
import { MotionLog } from './motion-log.ts';
import { raiseHelperThreads } from './priority.ts';
import { StopMeter } from './stop-meter.ts';
import { startWorkerGuard, type WorkerGuardLink } from './worker-link.ts';

/** Time limit for a guardian to open the bus and answer. */
const GUARDIAN_MS = 10_000;
const POLL_MS = 5;

const log = createLogger('guard');
const isSupervised = process.send !== undefined;

refuseDebugger(() => log.warn('SIGUSR1 is ignored: no debugger may attach to a guard'));

main().catch((error: unknown) => {
  if (error instanceof ReinError) log.error({ remedy: error.remedy }, error.message);
  else log.error(error);
  process.exitCode = 1;
  closeParentChannel();
});

async function main(): Promise<void> {
  const config = readConfig(process.argv[2]);
  if (config.realTimePriority === 'try') raiseHelperThreads();
  const link = await startWorkerGuard(config, () => void sendToParent({ kind: 'opening' }));
  const { raise, facts } = link.ready;
  const { bus } = facts;
  if (raise.isRaised) log.info(raise.reason);
  else log.warn(`The tick has normal priority and may be late on a busy machine: ${raise.reason}.`);
  const motion = new MotionLog(config.model.joints, (entry) => log.info(entry, 'motion'));
  const stops = new StopMeter(config.model, config.policyPeriodS);
  link.onFrame((frame) => {
    motion.see(frame);
    const stop = stops.see(frame);
    if (stop !== undefined) log.info({ event: 'stopped', ...stop }, 'motion');
  });
  link.onNotice(({ level, row, message, remedy }) => log[level]({ row, remedy }, message));
  try {
    const ended = endOf(link);
    if (bus === undefined && config.model.powerRelay !== undefined) throw noRelay(config);
    if (bus !== undefined) await Promise.race([untilWatched(link, bus, config), ended]);
    // Without a supervisor there is no other channel for the operator.
    const nodeIs = config.authority === 'node' || !isSupervised ? 'person' : 'program';
    const server = await GuardSocketServer.listen(link, config.socketPath, (notice) => link.notify(notice), nodeIs);
    log.info({ path: config.socketPath }, 'ready');
    const { isSimulated = false, measuresTorque = true } = facts;
    void sendToParent({ kind: 'ready', isSimulated, measuresTorque });
    process.exitCode = (await ended) === 'died' ? 1 : 0;
    await server.close();
  } finally {
    await link.close();
  }
  log.info({ lateness: link.lateness }, 'ended');
  await sendToParent({ kind: 'ended', isOrderly: process.exitCode === 0, raise, lateness: link.lateness });
  closeParentChannel();
}

function readConfig(path: string | undefined): GuardConfig {
  if (path === undefined) throw new ReinError('config', 'The guard needs a configuration file.');
  try {
    return parseGuardConfig(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ReinError('config', `The guard cannot read ${path}: ${(error as Error).message}.`, { cause: error });
  }
}

/** Reports the bus to the supervisor, and waits for the guardian that it starts. Unsupervised, a robot with a bus gets no torque. */
async function untilWatched(link: WorkerGuardLink, bus: DriverBus, config: GuardConfig): Promise<void> {
  if (!isSupervised) {
    log.warn('This guard runs without a supervisor: no guardian watches the bus, and torque cannot be enabled.');
    return;
  }
  const { realTimePriority, model } = config;
  let failure: unknown;
  process.on('message', (message: unknown) => {
    try {
      if (isGuardian(message)) link.watchBy(openPulsePipes(message.pulse, message.answers));
    } catch (error) {
      failure = error;
    }
  });
  const stopFrames = bus.stopFrames.map((frame) => Buffer.from(frame).toString('hex'));
  const periodS = 1 / model.controlHz;
  const timing = { silenceMs: silenceMs(periodS), missedMs: missedMs(periodS) };
  const watch = { ...timing, realTimePriority, tickThread: link.ready.tickThread };
  const { powerRelay: relay } = model;
  const message: BusMessage = { kind: 'bus', bus: { path: bus.path, stopFrames }, relay, watch };
  void sendToParent(message);
  const waitMs = patientMs(GUARDIAN_MS);
  const limitMs = performance.now() + waitMs;
  while (!link.isWatched) {
    if (failure !== undefined) throw failure;
    if (performance.now() > limitMs) {
      throw new ReinError('driver', `No guardian watches the bus ${bus.path} after ${Math.round(waitMs / 1000)} s.`, {
        remedy: remedyForLate('It opens the bus a second time: check that the path allows that, and its rights.'),
      });
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function noRelay(config: GuardConfig): ReinError {
  const message = `powerRelay of ${config.model.name} is switched by the guardian of a bus, and ${driverTitle(config)} has none.`;
  return new ReinError('config', message, {
    remedy: "Take powerRelay out of the robot's file, and let its own emergency stop carry the power.",
  });
}

function isGuardian(message: unknown): message is GuardianMessage {
  return asObject(message)?.['kind'] === 'guardian';
}

/** Resolves when the guard is requested to end, or its tick has died. */
function endOf(link: WorkerGuardLink): Promise<'asked' | 'died'> {
  return new Promise((resolve) => {
    let isAsked = false;
    const ask = (why: string): void => {
      const isHurried = isAsked && !isSupervised;
      if (isHurried) log.info(`${why}, again: not waiting for the robot to stand`);
      else if (!isAsked) log.info(`${why}: braking`);
      if (isHurried) link.hurry();
      isAsked = true;
      resolve('asked');
    };
    process.on('SIGTERM', () => ask('asked to end'));
    // A terminal signals the whole process group; under a supervisor, the supervisor decides the order.
    process.on('SIGINT', () => {
      if (!isSupervised) ask('interrupted');
    });
    for (const signal of ['SIGHUP', 'SIGQUIT'] as const) {
      process.on(signal, () => {
        // A closing terminal may send it more than once, which is no request to hurry.
        if (!isSupervised && !isAsked) ask(signal);
      });
    }
    onParentGone(() => {
      if (!isAsked) ask('the supervisor is gone');
    });
    process.on('message', (message: unknown) => {
      if (!isAsked) serveSupervisor(link, message);
    });
    link.onLost((reason) => {
      if (isAsked) return;
      log.fatal(reason);
      resolve('died');
    });
  });
}

/**
 * Serves the supervisor's requests on behalf of the operator, over a channel that no other process has: all kinds but a new scene. A
 * stop may come without a number, and is then not answered.
 */
function serveSupervisor(link: WorkerGuardLink, message: unknown): void {
  const asked = readRequest(message);
  const request: GuardRequest | undefined = asObject(message)?.['kind'] === 'stop' ? { kind: 'stop' } : asked?.request;
  if (request === undefined || request.kind === 'resetScene') return;
  link.request(request, 'person').then(
    (answer) => {
      if (asked === undefined || !process.connected) return;
      log.info({ request: request.kind, answer }, 'requested by the operator');
      void sendToParent({ kind: 'answer', id: asked.id, answer });
    },
    (error: Error) => log.warn(error.message),
  );
}
