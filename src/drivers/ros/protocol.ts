/** Kinds of messages on the pipes between guard and the processes that speak ROS, and what those are started with. */
import type { RobotModel } from '../../core/index.ts';
import type { RosDriverOptions } from './options.ts';

/** Guard to bridge: `command`, `request`. Guard to stopper: `pulse`. Back: the others. Numbers apart, they are JSON. */
export const ROS_MESSAGE = {
  command: 32,
  pulse: 33,
  request: 34,
  ready: 35,
  state: 36,
  answer: 37,
  notice: 38,
  failed: 39,
  /** The stopper has begun a stop. */
  acted: 40,
} as const;

/** The file descriptor on which a process writes to the guard. */
export const TO_GUARD_FD = 3;

/** How the folder is called, in the system's for temporary files, that holds a guard's pipes. */
export const ROS_FOLDER_PREFIX = 'rein-ros-';

/** In a JSON file that the guard writes; its path is the first argument, the life's number the second. */
export interface RosProcessConfig {
  readonly model: RobotModel;
  readonly options: RosDriverOptions;
  /** `--ros-args …` for both: namespace, remaps; no name of a node. */
  readonly rosArguments: readonly string[];
  /** Where the process reads what the guard's tick writes. */
  readonly inbox: string;
}
