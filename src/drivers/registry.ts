/** Which kinds of drivers there are. The code of each is loaded when one is made. */
import { z } from 'zod';
import { didYouMean, ReinError } from '../core/index.ts';
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

/** The `driver` of a robot's file, of any kind. */
export const driverSchema: z.ZodType<DriverConfig> = z
  .discriminatedUnion(
    'kind',
    KINDS.map(({ schema }) => schema) as unknown as [z.ZodObject<{ kind: z.ZodLiteral<string> }>],
  )
  .meta({ description: 'What moves the robot; each kind of driver has keys of its own.' });

/** A driver as a guard's file has it. */
export const driverSpecSchema: z.ZodType<DriverSpec> = z.discriminatedUnion(
  'name',
  KINDS.map(({ kind, options }) =>
    z.strictObject({ name: z.literal(kind), options, processes: rosProcesses.optional() }),
  ) as unknown as [z.ZodObject<{ name: z.ZodLiteral<string>; options: z.ZodType<DriverOptions> }>],
);

/** The kind of driver called `name`. Throws `ReinError('config')` where there is none. */
export function driverKind(name: string): DriverKind {
  const found = KINDS.find(({ kind }) => kind === name);
  if (found !== undefined) return found;
  const names = KINDS.map(({ kind }) => kind);
  throw new ReinError('config', `There is no driver named ${name}${didYouMean(name, names) || '.'}`, {
    remedy: `Drivers: ${names.join(', ')}.`,
  });
}

/** Where a robot with this `driver` stands. */
export function worldOf(driver: DriverConfig): World {
  return driverKind(driver.kind).world(driver);
}

/** The MJCF or URDF of the robot with this `driver`; `undefined` where it names none. */
export function modelOf(driver: DriverConfig): ModelSource | undefined {
  return driverKind(driver.kind).model?.(driver);
}

/** Names of the numbers that `driver` measures for a task; `undefined` where it is the simulator, or nobody knows. */
export function signalsOf(driver: DriverConfig): readonly string[] | undefined {
  return driverKind(driver.kind).signals?.(driver);
}

/**
 * `driver`, or for a real robot the simulator with the robot's own model: the same file for both. Throws `ReinError('config')` where it
 * names no model. A robot behind ROS 2 without one stays what it is.
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

/** Makes the driver that `spec` describes; does not open it. Throws `ReinError` for a name that nobody knows. */
export async function createDriver({ name, options }: DriverSpec, context: DriverContext): Promise<Driver> {
  return driverKind(name).create(options, context);
}
