/** What a safety check is made on: a robot's limits, and a file that says what it weighs. */
import { type Place, problemsError } from '../config/index.ts';
import { type RobotModel, significant, torqueUnit } from '../core/index.ts';
import type { PackageFolders } from '../plant/index.ts';
import type { PlantImage } from '../plant/mujoco.ts';

export interface CheckSubject {
  readonly model: RobotModel;
  /** MJCF or URDF: what `RobotPlant.open` takes as `file` (a path, or the text). Absent: nothing says what this robot weighs. */
  readonly plantFile?: string | undefined;
  /** The same compiled, for all threads and variants. */
  readonly plantImage?: PlantImage | undefined;
  /** The files that were read, the one that has the last word last. */
  readonly sources: readonly string[];
  /** What no file said and was worked out, one sentence each, for the report. */
  readonly assumed: readonly string[];
  /** Joints whose stiffness or damping no file says. */
  readonly assumedServos?: readonly string[] | undefined;
}

/** One number for all joints; in m and N for one that slides. Accelerations are worked out from the servos where absent. */
export type LimitDefaults = {
  readonly [key in 'velocityMaxRadPerS' | 'accelMaxRadPerS2' | 'torqueMaxNm']?: number | undefined;
};

/** The options of the command line that say them. */
export const LIMIT_FLAGS = [
  ['velocityMaxRadPerS', '--speed'],
  ['accelMaxRadPerS2', '--accel'],
  ['torqueMaxNm', '--torque'],
] as const satisfies readonly (readonly [keyof LimitDefaults, string])[];

export interface SubjectOptions {
  /** For an MJCF or URDF: our limits YAML, or a ROS `joint_limits.yaml`. */
  readonly limits?: string | undefined;
  /** Limits of joints of which no file says them. */
  readonly defaults?: LimitDefaults | undefined;
  /** Heaviest load of the tool, kg; else what the robot's file says. */
  readonly payloadMaxKg?: number | undefined;
  /** Joints that stand still, beyond those that the limits file lists. */
  readonly fixed?: readonly string[] | undefined;
  /** Folders of ROS packages by name, for `package://` in a URDF. */
  readonly packages?: PackageFolders | undefined;
  /** Called with what is being done that takes time. */
  readonly onPhase?: ((message: string) => void) | undefined;
  /** Folder that relative paths start from; the working directory where absent. */
  readonly from?: string | undefined;
}

/** Where to point for `path` of a robot. */
export type PlaceOf = (path: readonly (string | number)[]) => Place;

/**
 * Opens the robot's file as it will be simulated. Throws `ReinError('config')` for a file that lacks joints, and for servos that
 * cannot give, at home, the acceleration by which the robot is said to brake.
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
