/** trajectory_msgs: where joints are to be, and when. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';
import { Duration } from './builtin-interfaces.ts';
import { Header } from './std-msgs.ts';

export interface JointTrajectoryPoint {
  /** In the order of the trajectory's `joint_names`; any of the four may be empty. */
  positions: Float64Array;
  velocities: Float64Array;
  accelerations: Float64Array;
  effort: Float64Array;
  time_from_start: Duration;
}
export const JointTrajectoryPoint: MessageType<JointTrajectoryPoint> = defineMessage<JointTrajectoryPoint>(
  'trajectory_msgs/msg/JointTrajectoryPoint',
  {
    positions: 'float64[]',
    velocities: 'float64[]',
    accelerations: 'float64[]',
    effort: 'float64[]',
    time_from_start: Duration,
  },
);

export interface JointTrajectory {
  /** A stamp of 0 means: begin now. */
  header: Header;
  joint_names: string[];
  points: JointTrajectoryPoint[];
}
export const JointTrajectory: MessageType<JointTrajectory> = defineMessage<JointTrajectory>(
  'trajectory_msgs/msg/JointTrajectory',
  { header: Header, joint_names: 'string[]', points: [JointTrajectoryPoint] },
);
