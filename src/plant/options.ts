/** What a simulated robot is made from: a scene that brings an arm along, or the robot's own file. */
import { z } from 'zod';
import type { Configured } from '../schema/index.ts';

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

/** What a task puts around a robot that is simulated from its own file. */
const surroundings = z.strictObject({
  // An MJCF file with what stands and moves beside the robot; absent: nothing does.
  file: z.string().min(1).optional(),
  // Bodies and sites of it whose places are measured, as the signals that `placeSignals` names.
  places: z.array(z.string()),
});

const plant = z.strictObject({
  file: z.string().min(1),
  // Of the robot's file, tank included: whoever judges a tank guards an arm without one, and the servos stay the same.
  velocityFeedForward: z.boolean(),
  packages: z.record(z.string(), z.string()).optional(),
  // Those of places are measured; the layout gives the others, and 0 where it does not.
  signalNames: z.array(z.string()),
  surroundings: surroundings.optional(),
});

export const mujocoOptions = z.union([arm, plant]);

export type PegSceneSpec = Configured<typeof pegScene>;
export type SurroundingsSpec = Configured<typeof surroundings>;
export type MujocoDriverOptions = Configured<typeof arm>;
export type PlantDriverOptions = Configured<typeof plant>;

/** Names of the signals that say where the place called `name` is in the base frame: x, y, z (m), and turn about z (rad). */
export function placeSignals(name: string): readonly [string, string, string, string] {
  return [`${name}XM`, `${name}YM`, `${name}ZM`, `${name}YawRad`];
}
