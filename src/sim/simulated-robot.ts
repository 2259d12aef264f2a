/** Guard, driver and link in one thread on lock-step time: a robot to learn on as fast as the machine allows. */

import type { RunSetup } from '../config/setup.ts';
import {
  type Clock,
  type Close,
  closeAll,
  LockStepClock,
  openedOrClosed,
  patientMs,
  ReinError,
  type RobotModel,
  remedyForLate,
} from '../core/index.ts';
import {
  createDriver,
  DRIVER_OPEN_LIMIT_MS,
  type Driver,
  type DriverFacts,
  type DriverSpec,
  type Scene,
} from '../drivers/index.ts';
import { acknowledge, faultText, type GuardLink, lockStepGuard } from '../guard/index.ts';
import { faultsOf } from '../safety/index.ts';
import { createRunner, type EpisodeRunner, openBase, type StepTimings } from '../session/rollout.ts';

/** How often simulated robots were started anew because a stop wants a person, and what stopped the last of them. */
export interface Restarts {
  readonly count: number;
  readonly reason?: string;
}

export const NO_RESTARTS: Restarts = { count: 0 };

/** `later` after `earlier`. */
export function addRestarts(earlier: Restarts, later: Restarts): Restarts {
  const reason = later.reason ?? earlier.reason;
  return { count: earlier.count + later.count, ...(reason === undefined ? {} : { reason }) };
}

/** A simulated robot that is ready for episodes. */
export interface SimulatedRobot {
  readonly link: GuardLink;
  readonly clock: Clock;
  readonly runner: EpisodeRunner;
  /** Of the physics that there are now: another one after a restart. */
  readonly scene: Scene;
  readonly restarts: Restarts;
  /**
   * After a stop: acknowledges it, as a simulator may where no fault is of category 1 or 0, so that the next episode can put the
   * scene back. Where only a person may, whom no simulated run has, nobody acknowledges: that robot is given up, and another
   * physics and guard are started, as after a power cycle. Does nothing where the robot holds.
   */
  goOn(): Promise<Restarts>;
  close(): Promise<void>;
}

/** How many policy periods an action stays valid: no machine is late in lock-step. */
const LEASE_PERIODS = 1.5;

/**
 * Loads the physics and the base policy, and starts a guard. Throws `ReinError` when one of them does not load, and what aborts
 * `signal`; nothing stays open. `nodeIs`: who its node's requests are of; a `person` lets it go on after any stop, where the program that
 * asks stands for the one beside the robot.
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
    throw new ReinError('driver', `The driver of the robot ${robot.name} does not say that it is simulated.`, {
      remedy: 'Give `isSimulated: true` among its facts where it is; else run it in real time, with rein run.',
    });
  }
  // `nodeIs`: in a run nobody is here who could look, and what only people may do, it may not.
  const link = lockStepGuard({ nodeIs, driver, facts, model: robot, action: task.action, policyPeriodS, clock });
  closes.push(() => link.close());
  const runner = createRunner({ setup, link, clock, timings, basePolicy: base, leasePeriods: LEASE_PERIODS });
  // The first episode begins as all others do: held. Where the guard refuses, the episode says why.
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

/** Makes and opens the driver. Driver modules of others may take for ever, and cannot be stopped: they are waited for no longer. */
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

/** Closes a driver that still opens, now and once more where it opens late; waits for neither, which may never be. */
function abandon(driver: Driver, opening: Promise<unknown>): void {
  const close = (): Promise<void> => (async () => driver.close())().catch(() => undefined);
  void close();
  void opening.then(close, close);
}

function slowError({ name, options: { module } }: DriverSpec, limitMs: number): ReinError {
  const shown = module === undefined ? name : String(module);
  return new ReinError('driver', `The driver ${shown} did not open within ${Math.round(limitMs / 1e3)} s.`, {
    remedy: remedyForLate('See to what it waits for: it has to open, or to throw why it cannot.'),
  });
}

/** A stop may take so many ticks to come to rest, after which it is asked and refused. */
const REST_TICKS = 1000;

/** Acknowledges a stop; says why it stands where only a person may, and throws `ReinError('driver')` where its cause stays. */
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
