/** Schema of the simulator's section in a robot file. */
import { z } from 'zod';
import { packagesField } from '../../plant/index.ts';
import type { Configured } from '../../schema/index.ts';

export const mujocoSchema = z.strictObject({
  kind: z.literal('mujoco').meta({ description: 'What drives the robot: `mujoco`, the simulator.' }),
  scene: z
    .enum(['peg-insertion'])
    .meta({ description: 'Scene of the simulator that includes an arm. Either this or `model`.' })
    .optional(),
  model: z
    .string()
    .min(1)
    .max(4096)
    .meta({
      description:
        "The robot's own MJCF or URDF, whose joints have this file's names; relative to this file. Servos, base and limits are this file's.",
    })
    .optional(),
  packages: packagesField,
});

export type MujocoConfig = Configured<typeof mujocoSchema>;

/** True if `driver` is the simulator. */
export function isMujoco(driver: { readonly kind: string }): driver is MujocoConfig {
  return driver.kind === 'mujoco';
}
