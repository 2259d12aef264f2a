/** The arm behind a guard, ready to be identified: torque on, standing at home or where it is. */
import { type ActionSpec, LockStepClock, ReinError, type RobotModel } from '../../core/index.ts';
import type { Driver } from '../../drivers/index.ts';
import { type RobotConfig, resolveConfig } from '../config/index.ts';
import { createDriver, type DriverConfig, Guard } from '../guard/index.ts';
import { type GuardLink, MemoryGuardLink } from '../guard-link/index.ts';
import { createSetup, simulatedArm } from '../setup.ts';
import { ask, IDENTIFY_PERIOD_S, identifyAction } from './identify-arm.ts';

/** An arm that can be asked to move. `close` leaves it to its driver's exit policy. */
export interface OpenArm {
  readonly link: GuardLink;
  /** The driver has a `meanWrench`. */
  readonly givesMeanWrench: boolean;
  /** What the guard enforces: the robot's file without its tank and its observer, which are what is judged here. */
  readonly model: RobotModel;
  readonly close: () => Promise<void>;
}

/** Where nothing of the scene is in the way. */
const FAR_BELOW = [0.5, 0, -1, 0] as const;

/** Opens the simulated arm of `robot` in lock-step time, puts it home and turns torque on. Rejects with `ReinError`. */
export async function openSimulatedArm(robot: RobotConfig): Promise<OpenArm> {
  return openArm(robot, await createDriver(simulatedDriver(robot), robot));
}

/** The same with a driver that is not open yet, one control period of which passes per reading. */
export async function openArm(robot: RobotModel, driver: Driver): Promise<OpenArm> {
  const model = judged(robot);
  const action: ActionSpec = identifyAction(model);
  const clock = new LockStepClock(1 / model.controlHz);
  await driver.open();
  const link = new MemoryGuardLink({
    nodeIs: 'program',
    shape: {
      ...{ joints: model.joints.length, signals: driver.signalNames.length },
      ...{ actions: model.joints.length, controlHz: model.controlHz },
    },
    clock,
    createGuard: (port) => new Guard({ driver, model, action, policyPeriodS: IDENTIFY_PERIOD_S, clock, port }),
  });
  try {
    if (driver.scene !== undefined) {
      const layout = { jointsRad: model.homeRad, objects: { hole: FAR_BELOW }, signals: {} };
      const answer = await link.request({ kind: 'resetScene', layout });
      if (!answer.ok) throw new ReinError('driver', answer.reason);
    }
    await link.advance(2);
    await ask(link, 'enable');
    await link.advance(1);
  } catch (error) {
    await link.close();
    throw error;
  }
  return { link, givesMeanWrench: driver.meanWrench !== undefined, model, close: () => link.close() };
}

/** The tank is left out: its books are what is checked. Position, speed, walls, distances and following stay guarded. */
function judged(robot: RobotModel): RobotModel {
  return { ...robot, tank: undefined, torqueObserver: undefined };
}

function simulatedDriver(robot: RobotConfig): DriverConfig {
  const { driver } = robot;
  if (driver.kind !== 'mujoco') {
    throw new ReinError(
      'config',
      `${robot.name} is driven by "${driver.kind}": only simulated arms are identified, and nothing was moved.`,
      {
        remedy:
          "Give a file with driver: mujoco and the maker's model, and leave torqueObserver out of the real robot's file.",
      },
    );
  }
  if (driver.model !== undefined) return { name: 'mujocoModel', options: { file: driver.model, signalNames: [] } };
  const config = { ...resolveConfig({ task: 'insert', seed: 0 }), robot };
  return { name: 'mujoco', options: simulatedArm(config, createSetup(config).task, robot.controlHz) };
}
