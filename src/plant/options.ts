/** Options of simulated robots: a scene that includes an arm, or the robot's own file. */
import { z } from 'zod';
import type { Configured } from '../schema/index.ts';

const metres = z.number().positive();

/** Dimensions of peg and hole, m. */
const pegScene = z.strictObject({
  // Width of the square peg, and its visible length below the gripper
  pegWidthM: metres,
  pegLengthM: metres,
  // Gap on each side between peg and hole
  clearanceM: metres,
  // 45° chamfer around the hole's mouth
  chamferM: z.number().min(0),
  // Depth of the hole down to its floor
  depthM: metres,
  // A tip farther than this from the hole's axis is not in the hole, whatever its height.
  mouthRadiusM: metres,
});

const arm = z.strictObject({
  jointNames: z.array(z.string()),
  // Values come from the scene layout; `depthM` is measured by the scene itself.
  signalNames: z.array(z.string()),
  periodS: z.number().positive(),
  scene: pegScene,
});

/** Surroundings that a task adds to a robot simulated from its own file. */
const surroundings = z.strictObject({
  // MJCF file with the objects beside the robot; absent: none.
  file: z.string().min(1).optional(),
  // Bodies and sites of it whose poses are measured, as the signals named by `placeSignals`.
  places: z.array(z.string()),
});

const plant = z.strictObject({
  file: z.string().min(1),
  // As in the robot file with its tank: checks of a tank also run the arm without one, on the same servos.
  velocityFeedForward: z.boolean(),
  packages: z.record(z.string(), z.string()).optional(),
  // Signals of places are measured; the layout gives the others, else they are 0.
  signalNames: z.array(z.string()),
  surroundings: surroundings.optional(),
});

export const mujocoOptions = z.union([arm, plant]);

export type PegSceneSpec = Configured<typeof pegScene>;
export type SurroundingsSpec = Configured<typeof surroundings>;
export type MujocoDriverOptions = Configured<typeof arm>;
export type PlantDriverOptions = Configured<typeof plant>;

/** Returns the names of the signals of place `name` in the base frame: x, y, z (m), and yaw (rad). */
export function placeSignals(name: string): readonly [string, string, string, string] {
  return [`${name}XM`, `${name}YM`, `${name}ZM`, `${name}YawRad`];
}
