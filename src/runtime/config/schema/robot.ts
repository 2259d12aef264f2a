/** `config/robots/*.yaml`: what a robot is and what drives it. */
import { z } from 'zod';
import type { RobotModel } from '../../../core/index.ts';
import { type DriverConfig, driverSchema } from './driver.ts';
import { name, num, triple } from './fields.ts';
import { type Same, schemaOf } from './same.ts';

/** A robot's file: the model that the safety chain enforces, and the driver. Usable wherever a `RobotModel` is. */
export interface RobotConfig extends RobotModel {
  readonly driver: DriverConfig;
}

const joint = z.strictObject({
  name: name('Unique among the joints.'),
  originXyzM: triple('m', "Position of the joint frame in the parent link's frame."),
  originRpyRad: triple(
    'rad',
    "Orientation of the joint frame in the parent link's frame: fixed-axis roll, pitch, yaw.",
  ),
  axis: triple('1', 'Unit axis of rotation in the joint frame.'),
  positionMinRad: num('rad', { min: -31.5, max: 31.5 }, 'Lowest position, of the hardware.'),
  positionMaxRad: num('rad', { min: -31.5, max: 31.5 }, 'Highest position, of the hardware.'),
  velocityMaxRadPerS: num('rad/s', { above: 0, max: 50 }, 'Highest speed of the reference.'),
  accelMaxRadPerS2: num('rad/s²', { above: 0, max: 1000 }, 'Highest acceleration of the reference, braking included.'),
  torqueMaxNm: num('N·m', { above: 0, max: 2000 }, 'Torque at which the servo saturates.'),
  stiffnessNmPerRad: num('N·m/rad', { above: 0, max: 1e6 }, 'Torque per position error at rest.'),
  dampingNmSPerRad: num('N·m·s/rad', { min: 0, max: 1e5 }, 'Torque per speed.'),
});

const schema = z
  .strictObject({
    name: name('Name of the robot model; run folders and policy files carry it.'),
    joints: z.array(joint).min(1).max(16).meta({ description: 'Joints from the base to the tool.' }),
    tool: z
      .strictObject({
        originXyzM: triple('m', "Tool point (TCP) in the last link's frame."),
        originRpyRad: triple('rad', "Orientation of the tool in the last link's frame: fixed-axis roll, pitch, yaw."),
      })
      .meta({ description: 'Where the tool point is.' }),
    workspace: z
      .strictObject({
        minM: triple('m', 'Lowest corner.'),
        maxM: triple('m', 'Highest corner.'),
      })
      .meta({ description: 'Box in the base frame that the tool point must stay in.' }),
    controlHz: num('Hz', { min: 10, max: 1000 }, 'Guard ticks per second.'),
    limitMarginRad: num('rad', { min: 0, max: 0.5 }, 'Distance kept from every position limit.'),
    leashM: num('m', { above: 0, max: 0.2 }, 'How far the reference may lead the measured tool point.'),
    leashRad: num('rad', { above: 0, max: 1 }, 'The same for orientation.'),
    homeRad: z.array(z.number()).min(1).max(16).meta({
      unit: 'rad',
      description: 'A pose in the middle of the workspace with the tool pointing down, one number a joint.',
    }),
    driver: driverSchema,
  })
  .meta({ title: 'Robot: arm', description: 'A serial arm: geometry, limits, workspace and driver.' });

export const armSchema: z.ZodType<RobotConfig> = schemaOf<RobotConfig, Same<z.output<typeof schema>, RobotConfig>>(
  schema,
);
