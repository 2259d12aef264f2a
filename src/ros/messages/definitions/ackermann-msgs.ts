/** ackermann_msgs: vehicles that steer like a car. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';
import { Header } from './std-msgs.ts';

export interface AckermannDrive {
  /** rad, positive to the left. */
  steering_angle: number;
  /** rad/s; 0 means as fast as it can. */
  steering_angle_velocity: number;
  /** m/s, m/s², m/s³. */
  speed: number;
  acceleration: number;
  jerk: number;
}
export const AckermannDrive: MessageType<AckermannDrive> = defineMessage<AckermannDrive>(
  'ackermann_msgs/msg/AckermannDrive',
  {
    steering_angle: 'float32',
    steering_angle_velocity: 'float32',
    speed: 'float32',
    acceleration: 'float32',
    jerk: 'float32',
  },
);

export interface AckermannDriveStamped {
  header: Header;
  drive: AckermannDrive;
}
export const AckermannDriveStamped: MessageType<AckermannDriveStamped> = defineMessage<AckermannDriveStamped>(
  'ackermann_msgs/msg/AckermannDriveStamped',
  { header: Header, drive: AckermannDrive },
);
