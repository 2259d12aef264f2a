/** Options of a plant. */
import type { RobotModel } from '../model/index.ts';
import type { PackageFolders } from './model/model-assets.ts';
import type { PlantDriverOptions, SurroundingsSpec } from './options.ts';

/** Compiled plant in MuJoCo's binary form, with a wall and a load that are inactive until set. */
export type PlantImage = Uint8Array;

/** Rigid plane that stops the link that carries the tool. */
export interface PlantWall {
  /** Point on the plane, base frame, m. */
  readonly pointM: readonly [number, number, number];
  /** Normal towards the robot's side, base frame; any length but 0. */
  readonly normal: readonly [number, number, number];
}

/** Unknown load: a point mass at the tool point, or a factor on the mass of the tool link. */
export type PlantPayload = { readonly massKg: number } | { readonly scale: number };

export interface PlantSurroundings extends SurroundingsSpec {
  readonly signalNames: readonly string[];
}

export interface PlantOptions {
  /** Path of an MJCF or URDF file, or its text. */
  readonly file: string;
  /** The same file as compiled by `compilePlantImage` for this model: it is not read again. */
  readonly image?: PlantImage | undefined;
  /** Folders of ROS packages, for `package://` in a URDF. */
  readonly packages?: PackageFolders | undefined;
  /** Gives the joints with their stiffness, damping and torque limits, and the nominal `controlHz`. */
  readonly model: RobotModel;
  /** The servos add the reference's velocity × damping/stiffness to the set-point. Default: `servosLead` of the model. */
  readonly velocityFeedForward?: boolean | undefined;
  /** Delay of references to the servos, periods. Default 0. */
  readonly delayTicks?: number | undefined;
  /** Load that is not part of the gravity compensation. */
  readonly payload?: PlantPayload | undefined;
  /** Dry friction of every joint, added to the file's, N·m (N for a prismatic one). */
  readonly frictionNm?: number | undefined;
  readonly wall?: PlantWall | undefined;
  /** Objects beside the robot, in its base frame, and their signals; not available with `image`. */
  readonly surroundings?: PlantSurroundings | undefined;
  /** True if the links' nominal weight is compensated. Default: as in the model. */
  readonly gravityCompensated?: boolean | undefined;
  /** Longest physics step, s, 0 < h ≤ 0.002 (default). */
  readonly timestepS?: number | undefined;
}

/** Returns the plant options of a robot with its own file, from its driver's options. */
export function plantOptions(options: PlantDriverOptions, model: RobotModel): PlantOptions {
  const { surroundings, signalNames, ...own } = options;
  return { ...own, model, surroundings: surroundings && { ...surroundings, signalNames } };
}
