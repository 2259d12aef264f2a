/** The simulated arm as its configuration describes it, for tests. */

import { resolveConfig } from '../../src/config/index.ts';
import { createSetup, type RunSetup } from '../../src/config/setup.ts';
import { MujocoDriver } from '../../src/drivers/mujoco.ts';
import { ArmKinematics, type RobotModel } from '../../src/model/index.ts';
import type { MujocoDriverOptions } from '../../src/plant/index.ts';
import type { PegTaskConfig } from '../../src/tasks/peg-insertion.ts';

export function arm6Setup(task: 'insert' | 'insert-tight' = 'insert', seed = 0): RunSetup {
  return createSetup(resolveConfig({ task, seed }));
}

/** What the task of `setup` measures. */
export function pegTask(setup: RunSetup): PegTaskConfig {
  const { task } = setup.config;
  if (task.kind !== 'pegInsertion') throw new TypeError(`${task.name} is no insertion`);
  return task;
}

/** A closed driver of the scene that `setup` describes. */
export function arm6Driver(setup: RunSetup = arm6Setup()): MujocoDriver {
  return new MujocoDriver(setup.config.robot, setup.driver.options as MujocoDriverOptions);
}

/** Joints with the tip at `tipM`, the tool vertical and turned by `yawRad` from its pose at home. */
export function jointsAt(model: RobotModel, tipM: readonly [number, number, number], yawRad = 0): number[] {
  const kinematics = new ArmKinematics(model);
  kinematics.forward(model.homeRad);
  const [w, x, y, z] = kinematics.tcpQuaternion as unknown as [number, number, number, number];
  const c = Math.cos(yawRad / 2);
  const s = Math.sin(yawRad / 2);
  const joints = Float64Array.from(model.homeRad);
  const target = [...tipM, c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w];
  if (!kinematics.inverse(target, model.homeRad, joints)) throw new RangeError(`arm6 does not reach ${tipM}`);
  return Array.from(joints);
}
