/** Registry of driver kinds. The code of each is loaded when a driver is created. */
import { z } from 'zod';
import { didYouMean, ReinError } from '../model/index.ts';
import type { ModelSource } from '../plant/index.ts';
import type { Driver } from './driver.ts';
import type { DriverConfig, DriverContext, DriverKind, DriverOptions, DriverSpec, World } from './driver-kind.ts';
import { dynamixelKind } from './dynamixel/dynamixel-kind.ts';
import { feetechKind } from './feetech/feetech-kind.ts';
import { mockKind } from './mock/mock-kind.ts';
import { mujocoKind } from './mujoco/mujoco-kind.ts';
import { pluginKind } from './plugin.ts';
import { rosProcesses } from './ros/options.ts';
import { rosKind } from './ros/ros-kind.ts';
import { vescKind } from './vesc/vesc-kind.ts';

/** In the order of the reference page. */
const KINDS: readonly DriverKind[] = [mujocoKind, mockKind, rosKind, feetechKind, dynamixelKind, vescKind, pluginKind];

/** Schema of the `driver` section of a robot file, of any kind. */
export const driverSchema: z.ZodType<DriverConfig> = z
  .discriminatedUnion(
    'kind',
    KINDS.map(({ schema }) => schema) as unknown as [z.ZodObject<{ kind: z.ZodLiteral<string> }>],
  )
  .meta({ description: 'What moves the robot; each kind of driver has keys of its own.' });

/** Schema of the driver in a guard's file. */
export const driverSpecSchema: z.ZodType<DriverSpec> = z.discriminatedUnion(
  'name',
  KINDS.map(({ kind, options }) =>
    z.strictObject({ name: z.literal(kind), options, processes: rosProcesses.optional() }),
  ) as unknown as [z.ZodObject<{ name: z.ZodLiteral<string>; options: z.ZodType<DriverOptions> }>],
);

/** Returns the driver kind `name`. Throws `ReinError('config')` if there is none. */
export function driverKind(name: string): DriverKind {
  const found = KINDS.find(({ kind }) => kind === name);
  if (found !== undefined) return found;
  const names = KINDS.map(({ kind }) => kind);
  throw new ReinError('config', `There is no driver named ${name}${didYouMean(name, names) || '.'}`, {
    remedy: `Drivers: ${names.join(', ')}.`,
  });
}

/** Returns the environment of a robot with this `driver`. */
export function worldOf(driver: DriverConfig): World {
  return driverKind(driver.kind).world(driver);
}

/** Returns the MJCF or URDF of a robot with this `driver`; `undefined` if it names none. */
export function modelOf(driver: DriverConfig): ModelSource | undefined {
  return driverKind(driver.kind).model?.(driver);
}

/** Returns the names of the signals that `driver` measures for a task; `undefined` if it is the simulator, or they are unknown. */
export function signalsOf(driver: DriverConfig): readonly string[] | undefined {
  return driverKind(driver.kind).signals?.(driver);
}

/**
 * Returns `driver`, or for a real robot the simulator with the robot's own model: the same file serves both. Throws
 * `ReinError('config')` if it names no model. A robot behind ROS 2 without a model is returned unchanged.
 */
export function simulatedDriver(driver: DriverConfig): DriverConfig {
  const { needs } = driverKind(driver.kind);
  const model = modelOf(driver);
  if (needs === undefined || (needs === 'ros' && model === undefined)) return driver;
  if (model !== undefined) return { kind: mujocoKind.kind, ...model } as DriverConfig;
  throw new ReinError('config', 'This robot names no model to simulate it by.', {
    remedy: 'Write the path of its MJCF or URDF as `model` under `driver` of its file.',
  });
}

/** Creates the driver that `spec` describes without opening it. Throws `ReinError` for an unknown name. */
export async function createDriver({ name, options }: DriverSpec, context: DriverContext): Promise<Driver> {
  return driverKind(name).create(options, context);
}
