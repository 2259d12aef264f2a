/** Guard, driver and link in one thread on lock-step time: a robot to learn on as fast as the machine allows. */
import { LockStepClock } from '../../core/index.ts';
import type { Scene } from '../../drivers/index.ts';
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
  const close = async (): Promise<void> => {
    await link.close();
    await base?.close();
  };
  return { link, runner, scene, close };
}
