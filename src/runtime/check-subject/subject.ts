/** What a safety check is made on: a robot's limits, and a file that says what it weighs. */
import type { RobotModel } from '../../core/index.ts';

export interface CheckSubject {
  readonly model: RobotModel;
  /** MJCF or URDF: what `RobotPlant.open` takes as `file` (a path, or the text). Absent: nothing says what this robot weighs. */
  readonly plantFile?: string | undefined;
  /** The files that were read, the one that has the last word last. */
  readonly sources: readonly string[];
  /** What no file said and was worked out, one sentence each, for the report. */
  readonly assumed: readonly string[];
}

export interface SubjectOptions {
  /** For an MJCF or URDF: our limits YAML, or a ROS `joint_limits.yaml`. */
  readonly limits?: string | undefined;
  /** Folder that relative paths start from; the working directory where absent. */
  readonly from?: string | undefined;
}
