/** Opens the arm behind a guard for identification: torque on, standing at home or where it is. */

import { type RobotConfig, resolveConfig } from '../config/index.ts';
import { createSetup, driverSpec } from '../config/setup.ts';
import { createDriver, type Driver, type DriverSpec, worldOf } from '../drivers/index.ts';
import { type GuardLink, lockStepGuard } from '../guard/index.ts';
import { LockStepClock, ReinError, type RobotModel } from '../model/index.ts';
import { ANSWER_MS, ask, inTime } from './arm-drive.ts';
import { actionPeriodS, identifyAction } from './path-follower.ts';

/** An arm that accepts motion requests. `close` leaves it to its driver's exit policy. */
export interface OpenArm {
  readonly link: GuardLink;
  /** The model enforced by the guard: the robot's file without its tank and its observer, which are under test here. */
  readonly model: RobotModel;
  readonly close: () => Promise<void>;
}

/** Place where no object of the scene is in the way. */
const FAR_BELOW = [0.5, 0, -1, 0] as const;
/** Multiple of the observer limits in the file. */
const OBSERVER_SHARE = 2;

/** Opens the simulated arm of `robot` in lock-step time, puts it home and switches torque on. Rejects with `ReinError`. */
export async function openSimulatedArm(robot: RobotConfig): Promise<OpenArm> {
  return openArm(robot, await createDriver(armDriver(robot), { model: robot }));
}

/** The same with a driver that is not open yet; each reading takes one control period. */
export async function openArm(robot: RobotModel, driver: Driver): Promise<OpenArm> {
  const model = judged(robot);
  const action = identifyAction(model);
  const clock = new LockStepClock(1 / model.controlHz);
  const facts = await driver.open();
  const link = lockStepGuard({
    nodeIs: 'program',
    driver,
    facts,
    model,
    action,
    policyPeriodS: actionPeriodS(model),
    clock,
  });
  try {
    await readySimulated(link, model, driver.scene === undefined ? 'asItIs' : 'resettable');
  } catch (error) {
    await link.close();
    throw error;
  }
  return { link, model, close: () => link.close() };
}

/** Waits for a reading of the arm, without which its position is unknown. */
export async function untilMeasured(link: GuardLink, limitMs: number = ANSWER_MS): Promise<void> {
  const lastMs = performance.now() + limitMs;
  while (!(link.latest.state === 'standby' && Number.isFinite(link.latest.stampS))) {
    if (performance.now() > lastMs) {
      const message = `The arm was not read within ${limitMs / 1000} s: it is ${link.latest.state}.`;
      throw new ReinError('driver', message, { remedy: 'Check the messages of its driver, then begin again.' });
    }
    await inTime(link, link.advance(1));
  }
}

/** Puts a simulated arm home, if its scene can be put back, and switches its torque on without a person's consent. */
export async function readySimulated(
  link: GuardLink,
  { homeRad }: RobotModel,
  scene: 'resettable' | 'asItIs',
): Promise<void> {
  if (scene === 'resettable') {
    const layout = { jointsRad: homeRad, objects: { hole: FAR_BELOW }, signals: {} };
    await ask(link, { kind: 'resetScene', layout });
  }
  await inTime(link, link.advance(2));
  await ask(link, { kind: 'enable' });
  await inTime(link, link.advance(1));
}

/** Removes the tank: its energy balance is under test. Position, speed, walls, distances and following remain guarded. */
export function judged(robot: RobotModel): RobotModel {
  return { ...robot, tank: undefined, torqueObserver: undefined };
}

/**
 * The same in real time, where a person may be near: the file's observer is kept, at `OBSERVER_SHARE` times its limits,
 * since an aged arm is to be measured, and contact with a link must stop it.
 */
export function watched(robot: RobotModel): RobotModel {
  const { torqueObserver } = robot;
  if (torqueObserver === undefined) return judged(robot);
  const coarse = (limitsNm: readonly number[]): readonly number[] => limitsNm.map((limit) => OBSERVER_SHARE * limit);
  const { servoMaxNm, externalMaxNm } = torqueObserver;
  const limits = { servoMaxNm: coarse(servoMaxNm), externalMaxNm: coarse(externalMaxNm) };
  return { ...judged(robot), torqueObserver: { ...torqueObserver, ...limits } };
}

/** Returns the guard's driver for the arm of `robot`, without any task. Throws `ReinError('config')`. */
export function armDriver(robot: RobotConfig): DriverSpec {
  if (worldOf(robot.driver) === 'scene')
    return createSetup({ ...resolveConfig({ task: 'insert', seed: 0 }), robot }).driver;
  const scene = (): never => {
    throw new TypeError('only the scene of a task has measures');
  };
  return driverSpec(robot, { name: 'none', signalNames: [] }, { scene, surroundings: undefined });
}
