export { AckermannDrive, AckermannDriveStamped } from './ackermann-msgs.ts';
export { Duration, Time } from './builtin-interfaces.ts';
export { DiagnosticArray, DiagnosticStatus, KeyValue } from './diagnostic-msgs.ts';
export {
  Point,
  Pose,
  PoseStamped,
  PoseWithCovariance,
  Quaternion,
  Transform,
  TransformStamped,
  Twist,
  TwistStamped,
  TwistWithCovariance,
  Vector3,
  Wrench,
  WrenchStamped,
} from './geometry-msgs.ts';
export { Clock } from './graph-msgs.ts';
export { Odometry } from './nav-msgs.ts';
export { Intervention, PolicyStatus, RobotEvent, SafetyState, State } from './rein-msgs.ts';
export { BatteryState, CompressedImage, Image, Imu, JointState, Joy, LaserScan } from './sensor-msgs.ts';
export {
  Bool,
  Empty,
  Float32,
  Float32MultiArray,
  Float64,
  Float64MultiArray,
  Header,
  Int32,
  MultiArrayDimension,
  MultiArrayLayout,
  StringMessage,
  UInt8,
} from './std-msgs.ts';
export { JointTrajectory, JointTrajectoryPoint } from './trajectory-msgs.ts';
