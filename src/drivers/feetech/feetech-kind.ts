/** Driver kind of Feetech bus servos: SO-100, SO-101, and others on an STS or SCS bus. */
import { z } from 'zod';
import type { Configured } from '../../schema/index.ts';
import { servoShape } from '../servo/options.ts';
import { servoKind } from '../servo/servo-kind.ts';

const feetechSchema = z.strictObject({
  kind: z
    .literal('feetech')
    .meta({ description: "What drives the robot: `feetech`, bus servos of Feetech's STS or SCS series." }),
  ...servoShape(1_000_000),
});

export const feetechKind = servoKind<Configured<typeof feetechSchema>>('feetech', feetechSchema, async () => {
  const { feetechFamily } = await import('./feetech-family.ts');
  return feetechFamily;
});
