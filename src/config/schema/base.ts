/** `config/robots/*.yaml` of a mobile base: limits instead of joints. */
import { z } from 'zod';
import { type BaseModel, modelOfBase } from '../../core/index.ts';
import { type DriverConfig, driverSchema } from '../../drivers/index.ts';
import { name, num } from '../../schema/index.ts';
import type { RobotConfig } from './robot.ts';
import { fenceSchema } from './safety.ts';
import { type Same, schemaOf } from './same.ts';

/** The file of a mobile base. */
export interface BaseConfig {
  readonly name: string;
  readonly base: BaseModel;
  readonly controlHz: number;
  readonly driver: DriverConfig;
}

const base = z.strictObject({
  kind: z
    .enum(['differential', 'holonomic', 'ackermann'])
    .meta({ description: 'How it moves: two driven wheels, every direction, or steered like a car.' }),
  speedMaxMPerS: num('m/s', { above: 0, max: 20 }, 'Highest speed; a holonomic base also sideways.'),
  accelMaxMPerS2: num('m/s²', { above: 0, max: 50 }, 'Highest acceleration, braking included.'),
  turnMaxRadPerS: num('rad/s', { above: 0, max: 20 }, 'Differential, holonomic: fastest turn.').optional(),
  turnAccelMaxRadPerS2: num('rad/s²', { above: 0, max: 200 }, 'Differential, holonomic: of the turn.').optional(),
  steeringMaxRad: num('rad', { above: 0.01, max: 1.5 }, 'Ackermann: largest steering angle.').optional(),
  steeringRateMaxRadPerS: num('rad/s', { above: 0, max: 50 }, 'Ackermann: how fast the wheels steer.').optional(),
  steeringAccelMaxRadPerS2: num('rad/s²', { above: 0, max: 1000 }, 'Ackermann: of the steering.').optional(),
  wheelbaseM: num('m', { above: 0, max: 10 }, 'Ackermann: distance of the axles.').optional(),
  fence: fenceSchema.optional(),
});

const schema = z
  .strictObject({
    name: name('Name of the robot model; run folders and policy files carry it.'),
    base: base.meta({ description: 'What it is and how fast it may move.' }),
    controlHz: num('Hz', { min: 10, max: 1000 }, 'Guard ticks per second.'),
    driver: driverSchema,
  })
  .meta({
    title: 'Robot: mobile base',
    description:
      'A mobile base. Its actions are of the kind `joint`, with the axes `x` (ahead, m) and `yaw` (to the left, rad); `x`, `y` and `yaw` for a holonomic base; `x` and `steering` for Ackermann steering.',
  });

export const baseSchema: z.ZodType<BaseConfig> = schemaOf<BaseConfig, Same<z.output<typeof schema>, BaseConfig>>(
  schema,
);

/** Keys that a base of each kind must have. */
export const BASE_NEEDS: Readonly<Record<BaseModel['kind'], readonly Exclude<keyof BaseModel, 'kind' | 'fence'>[]>> = {
  differential: ['turnMaxRadPerS', 'turnAccelMaxRadPerS2'],
  holonomic: ['turnMaxRadPerS', 'turnAccelMaxRadPerS2'],
  ackermann: ['steeringMaxRad', 'steeringRateMaxRadPerS', 'steeringAccelMaxRadPerS2', 'wheelbaseM'],
};

/** The robot that a base's file describes, with axes in the place of joints. Its base must have what its kind needs. */
export function robotOfBase(config: BaseConfig): RobotConfig {
  return { ...modelOfBase(config.name, config.base, config.controlHz), driver: config.driver };
}

/** What to write into a file so that `robotOfBase` gives `robot` again. */
export function baseFileOf(robot: RobotConfig & { readonly base: BaseModel }): BaseConfig {
  const { name: robotName, base: model, controlHz, driver } = robot;
  return { name: robotName, base: model, controlHz, driver };
}
