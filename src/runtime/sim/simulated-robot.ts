/** Guard, driver and link in one thread on lock-step time: a robot to learn on as fast as the machine allows. */
import { LockStepClock, ReinError, type RobotModel } from '../../core/index.ts';
import type { Scene } from '../../drivers/index.ts';
import { faultsOf, sentenceOf, withRow } from '../../safety/index.ts';
import { openBase } from '../base-policy.ts';
import { createDriver, Guard } from '../guard/index.ts';
import { type GuardLink, MemoryGuardLink } from '../guard-link/index.ts';
import { EpisodeRunner, type StepTimings } from '../node/index.ts';
import type { RunSetup } from '../setup.ts';

/** A simulated robot that is ready for episodes. */
export interface SimulatedRobot {
  readonly link: GuardLink;
  readonly runner: EpisodeRunner;
  readonly scene: Scene;
  /**
   * After a stop: acknowledges it, as a simulator may where no fault is of category 1 or 0, so that the next episode can put the
   * scene back. Throws `ReinError('driver')` where only a person may, whom no simulated run has. Does nothing where it holds.
   */
  goOn(): Promise<void>;
  close(): Promise<void>;
}

/** How many policy periods an action stays valid. */
export const LEASE_PERIODS = 1.5;

/** Loads the physics and the base policy, and starts a guard. Throws `ReinError` when one of them does not load. */
export async function createSimulatedRobot(setup: RunSetup, timings?: StepTimings): Promise<SimulatedRobot> {
  const { config, task } = setup;
  const { robot } = config;
  const policyPeriodS = 1 / config.task.policyHz;
  const clock = new LockStepClock(1 / robot.controlHz);
  const base = await openBase(setup);
  const driver = await createDriver(setup.driver, robot);
  await driver.open();
  const scene = driver.scene;
  if (scene === undefined) throw new TypeError(`the driver ${driver.name} has no scene to arrange`);
  const link = new MemoryGuardLink({
    shape: {
      joints: robot.joints.length,
      signals: task.signalNames.length,
      actions: setup.actionSize,
      controlHz: robot.controlHz,
    },
    clock,
    // Nobody is here who could look: what only people may do, a simulated run may not.
    nodeIs: 'program',
    createGuard: (port) => new Guard({ driver, model: robot, action: task.action, policyPeriodS, clock, port }),
  });
  const runner = new EpisodeRunner({
    task,
    link,
    jointNames: robot.joints.map(({ name }) => name),
    clock,
    policyHz: config.task.policyHz,
    leaseS: LEASE_PERIODS * policyPeriodS,
    basePolicy: base,
    ...(timings === undefined ? {} : { timings }),
  });
  // The first episode begins as all others do: held. Where the guard refuses, the episode says why.
  await link.advance(1);
  await link.request({ kind: 'enable' });
  const close = async (): Promise<void> => {
    await link.close();
    await base?.close();
  };
  const goOn = (): Promise<void> => acknowledge(link, robot.joints);
  return { link, runner, scene, goOn, close };
}

/** A stop may take so many ticks to come to rest, after which it is asked and refused. */
const REST_TICKS = 1000;

async function acknowledge(link: GuardLink, joints: RobotModel['joints']): Promise<void> {
  for (let i = 0; i < REST_TICKS && link.latest.state === 'stopping'; i++) await link.advance(1);
  const { state, faultFlags } = link.latest;
  if (state !== 'stopped' && state !== 'fault' && !(state === 'standby' && faultFlags !== 0)) return;
  const answer = await link.request({ kind: 'acknowledge' });
  await link.advance(1);
  if (answer.ok) return;
  const faults = faultsOf(faultFlags);
  const why = faults.map((fault) => withRow(sentenceOf(fault, link.latest, joints), fault.row)).join(' ');
  const rule =
    answer.needs === 'person'
      ? 'A simulated run does not go on from a stop of category 1: it ends here'
      : answer.reason;
  throw new ReinError('driver', `${why} ${rule}.`, {
    remedy: faults.map(({ remedy }) => remedy).join(' '),
  });
}
