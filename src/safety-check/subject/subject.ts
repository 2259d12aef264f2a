/** What a safety check is made on: a robot's limits, and a file that says what it weighs. */
import type { RobotModel } from '../../core/index.ts';
import type { PackageFolders, PlantImage } from '../../drivers/mujoco.ts';

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
}

export interface SubjectOptions {
  /** For an MJCF or URDF: our limits YAML, or a ROS `joint_limits.yaml`. */
  readonly limits?: string | undefined;
  /** Acceleration of joints of which no file says it, rad/s² (m/s²); worked out from the servos where absent. */
  readonly accelMaxRadPerS2?: number | undefined;
  /** Heaviest load of the tool, kg; else what the robot's file says. */
  readonly payloadMaxKg?: number | undefined;
  /** Joints that stand still, beyond those that the limits file lists. */
  readonly fixed?: readonly string[] | undefined;
  /** Folders of ROS packages by name, for `package://` in a URDF. */
  readonly packages?: PackageFolders | undefined;
  /** Told what is being done that takes time. */
  readonly onPhase?: ((sentence: string) => void) | undefined;
  /** Folder that relative paths start from; the working directory where absent. */
  readonly from?: string | undefined;
}
