/** nav_msgs: where a mobile base is. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';
import { PoseWithCovariance, TwistWithCovariance } from './geometry-msgs.ts';
import { Header } from './std-msgs.ts';

export interface Odometry {
  /** `header.frame_id` is the frame of the pose. */
  header: Header;
  /** The frame of the twist. */
  child_frame_id: string;
  pose: PoseWithCovariance;
  twist: TwistWithCovariance;
}
export const Odometry: MessageType<Odometry> = defineMessage<Odometry>('nav_msgs/msg/Odometry', {
  header: Header,
  child_frame_id: 'string',
  pose: PoseWithCovariance,
  twist: TwistWithCovariance,
});
