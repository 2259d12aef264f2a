/** sensor_msgs: what a robot measures, and the joystick. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';
import { Quaternion, Vector3 } from './geometry-msgs.ts';
import { Header } from './std-msgs.ts';

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
export const JointState: MessageType<JointState> = defineMessage<JointState>('sensor_msgs/msg/JointState', {
  header: Header,
  name: 'string[]',
  position: 'float64[]',
  velocity: 'float64[]',
  effort: 'float64[]',
});

export interface Imu {
  header: Header;
  orientation: Quaternion;
  /** Each 3 × 3, row by row; a first element of -1 says that the value is not measured. */
  orientation_covariance: Float64Array;
  /** rad/s. */
  angular_velocity: Vector3;
  angular_velocity_covariance: Float64Array;
  /** m/s². */
  linear_acceleration: Vector3;
  linear_acceleration_covariance: Float64Array;
}
export const Imu: MessageType<Imu> = defineMessage<Imu>('sensor_msgs/msg/Imu', {
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
  /** m. What lies outside these two is to be thrown away. */
  range_min: number;
  range_max: number;
  ranges: Float32Array;
  intensities: Float32Array;
}
export const LaserScan: MessageType<LaserScan> = defineMessage<LaserScan>('sensor_msgs/msg/LaserScan', {
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
export const Image: MessageType<Image> = defineMessage<Image>('sensor_msgs/msg/Image', {
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
  /** `jpeg`, `png`, and what more the transport plugin says. */
  format: string;
  data: Uint8Array;
}
export const CompressedImage: MessageType<CompressedImage> = defineMessage<CompressedImage>(
  'sensor_msgs/msg/CompressedImage',
  { header: Header, format: 'string', data: 'uint8[]' },
);

export interface Joy {
  header: Header;
  /** Each -1 … 1. */
  axes: Float32Array;
  /** 0 or 1. */
  buttons: Int32Array;
}
export const Joy: MessageType<Joy> = defineMessage<Joy>('sensor_msgs/msg/Joy', {
  header: Header,
  axes: 'float32[]',
  buttons: 'int32[]',
});

export interface BatteryState {
  header: Header;
  /** V. What is not measured is NaN, here and below. */
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
export const BatteryState: MessageType<BatteryState> = defineMessage<BatteryState>('sensor_msgs/msg/BatteryState', {
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
