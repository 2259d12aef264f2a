/** Schema of an action: written in a task's file, and passed to a guard. */
import { z } from 'zod';
import { agreed } from './agreement.ts';
import { name, num } from './fields.ts';

export const dimensionSchema = z.strictObject({
  name: name(
    "`x`, `y`, `z` or `yaw` for cartesian actions, and any joint that does not carry the tool, such as a gripper's; the name of a joint, or of a base's axis, for joint actions.",
  ),
  scale: num('unit', { above: 0, max: 1 }, 'Change per policy step at full action, in the unit beside it.'),
  unit: z.enum(['m', 'rad']).meta({ description: 'Unit of `scale`.' }),
});

export const actionSchema = agreed(
  z
    .strictObject({
      kind: z.enum(['cartesian', 'joint']).meta({
        description:
          'What an action moves: the tool in the base frame, with a gripper beside it, or joints (of a base: its axes).',
      }),
      dimensions: z
        .array(dimensionSchema)
        .min(1)
        .max(16)
        .meta({ description: 'One entry for each number of an action, in order.' }),
    })
    .meta({ description: 'What the numbers of an action do.' }),
);
