/** geometry_msgs: points, poses, velocities and forces. Metres, radians, newtons; quaternions are x, y, z, w. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';
import { Header } from './std-msgs.ts';

export interface Vector3 {
  x: number;
  y: number;
  z: number;
}
export const Vector3: MessageType<Vector3> = defineMessage<Vector3>('geometry_msgs/msg/Vector3', {
  x: 'float64',
  y: 'float64',
  z: 'float64',
});

export interface Point {
  x: number;
  y: number;
  z: number;
}
export const Point: MessageType<Point> = defineMessage<Point>('geometry_msgs/msg/Point', {
  x: 'float64',
  y: 'float64',
  z: 'float64',
});

export interface Quaternion {
  x: number;
  y: number;
  z: number;
  w: number;
}
export const Quaternion: MessageType<Quaternion> = defineMessage<Quaternion>('geometry_msgs/msg/Quaternion', {
  x: 'float64',
  y: 'float64',
  z: 'float64',
  w: 'float64=1',
});

export interface Pose {
  position: Point;
  orientation: Quaternion;
}
export const Pose: MessageType<Pose> = defineMessage<Pose>('geometry_msgs/msg/Pose', {
  position: Point,
  orientation: Quaternion,
});

export interface PoseStamped {
  header: Header;
  pose: Pose;
}
export const PoseStamped: MessageType<PoseStamped> = defineMessage<PoseStamped>('geometry_msgs/msg/PoseStamped', {
  header: Header,
  pose: Pose,
});

export interface PoseWithCovariance {
  pose: Pose;
  /** 6 × 6, row by row: x, y, z, then rotation about X, Y, Z. */
  covariance: Float64Array;
}
export const PoseWithCovariance: MessageType<PoseWithCovariance> = defineMessage<PoseWithCovariance>(
  'geometry_msgs/msg/PoseWithCovariance',
  { pose: Pose, covariance: 'float64[36]' },
);

export interface Twist {
  linear: Vector3;
  angular: Vector3;
}
export const Twist: MessageType<Twist> = defineMessage<Twist>('geometry_msgs/msg/Twist', {
  linear: Vector3,
  angular: Vector3,
});

export interface TwistStamped {
  header: Header;
  twist: Twist;
}
export const TwistStamped: MessageType<TwistStamped> = defineMessage<TwistStamped>('geometry_msgs/msg/TwistStamped', {
  header: Header,
  twist: Twist,
});

export interface TwistWithCovariance {
  twist: Twist;
  /** 6 × 6, row by row: x, y, z, then rotation about X, Y, Z. */
  covariance: Float64Array;
}
export const TwistWithCovariance: MessageType<TwistWithCovariance> = defineMessage<TwistWithCovariance>(
  'geometry_msgs/msg/TwistWithCovariance',
  { twist: Twist, covariance: 'float64[36]' },
);

export interface Wrench {
  force: Vector3;
  torque: Vector3;
}
export const Wrench: MessageType<Wrench> = defineMessage<Wrench>('geometry_msgs/msg/Wrench', {
  force: Vector3,
  torque: Vector3,
});

export interface WrenchStamped {
  header: Header;
  wrench: Wrench;
}
export const WrenchStamped: MessageType<WrenchStamped> = defineMessage<WrenchStamped>(
  'geometry_msgs/msg/WrenchStamped',
  { header: Header, wrench: Wrench },
);

export interface Transform {
  translation: Vector3;
  rotation: Quaternion;
}
export const Transform: MessageType<Transform> = defineMessage<Transform>('geometry_msgs/msg/Transform', {
  translation: Vector3,
  rotation: Quaternion,
});

export interface TransformStamped {
  header: Header;
  child_frame_id: string;
  transform: Transform;
}
export const TransformStamped: MessageType<TransformStamped> = defineMessage<TransformStamped>(
  'geometry_msgs/msg/TransformStamped',
  { header: Header, child_frame_id: 'string', transform: Transform },
);
