/** What a plant is made from. */
import type { RobotModel } from '../core/index.ts';
import type { PackageFolders } from './model/model-assets.ts';
import type { PlantDriverOptions, SurroundingsSpec } from './options.ts';

/** A compiled plant in MuJoCo's binary form, with a wall and a load that do nothing until they are asked for. */
export type PlantImage = Uint8Array;

/** A plane that does not give way, and stops the link that carries the tool. */
export interface PlantWall {
  /** A point of it, base frame, m. */
  readonly pointM: readonly [number, number, number];
  /** Towards the robot's side, base frame; any length but 0. */
  readonly normal: readonly [number, number, number];
}

/** An unknown load: either a point mass at the tool point, or so much heavier (or lighter) a tool link. */
export type PlantPayload = { readonly massKg: number } | { readonly scale: number };

export interface PlantSurroundings extends SurroundingsSpec {
  readonly signalNames: readonly string[];
}

export interface PlantOptions {
  /** An MJCF or URDF file's path, or its text. */
  readonly file: string;
  /** The same file as `compilePlantImage` made it for this model: it is not read again. */
  readonly image?: PlantImage | undefined;
  /** Folders of ROS packages, for `package://` in a URDF. */
  readonly packages?: PackageFolders | undefined;
  /** Names the joints, and says each one's stiffness, damping and torque limit, and the nominal `controlHz`. */
  readonly model: RobotModel;
  /** The servos add the reference's velocity × damping/stiffness to the set-point. Default: `servosLead` of the model. */
  readonly velocityFeedForward?: boolean | undefined;
  /** References reach the servos so many periods late. Default 0. */
  readonly delayTicks?: number | undefined;
  /** What the gravity compensation does not know of. */
  readonly payload?: PlantPayload | undefined;
  /** Dry friction of every joint, beyond the file's, N·m (N for a sliding one). */
  readonly frictionNm?: number | undefined;
  readonly wall?: PlantWall | undefined;
  /** What stands and moves beside the robot, in its base frame, and the signals that tell of it; not to be had with `image`. */
  readonly surroundings?: PlantSurroundings | undefined;
  /** Whether something holds the links' nominal weight. Default: as the model says. */
  readonly gravityCompensated?: boolean | undefined;
  /** Longest physics step, s, 0 < h ≤ 0.002 (default). */
  readonly timestepS?: number | undefined;
}

/** The plant of a robot from its own file, as its driver's options describe it. */
export function plantOptions(options: PlantDriverOptions, model: RobotModel): PlantOptions {
  const { surroundings, signalNames, ...own } = options;
  return { ...own, model, surroundings: surroundings && { ...surroundings, signalNames } };
}
