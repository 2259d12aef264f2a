/** Subject of a safety check: a robot's limits, and a file with its masses. */
import { type Place, problemsError } from '../config/index.ts';
import { type RobotModel, significant, torqueUnit } from '../model/index.ts';
import type { PackageFolders } from '../plant/index.ts';
import type { PlantImage } from '../plant/mujoco.ts';

export interface CheckSubject {
  readonly model: RobotModel;
  /** MJCF or URDF, as the `file` of `RobotPlant.open` (a path, or the text). Absent: the robot's masses are unknown. */
  readonly plantFile?: string | undefined;
  /** The same compiled, for all threads and variants. */
  readonly plantImage?: PlantImage | undefined;
  /** Files that were read; the last one takes precedence. */
  readonly sources: readonly string[];
  /** Values that no file gives and that were derived, one sentence each, for the report. */
  readonly assumed: readonly string[];
  /** Joints whose stiffness or damping is in no file. */
  readonly assumedServos?: readonly string[] | undefined;
}

/** One value for all joints; in m and N for prismatic ones. Accelerations are derived from the servos if absent. */
export type LimitDefaults = {
  readonly [key in 'velocityMaxRadPerS' | 'accelMaxRadPerS2' | 'torqueMaxNm']?: number | undefined;
};

/** Command line options that give them. */
export const LIMIT_FLAGS = [
  ['velocityMaxRadPerS', '--speed'],
  ['accelMaxRadPerS2', '--accel'],
  ['torqueMaxNm', '--torque'],
] as const satisfies readonly (readonly [keyof LimitDefaults, string])[];

export interface SubjectOptions {
  /** For an MJCF or URDF: a Rein limits YAML, or a ROS `joint_limits.yaml`. */
  readonly limits?: string | undefined;
  /** Limits of joints that have none in any file. */
  readonly defaults?: LimitDefaults | undefined;
  /** Heaviest load of the tool, kg; default: as in the robot file. */
  readonly payloadMaxKg?: number | undefined;
  /** Joints that stand still, in addition to those in the limits file. */
  readonly fixed?: readonly string[] | undefined;
  /** Folders of ROS packages by name, for `package://` in a URDF. */
  readonly packages?: PackageFolders | undefined;
  /** Called with a message at the start of each lengthy phase. */
  readonly onPhase?: ((message: string) => void) | undefined;
  /** Folder that relative paths start from; default: the working directory. */
  readonly from?: string | undefined;
}

/** Returns the place in a file for `path` of a robot. */
export type PlaceOf = (path: readonly (string | number)[]) => Place;

/**
 * Opens the robot's plant as it will be simulated. Throws `ReinError('config')` for a file that lacks joints, and for
 * servos that cannot give, at home, the acceleration with which the robot is to brake.
 */
export async function checkPlant({ model, plantFile, plantImage }: CheckSubject, placeOf: PlaceOf): Promise<void> {
  if (plantFile === undefined) return;
  const { RobotPlant } = await import('../plant/mujoco.ts');
  const plant = await RobotPlant.open({ file: plantFile, image: plantImage, model });
  try {
    if (model.base !== undefined) return;
    const inertia = plant.inertiaKgM2();
    const problems = model.joints.flatMap((joint, i) => {
      const { name, torqueMaxNm, accelMaxRadPerS2 } = joint;
      const needNm = accelMaxRadPerS2 * inertia[i]!;
      if (needNm <= torqueMaxNm) return [];
      const message = `joint "${name}" cannot brake by accelMaxRadPerS2, ${accelMaxRadPerS2}: at home that takes ${significant(needNm)} ${torqueUnit(joint)}, and its servo has ${torqueMaxNm}`;
      return [{ place: placeOf(['joints', i, 'accelMaxRadPerS2']), message }];
    });
    if (problems.length > 0) throw problemsError(problems);
  } finally {
    plant.close();
  }
}
