/** What a simulated robot is made from: a scene that brings an arm along, or the robot's own file. */
import { z } from 'zod';
import type { Configured } from '../../schema/index.ts';

export const mujocoSchema = z.strictObject({
  kind: z.literal('mujoco').meta({ description: 'What drives the robot: `mujoco`, the simulator.' }),
  scene: z
    .enum(['peg-insertion'])
    .meta({ description: 'Surroundings in the simulator, which bring an arm along. Either this or `model`.' })
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
});

export type MujocoConfig = Configured<typeof mujocoSchema>;

/** Whether `driver` is the simulator's. */
export function isMujoco(driver: { readonly kind: string }): driver is MujocoConfig {
  return driver.kind === 'mujoco';
}

const metres = z.number().positive();

/** Measures of peg and hole, m. */
const pegScene = z.strictObject({
  // Width of the square peg, and its visible length below the gripper
  pegWidthM: metres,
  pegLengthM: metres,
  // Gap on each side between peg and hole
  clearanceM: metres,
  // 45° chamfer around the hole's mouth
  chamferM: z.number().min(0),
  // Of the hole down to its floor
  depthM: metres,
  // A tip further than this from the hole's axis is not in the hole, whatever its height.
  mouthRadiusM: metres,
});

const arm = z.strictObject({
  jointNames: z.array(z.string()),
  // The scene layout gives their values; `depthM` is measured by the scene itself.
  signalNames: z.array(z.string()),
  periodS: z.number().positive(),
  scene: pegScene,
});

/** Of its own file, there are no surroundings that give signals. */
const plant = z.strictObject({ file: z.string().min(1), signalNames: z.tuple([]) });

export const mujocoOptions = z.union([arm, plant]);

export type PegSceneSpec = Configured<typeof pegScene>;
export type MujocoDriverOptions = Configured<typeof arm>;
export type PlantDriverOptions = Configured<typeof plant>;
