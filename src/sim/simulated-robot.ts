/** Guard, driver and link in one thread on lock-step time: a training robot as fast as the machine allows. */

import type { RunSetup } from '../config/setup.ts';
import {
  createDriver,
  DRIVER_OPEN_LIMIT_MS,
  type Driver,
  type DriverFacts,
  type DriverSpec,
  type Scene,
} from '../drivers/index.ts';
import { acknowledge, faultText, type GuardLink, lockStepGuard } from '../guard/index.ts';
import { type Close, closeAll, openedOrClosed, patientMs, remedyForLate } from '../host/index.ts';
import { type Clock, LockStepClock, ReinError, type RobotModel } from '../model/index.ts';
import { faultsOf } from '../safety/index.ts';
import { createRunner, type EpisodeRunner, openBase, type StepTimings } from '../session/rollout.ts';

/** Number of restarts of simulated robots after stops that only a person may clear, and the cause of the last one. */
export interface Restarts {
  readonly count: number;
  readonly reason?: string;
}

export const NO_RESTARTS: Restarts = { count: 0 };

/** Adds `later` to `earlier`. */
export function addRestarts(earlier: Restarts, later: Restarts): Restarts {
  const reason = later.reason ?? earlier.reason;
  return { count: earlier.count + later.count, ...(reason === undefined ? {} : { reason }) };
}

/** A simulated robot that is ready for episodes. */
export interface SimulatedRobot {
  readonly link: GuardLink;
  readonly clock: Clock;
  readonly runner: EpisodeRunner;
  /** Scene of the current physics, which a restart replaces. */
  readonly scene: Scene;
  readonly restarts: Restarts;
  /**
   * Clears a stop: acknowledges it, as a simulator may if no fault is of category 1 or 0, so that the next episode can reset the
   * scene. If only a person may acknowledge it, which no simulated run has, the robot is discarded and new physics and guard are
   * started, as after a power cycle. No effect if the robot holds.
   */
  goOn(): Promise<Restarts>;
  close(): Promise<void>;
}

/** Validity of an action, policy periods: no machine is late in lock-step. */
const LEASE_PERIODS = 1.5;

/**
 * Loads the physics and the base policy, and starts a guard. Throws `ReinError` if one of them does not load, and the abort
 * reason of `signal`; nothing stays open. `nodeIs`: requester of the node's requests; a `person` may resume after any stop, for
 * a program that stands in for the operator beside the robot.
 */
export function createSimulatedRobot(
  setup: RunSetup,
  timings?: StepTimings,
  signal?: AbortSignal,
  nodeIs: 'person' | 'program' = 'program',
): Promise<SimulatedRobot> {
  return openedOrClosed([], (closes) => openParts(setup, timings, closes, signal, nodeIs));
}

async function openParts(
  setup: RunSetup,
  timings: StepTimings | undefined,
  closes: Close[],
  signal: AbortSignal | undefined,
  nodeIs: 'person' | 'program',
): Promise<SimulatedRobot> {
  const { config, task } = setup;
  const { robot } = config;
  const policyPeriodS = 1 / config.task.policyHz;
  const clock = new LockStepClock(1 / robot.controlHz);
  const base = await openBase(setup);
  closes.push(() => base?.close());
  const { driver, facts } = await openDriver(setup, closes, signal);
  const { scene } = driver;
  if (scene === undefined) {
    throw new ReinError('driver', `The robot ${robot.name} is no simulation: its driver ${facts.name} has no scene.`, {
      remedy: 'Run it in real time, with rein run: there a person lets it go on.',
    });
  }
  if (facts.isSimulated !== true) {
    throw new ReinError('driver', `The driver of the robot ${robot.name} does not declare that it is simulated.`, {
      remedy: 'Set `isSimulated: true` in its facts if it is; else run it in real time, with rein run.',
    });
  }
  // `nodeIs`: an unattended run has nobody who could look, and must not do what is reserved for people.
  const link = lockStepGuard({ nodeIs, driver, facts, model: robot, action: task.action, policyPeriodS, clock });
  closes.push(() => link.close());
  const runner = createRunner({ setup, link, clock, timings, basePolicy: base, leasePeriods: LEASE_PERIODS });
  // The first episode begins like all others: holding. If the guard refuses, the episode reports why.
  const begin = async (): Promise<void> => {
    await link.advance(1);
    await link.request({ kind: 'enable' });
  };
  await begin();
  let restarts = NO_RESTARTS;
  const goOn = async (): Promise<Restarts> => {
    const reason = await acknowledgeStop(link, robot.joints);
    if (reason === undefined) return NO_RESTARTS;
    await link.restart(() => driver.open());
    await begin();
    await link.advance(1);
    const restart = { count: 1, reason };
    restarts = addRestarts(restarts, restart);
    return restart;
  };
  return {
    link,
    clock,
    runner,
    goOn,
    scene,
    close: () => closeAll(closes),
    get restarts() {
      return restarts;
    },
  };
}

interface OpenDriver {
  readonly driver: Driver;
  readonly facts: DriverFacts;
}

/** Creates and opens the driver. A third-party driver may take forever and cannot be stopped: the wait is limited. */
async function openDriver(
  { config, driver: spec }: RunSetup,
  closes: Close[],
  asked?: AbortSignal,
): Promise<OpenDriver> {
  const limit = new AbortController();
  const signal = asked === undefined ? limit.signal : AbortSignal.any([asked, limit.signal]);
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  const open = async (): Promise<OpenDriver> => {
    signal.throwIfAborted();
    const driver = await createDriver(spec, { model: config.robot });
    signal.throwIfAborted();
    let isOpening = true;
    const opening = (async () => driver.open())().finally(() => {
      isOpening = false;
    });
    closes.push(() => (isOpening ? abandon(driver, opening) : driver.close()));
    return { driver, facts: await opening };
  };
  const limitMs = patientMs(DRIVER_OPEN_LIMIT_MS);
  const timer = setTimeout(() => limit.abort(slowError(spec, limitMs)), limitMs);
  try {
    return await Promise.race([open(), ended]);
  } finally {
    clearTimeout(timer);
  }
}

/** Closes a driver that is still opening: now, and again if it opens late. Waits for neither, as both may hang. */
function abandon(driver: Driver, opening: Promise<unknown>): void {
  const close = (): Promise<void> => (async () => driver.close())().catch(() => undefined);
  void close();
  void opening.then(close, close);
}

function slowError({ name, options: { module } }: DriverSpec, limitMs: number): ReinError {
  const shown = module === undefined ? name : String(module);
  return new ReinError('driver', `The driver ${shown} did not open within ${Math.round(limitMs / 1e3)} s.`, {
    remedy: remedyForLate('Check what it waits for: it has to open, or to throw an error.'),
  });
}

/** Ticks allowed for a stop to come to rest; afterwards the acknowledgement is requested and refused. */
const REST_TICKS = 1000;

/** Acknowledges a stop. Returns its cause if only a person may clear it; throws `ReinError('driver')` if the cause persists. */
async function acknowledgeStop(link: GuardLink, joints: RobotModel['joints']): Promise<string | undefined> {
  for (let i = 0; i < REST_TICKS && link.latest.state === 'stopping'; i++) await link.advance(1);
  const { faultFlags } = link.latest;
  const answer = await acknowledge(link);
  if (answer === undefined || answer.ok) return undefined;
  const why = faultText(link.latest, joints, faultFlags);
  if (answer.needs === 'person') return why;
  const remedy = faultsOf(faultFlags).map((fault) => fault.remedy);
  throw new ReinError('driver', `${why} ${answer.reason}.`, { remedy: remedy.join(' ') });
}
