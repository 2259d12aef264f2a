/**
 * Interfaces that Rein speaks. Written by `npm run docs` from `msg/`, `srv/`, `action/` and
 * `scripts/ros/standard-interfaces.txt`: change those, not this file.
 */
import { defineMessage } from './define-message.ts';
import type { ActionType, MessageType, ServiceType } from './message-type.ts';

/** A point in time since the clock's epoch. Before the epoch `sec` is negative and `nanosec` still counts forward. */
export interface Time {
  sec: number;
  nanosec: number;
}
export const Time: MessageType<Time> = defineMessage('builtin_interfaces/msg/Time', {
  sec: 'int32',
  nanosec: 'uint32',
});

export interface Duration {
  sec: number;
  nanosec: number;
}
export const Duration: MessageType<Duration> = defineMessage('builtin_interfaces/msg/Duration', {
  sec: 'int32',
  nanosec: 'uint32',
});

export interface Header {
  stamp: Time;
  frame_id: string;
}
export const Header: MessageType<Header> = defineMessage('std_msgs/msg/Header', {
  stamp: Time,
  frame_id: 'string',
});

export type Empty = Record<string, never>;
export const Empty: MessageType<Empty> = defineMessage('std_msgs/msg/Empty', {});

export interface StringMessage {
  data: string;
}
export const StringMessage: MessageType<StringMessage> = defineMessage('std_msgs/msg/String', {
  data: 'string',
});

export interface Bool {
  data: boolean;
}
export const Bool: MessageType<Bool> = defineMessage('std_msgs/msg/Bool', {
  data: 'bool',
});

export interface Int32 {
  data: number;
}
export const Int32: MessageType<Int32> = defineMessage('std_msgs/msg/Int32', {
  data: 'int32',
});

export interface UInt8 {
  data: number;
}
export const UInt8: MessageType<UInt8> = defineMessage('std_msgs/msg/UInt8', {
  data: 'uint8',
});

export interface Float32 {
  data: number;
}
export const Float32: MessageType<Float32> = defineMessage('std_msgs/msg/Float32', {
  data: 'float32',
});

export interface Float64 {
  data: number;
}
export const Float64: MessageType<Float64> = defineMessage('std_msgs/msg/Float64', {
  data: 'float64',
});

export interface MultiArrayDimension {
  label: string;
  size: number;
  stride: number;
}
export const MultiArrayDimension: MessageType<MultiArrayDimension> = defineMessage('std_msgs/msg/MultiArrayDimension', {
  label: 'string',
  size: 'uint32',
  stride: 'uint32',
});

export interface MultiArrayLayout {
  dim: MultiArrayDimension[];
  data_offset: number;
}
export const MultiArrayLayout: MessageType<MultiArrayLayout> = defineMessage('std_msgs/msg/MultiArrayLayout', {
  dim: [MultiArrayDimension],
  data_offset: 'uint32',
});

export interface Float32MultiArray {
  layout: MultiArrayLayout;
  data: Float32Array;
}
export const Float32MultiArray: MessageType<Float32MultiArray> = defineMessage('std_msgs/msg/Float32MultiArray', {
  layout: MultiArrayLayout,
  data: 'float32[]',
});

export interface Float64MultiArray {
  layout: MultiArrayLayout;
  data: Float64Array;
}
export const Float64MultiArray: MessageType<Float64MultiArray> = defineMessage('std_msgs/msg/Float64MultiArray', {
  layout: MultiArrayLayout,
  data: 'float64[]',
});

export interface Vector3 {
  x: number;
  y: number;
  z: number;
}
export const Vector3: MessageType<Vector3> = defineMessage('geometry_msgs/msg/Vector3', {
  x: 'float64',
  y: 'float64',
  z: 'float64',
});

export interface Point {
  x: number;
  y: number;
  z: number;
}
export const Point: MessageType<Point> = defineMessage('geometry_msgs/msg/Point', {
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
export const Quaternion: MessageType<Quaternion> = defineMessage('geometry_msgs/msg/Quaternion', {
  x: 'float64',
  y: 'float64',
  z: 'float64',
  w: 'float64=1',
});

export interface Pose {
  position: Point;
  orientation: Quaternion;
}
export const Pose: MessageType<Pose> = defineMessage('geometry_msgs/msg/Pose', {
  position: Point,
  orientation: Quaternion,
});

export interface PoseStamped {
  header: Header;
  pose: Pose;
}
export const PoseStamped: MessageType<PoseStamped> = defineMessage('geometry_msgs/msg/PoseStamped', {
  header: Header,
  pose: Pose,
});

export interface PoseWithCovariance {
  pose: Pose;
  /** 6 × 6, row by row: x, y, z, then rotation about X, Y, Z. */
  covariance: Float64Array;
}
export const PoseWithCovariance: MessageType<PoseWithCovariance> = defineMessage('geometry_msgs/msg/PoseWithCovariance', {
  pose: Pose,
  covariance: 'float64[36]',
});

export interface Twist {
  linear: Vector3;
  angular: Vector3;
}
export const Twist: MessageType<Twist> = defineMessage('geometry_msgs/msg/Twist', {
  linear: Vector3,
  angular: Vector3,
});

export interface TwistStamped {
  header: Header;
  twist: Twist;
}
export const TwistStamped: MessageType<TwistStamped> = defineMessage('geometry_msgs/msg/TwistStamped', {
  header: Header,
  twist: Twist,
});

export interface TwistWithCovariance {
  twist: Twist;
  /** 6 × 6, row by row: x, y, z, then rotation about X, Y, Z. */
  covariance: Float64Array;
}
export const TwistWithCovariance: MessageType<TwistWithCovariance> = defineMessage('geometry_msgs/msg/TwistWithCovariance', {
  twist: Twist,
  covariance: 'float64[36]',
});

export interface Wrench {
  force: Vector3;
  torque: Vector3;
}
export const Wrench: MessageType<Wrench> = defineMessage('geometry_msgs/msg/Wrench', {
  force: Vector3,
  torque: Vector3,
});

export interface WrenchStamped {
  header: Header;
  wrench: Wrench;
}
export const WrenchStamped: MessageType<WrenchStamped> = defineMessage('geometry_msgs/msg/WrenchStamped', {
  header: Header,
  wrench: Wrench,
});

export interface Transform {
  translation: Vector3;
  rotation: Quaternion;
}
export const Transform: MessageType<Transform> = defineMessage('geometry_msgs/msg/Transform', {
  translation: Vector3,
  rotation: Quaternion,
});

export interface TransformStamped {
  header: Header;
  child_frame_id: string;
  transform: Transform;
}
export const TransformStamped: MessageType<TransformStamped> = defineMessage('geometry_msgs/msg/TransformStamped', {
  header: Header,
  child_frame_id: 'string',
  transform: Transform,
});

export interface Clock {
  clock: Time;
}
export const Clock: MessageType<Clock> = defineMessage('rosgraph_msgs/msg/Clock', {
  clock: Time,
});

export interface Odometry {
  /** `header.frame_id` is the frame of the pose. */
  header: Header;
  /** The frame of the twist. */
  child_frame_id: string;
  pose: PoseWithCovariance;
  twist: TwistWithCovariance;
}
export const Odometry: MessageType<Odometry> = defineMessage('nav_msgs/msg/Odometry', {
  header: Header,
  child_frame_id: 'string',
  pose: PoseWithCovariance,
  twist: TwistWithCovariance,
});

export interface JointState {
  header: Header;
  name: string[];
  /** rad or m. Each of the three arrays is as long as `name`, or empty. */
  position: Float64Array;
  /** rad/s or m/s. */
  velocity: Float64Array;
  /** N·m or N. */
  effort: Float64Array;
}
export const JointState: MessageType<JointState> = defineMessage('sensor_msgs/msg/JointState', {
  header: Header,
  name: 'string[]',
  position: 'float64[]',
  velocity: 'float64[]',
  effort: 'float64[]',
});

export interface Imu {
  header: Header;
  orientation: Quaternion;
  /** Each 3 × 3, row by row; a first element of -1 means that the value is not measured. */
  orientation_covariance: Float64Array;
  /** rad/s. */
  angular_velocity: Vector3;
  angular_velocity_covariance: Float64Array;
  /** m/s². */
  linear_acceleration: Vector3;
  linear_acceleration_covariance: Float64Array;
}
export const Imu: MessageType<Imu> = defineMessage('sensor_msgs/msg/Imu', {
  header: Header,
  orientation: Quaternion,
  orientation_covariance: 'float64[9]',
  angular_velocity: Vector3,
  angular_velocity_covariance: 'float64[9]',
  linear_acceleration: Vector3,
  linear_acceleration_covariance: 'float64[9]',
});

export interface LaserScan {
  header: Header;
  /** rad. */
  angle_min: number;
  angle_max: number;
  angle_increment: number;
  /** s. */
  time_increment: number;
  scan_time: number;
  /** m. Ranges outside these two are to be discarded. */
  range_min: number;
  range_max: number;
  ranges: Float32Array;
  intensities: Float32Array;
}
export const LaserScan: MessageType<LaserScan> = defineMessage('sensor_msgs/msg/LaserScan', {
  header: Header,
  angle_min: 'float32',
  angle_max: 'float32',
  angle_increment: 'float32',
  time_increment: 'float32',
  scan_time: 'float32',
  range_min: 'float32',
  range_max: 'float32',
  ranges: 'float32[]',
  intensities: 'float32[]',
});

export interface Image {
  header: Header;
  height: number;
  width: number;
  /** `rgb8`, `bgr8`, `mono8`, … */
  encoding: string;
  /** 1 where samples of more than one byte have their highest byte first. */
  is_bigendian: number;
  /** Bytes of a row. */
  step: number;
  data: Uint8Array;
}
export const Image: MessageType<Image> = defineMessage('sensor_msgs/msg/Image', {
  header: Header,
  height: 'uint32',
  width: 'uint32',
  encoding: 'string',
  is_bigendian: 'uint8',
  step: 'uint32',
  data: 'uint8[]',
});

export interface CompressedImage {
  header: Header;
  /** `jpeg`, `png`, and further words of the transport plugin. */
  format: string;
  data: Uint8Array;
}
export const CompressedImage: MessageType<CompressedImage> = defineMessage('sensor_msgs/msg/CompressedImage', {
  header: Header,
  format: 'string',
  data: 'uint8[]',
});

export interface Joy {
  header: Header;
  /** Each -1 … 1. */
  axes: Float32Array;
  /** 0 or 1. */
  buttons: Int32Array;
}
export const Joy: MessageType<Joy> = defineMessage('sensor_msgs/msg/Joy', {
  header: Header,
  axes: 'float32[]',
  buttons: 'int32[]',
});

export interface BatteryState {
  header: Header;
  /** V. Values that are not measured are NaN, here and below. */
  voltage: number;
  /** °C. */
  temperature: number;
  /** A, negative while it is discharged. */
  current: number;
  /** A·h. */
  charge: number;
  capacity: number;
  design_capacity: number;
  /** 0 … 1. */
  percentage: number;
  power_supply_status: number;
  power_supply_health: number;
  power_supply_technology: number;
  present: boolean;
  cell_voltage: Float32Array;
  cell_temperature: Float32Array;
  location: string;
  serial_number: string;
}
export const BatteryState: MessageType<BatteryState> = defineMessage('sensor_msgs/msg/BatteryState', {
  header: Header,
  voltage: 'float32',
  temperature: 'float32',
  current: 'float32',
  charge: 'float32',
  capacity: 'float32',
  design_capacity: 'float32',
  percentage: 'float32',
  power_supply_status: 'uint8',
  power_supply_health: 'uint8',
  power_supply_technology: 'uint8',
  present: 'bool',
  cell_voltage: 'float32[]',
  cell_temperature: 'float32[]',
  location: 'string',
  serial_number: 'string',
});

export interface JointTrajectoryPoint {
  /** In the order of the trajectory's `joint_names`; any of the four may be empty. */
  positions: Float64Array;
  velocities: Float64Array;
  accelerations: Float64Array;
  effort: Float64Array;
  time_from_start: Duration;
}
export const JointTrajectoryPoint: MessageType<JointTrajectoryPoint> = defineMessage('trajectory_msgs/msg/JointTrajectoryPoint', {
  positions: 'float64[]',
  velocities: 'float64[]',
  accelerations: 'float64[]',
  effort: 'float64[]',
  time_from_start: Duration,
});

export interface JointTrajectory {
  /** A stamp of 0 means: begin now. */
  header: Header;
  joint_names: string[];
  points: JointTrajectoryPoint[];
}
export const JointTrajectory: MessageType<JointTrajectory> = defineMessage('trajectory_msgs/msg/JointTrajectory', {
  header: Header,
  joint_names: 'string[]',
  points: [JointTrajectoryPoint],
});

export interface KeyValue {
  key: string;
  value: string;
}
export const KeyValue: MessageType<KeyValue> = defineMessage('diagnostic_msgs/msg/KeyValue', {
  key: 'string',
  value: 'string',
});

export interface DiagnosticStatus {
  level: number;
  name: string;
  message: string;
  hardware_id: string;
  values: KeyValue[];
}
export const DiagnosticStatus: MessageType<DiagnosticStatus> = defineMessage('diagnostic_msgs/msg/DiagnosticStatus', {
  level: 'byte',
  name: 'string',
  message: 'string',
  hardware_id: 'string',
  values: [KeyValue],
});
export const DIAGNOSTIC_STATUS = { OK: 0, WARN: 1, ERROR: 2, STALE: 3 } as const;

export interface DiagnosticArray {
  header: Header;
  status: DiagnosticStatus[];
}
export const DiagnosticArray: MessageType<DiagnosticArray> = defineMessage('diagnostic_msgs/msg/DiagnosticArray', {
  header: Header,
  status: [DiagnosticStatus],
});

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
export const AckermannDrive: MessageType<AckermannDrive> = defineMessage('ackermann_msgs/msg/AckermannDrive', {
  steering_angle: 'float32',
  steering_angle_velocity: 'float32',
  speed: 'float32',
  acceleration: 'float32',
  jerk: 'float32',
});

export interface AckermannDriveStamped {
  header: Header;
  drive: AckermannDrive;
}
export const AckermannDriveStamped: MessageType<AckermannDriveStamped> = defineMessage('ackermann_msgs/msg/AckermannDriveStamped', {
  header: Header,
  drive: AckermannDrive,
});

export type TriggerRequest = Record<string, never>;
export interface TriggerAnswer {
  readonly success: boolean;
  readonly message: string;
}
export const Trigger: ServiceType<TriggerRequest, TriggerAnswer> = { name: 'std_srvs/srv/Trigger' };

/** An event for people: a fault, a refusal, a start, a stop. */
export interface RobotEvent {
  /** ROS time. */
  stamp: Time;
  /** INFO, WARN or ERROR. */
  level: number;
  /** Short name, stable between versions. */
  name: string;
  /** Row of the fault table in docs/faults.md; 0 where none fits. */
  row: number;
  /** One sentence, and what to do about it; the remedy may be empty. */
  message: string;
  remedy: string;
}
export const RobotEvent: MessageType<RobotEvent> = defineMessage('rein/msg/Event', {
  stamp: Time,
  level: 'uint8',
  name: 'string',
  row: 'uint16',
  message: 'string',
  remedy: 'string',
});
export const ROBOT_EVENT = { INFO: 0, WARN: 1, ERROR: 2 } as const;

/** A person took over, or gave control back. Published when it begins and when it ends. */
export interface Intervention {
  /** ROS time. */
  stamp: Time;
  /** True while a person moves the robot. */
  active: boolean;
  /** Name of the operator, and the cause of the change: a word such as `button` or `lease`. */
  operator_name: string;
  decided_by: string;
  /** Episode and step in which it happened. */
  episode: number;
  step: number;
  /** Duration so far, s; 0 when it begins. */
  duration_s: number;
}
export const Intervention: MessageType<Intervention> = defineMessage('rein/msg/Intervention', {
  stamp: Time,
  active: 'bool',
  operator_name: 'string',
  decided_by: 'string',
  episode: 'uint32',
  step: 'uint32',
  duration_s: 'float64',
});

/** The policy that moves the robot: its weights, their age, and the latency of inference. */
export interface PolicyStatus {
  /** ROS time. */
  stamp: Time;
  /** Version of the weights in use; rises within a run. */
  version: bigint;
  /** Seconds since these weights arrived. */
  age_s: number;
  /** Latency of one inference: median and 99th percentile, ms. */
  latency_p50_ms: number;
  latency_p99_ms: number;
  /** Age of the oldest observation that the last action was decided from, ms. */
  observation_age_ms: number;
  /** The run that the weights come from, and a word for what the policy does now. */
  run_id: string;
  state: string;
}
export const PolicyStatus: MessageType<PolicyStatus> = defineMessage('rein/msg/PolicyStatus', {
  stamp: Time,
  version: 'uint64',
  age_s: 'float64',
  latency_p50_ms: 'float64',
  latency_p99_ms: 'float64',
  observation_age_ms: 'float64',
  run_id: 'string',
  state: 'string',
});

/** The guard's decision about motion, and its reasons. Transient local: late subscribers receive the last one. */
export interface SafetyState {
  /** Time of the decision, ROS time. */
  stamp: Time;
  /** State of the safety machine: the word that `rein run` shows too. */
  state: string;
  /** Decider of this tick's motion. */
  decider: string;
  /** Faults that are there, or were and are not acknowledged: one bit each, and the same, in one order, as rows of the fault table in docs/faults.md and as sentences. Two bits of one row are there twice. */
  fault_flags: number;
  fault_rows: Uint16Array;
  faults: string[];
  /** Filters that changed the command of this tick: one bit each, and the same as words. */
  filter_bits: number;
  filters: string[];
  /** Control ticks since the guard started; those in which a filter changed the command; those in which the independent check found a limit exceeded; those that were late. */
  ticks: bigint;
  changed_ticks: bigint;
  violations: bigint;
  overruns: bigint;
  /** The least margin of this tick as a share: 1 in the middle of all limits, 0 at one; smallest monitored distance of the robot to walls, keep-out boxes and itself, m (infinite where none is monitored). */
  margin_min: number;
  clearance_m: number;
  /** Largest speed of any monitored point of the arm that is permitted now, m/s: reduced speed, the limit of its file, or less where a person is near; infinite where only its joints' speeds are limited. */
  tool_speed_max_m_per_s: number;
  /** The energy tank: content in J and as a share of what it holds, and energy put into the robot since the guard started, J. All 0 without a tank. */
  tank_energy_j: number;
  tank_level: number;
  tank_injected_j: number;
  /** The stages of the safety chain, in their order; ticks since the guard started in which each changed the command; room that each left in this tick to what it guards, as a share. */
  stages: string[];
  stage_ticks: BigUint64Array;
  stage_margins: Float64Array;
}
export const SafetyState: MessageType<SafetyState> = defineMessage('rein/msg/SafetyState', {
  stamp: Time,
  state: 'string',
  decider: 'string',
  fault_flags: 'uint32',
  fault_rows: 'uint16[]',
  faults: 'string[]',
  filter_bits: 'uint32',
  filters: 'string[]',
  ticks: 'uint64',
  changed_ticks: 'uint64',
  violations: 'uint64',
  overruns: 'uint64',
  margin_min: 'float64',
  clearance_m: 'float64',
  tool_speed_max_m_per_s: 'float64',
  tank_energy_j: 'float64',
  tank_level: 'float64',
  tank_injected_j: 'float64',
  stages: 'string[]',
  stage_ticks: 'uint64[]',
  stage_margins: 'float64[]',
});

/** Activity of the node, for people and for supervising nodes. */
export interface State {
  /** ROS time. */
  stamp: Time;
  /** idle, episode, running, evaluating, stopped or fault. */
  mode: string;
  /** Phase of the episode: a word of the task. */
  phase: string;
  /** Number of the episode, and of the step in it. */
  episode: number;
  step: number;
  /** Decider that moves the robot: policy, script, human, hold or stop. */
  authority: string;
  /** Steps of the environment since the run began; success rate of the last episodes, 0 to 1; successes in an hour of the robot's time, resets included; share of the steps that people or the script decided, 0 to 1; finished episodes. */
  env_steps: bigint;
  success_rate: number;
  successes_per_hour: number;
  human_step_share: number;
  episodes: number;
  /** The learner: connected, connecting, absent or refused; transitions that it has not acknowledged yet. */
  learner: string;
  pending_transitions: bigint;
  /** Joint set-points that the guard commands, rad; pose of the tool in the base frame: x y z in m, qw qx qy qz. */
  reference_rad: Float64Array;
  tcp_pose: Float64Array;
  /** The least safety margin of the last step as a share: 1 in the middle of all limits, 0 at one; content of the energy tank as a share, 0 without one. */
  margin_min: number;
  tank_level: number;
  /** True if the robot is simulated: nothing real moves. */
  simulated: boolean;
}
export const State: MessageType<State> = defineMessage('rein/msg/State', {
  stamp: Time,
  mode: 'string',
  phase: 'string',
  episode: 'uint32',
  step: 'uint32',
  authority: 'string',
  env_steps: 'uint64',
  success_rate: 'float64',
  successes_per_hour: 'float64',
  human_step_share: 'float64',
  episodes: 'uint32',
  learner: 'string',
  pending_transitions: 'uint64',
  reference_rad: 'float64[]',
  tcp_pose: 'float64[]',
  margin_min: 'float64',
  tank_level: 'float64',
  simulated: 'bool',
});

/** Marks the current episode as a success or failure: for tasks whose success a person judges. */
export interface MarkRequest {
  /** SUCCESS or FAILURE. */
  readonly mark: number;
  /** Kept with the episode; may be empty. */
  readonly note: string;
}
export interface MarkAnswer {
  /** False: nothing was marked, and message says why. */
  readonly success: boolean;
  readonly message: string;
}
export const Mark: ServiceType<MarkRequest, MarkAnswer> = { name: 'rein/srv/Mark' };
export const MARK = { SUCCESS: 0, FAILURE: 1 } as const;

/** Puts the simulated robot and the things around it in place. Offered by the executable `sim` only. */
export interface ResetSceneRequest {
  /** Joint positions, rad, in the robot's order; empty: as they are. */
  readonly joints_rad: readonly number[];
  /** Names of things in the scene, and for each x y z in m and yaw in rad, in the base frame. */
  readonly objects: readonly string[];
  readonly poses: readonly number[];
}
export interface ResetSceneAnswer {
  /** False: nothing was moved, and message says why. */
  readonly success: boolean;
  readonly message: string;
}
export const ResetScene: ServiceType<ResetSceneRequest, ResetSceneAnswer> = { name: 'rein/srv/ResetScene' };

/** Writes the policy in use as two files that stand alone: policy.onnx and policy.json. */
export interface SavePolicyRequest {
  /** Folder to write them into, or the path of the policy.onnx in it; relative to where the node was started. Empty: the run's folder. */
  readonly path: string;
}
export interface SavePolicyAnswer {
  /** False: nothing was written, and message says why. */
  readonly success: boolean;
  readonly message: string;
  /** Absolute path of the policy.onnx that was written, on the robot's computer, and the version of its weights. */
  readonly path: string;
  readonly version: bigint;
}
export const SavePolicy: ServiceType<SavePolicyRequest, SavePolicyAnswer> = { name: 'rein/srv/SavePolicy' };

/** Several episodes without exploration, learning or help, to measure the policy. */
export interface EvaluateGoal {
  /** Number of episodes; 0: the task's. */
  readonly episodes: number;
}
export interface EvaluateResult {
  /** Finished episodes; successes among them. */
  readonly episodes: number;
  readonly successes: number;
  /** Success rate, 0 to 1, with its 95 % interval. */
  readonly success_rate: number;
  readonly low: number;
  readonly high: number;
  /** Steps of a mean episode. */
  readonly mean_steps: number;
  /** Successes in an hour of the robot's time, resets included; share of the steps that people or the script decided, 0 to 1. */
  readonly successes_per_hour: number;
  readonly human_step_share: number;
}
export interface EvaluateFeedback {
  /** After each episode. */
  readonly done: number;
  readonly successes: number;
}
export const Evaluate: ActionType<EvaluateGoal, EvaluateFeedback, EvaluateResult> = { name: 'rein/action/Evaluate' };

/** One episode: the robot goes to its start, then works until success, failure, a stop or the limit of steps. */
export interface RunEpisodeGoal {
  /** `training` or `evaluation`. */
  readonly purpose: string;
  /** 0: the task's. */
  readonly max_steps: number;
}
export interface RunEpisodeResult {
  /** Verdict of the task. */
  readonly success: boolean;
  /** All steps, and those in which a person moved the robot. */
  readonly steps: number;
  readonly intervention_steps: number;
  /** Sum of the rewards. */
  readonly episode_return: number;
  /** Cause of its end: a word such as success, timeout, stop or fault. */
  readonly ended_by: string;
}
export interface RunEpisodeFeedback {
  /** After each step: its number, its reward, its decider (policy, script, human, hold or stop), and the filters that changed the command (as in SafetyState). */
  readonly step: number;
  readonly reward: number;
  readonly authority: string;
  readonly filter_bits: number;
}
export const RunEpisode: ActionType<RunEpisodeGoal, RunEpisodeFeedback, RunEpisodeResult> = { name: 'rein/action/RunEpisode' };
