/** Driver kind of Dynamixel servos: Koch's arm, ViperX, OpenManipulator, and others on a bus of the X series. */
import { z } from 'zod';
import type { Configured } from '../../schema/index.ts';
import { servoShape } from '../servo/options.ts';
import { servoKind } from '../servo/servo-kind.ts';

const dynamixelSchema = z.strictObject({
  kind: z
    .literal('dynamixel')
    .meta({ description: "What drives the robot: `dynamixel`, servos of Robotis' X series (Protocol 2.0)." }),
  ...servoShape(1_000_000),
});

export const dynamixelKind = servoKind<Configured<typeof dynamixelSchema>>('dynamixel', dynamixelSchema, async () => {
  const { dynamixelFamily } = await import('./dynamixel-family.ts');
  return dynamixelFamily;
});
