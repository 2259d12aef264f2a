/** `config/robots/*.yaml`: a robot's model and its driver. */
import type { z } from 'zod';
import { type DriverConfig, driverSchema } from '../../drivers/index.ts';
import { type BaseModel, modelOfBase, type RobotModel } from '../../model/index.ts';
import { armModel, baseModel, type Configured } from '../../schema/index.ts';

/** A robot's file: the model that the safety chain enforces, and the driver. Can be used as a `RobotModel`. */
export interface RobotConfig extends RobotModel {
  readonly driver: DriverConfig;
}

export const armSchema: z.ZodType<RobotConfig> = armModel
  .extend({ driver: driverSchema })
  .meta({ title: 'Robot: arm', description: 'A serial arm: geometry, limits, workspace and driver.' });

export const baseSchema = baseModel.extend({ driver: driverSchema }).meta({
  title: 'Robot: mobile base',
  description:
    'A mobile base. Its actions are of the kind `joint`, with the axes `x` (ahead, m) and `yaw` (to the left, rad); `x`, `y` and `yaw` for a holonomic base; `x` and `steering` for Ackermann steering.',
});

/** The file of a mobile base: limits instead of joints. */
export type BaseConfig = Configured<typeof baseSchema>;

/** Returns the robot that a base's file describes, with axes in place of joints. The base must have the keys that its kind requires. */
export function robotOfBase(config: BaseConfig): RobotConfig {
  return { ...modelOfBase(config.name, config.base, config.controlHz), driver: config.driver };
}

/** Inverse of `robotOfBase`: the file content from which it returns `robot`. */
export function baseFileOf(robot: RobotConfig & { readonly base: BaseModel }): BaseConfig {
  const { name: robotName, base: model, controlHz, driver } = robot;
  return { name: robotName, base: model, controlHz, driver };
}
