/** Readers from messages to observation values: one per type, as named in the task's table. */
import type { ObservationTopic, ObservationType } from '../../tasks/index.ts';
import {
  Float64,
  Float64MultiArray,
  Image,
  Imu,
  JointState,
  LaserScan,
  Odometry,
  WrenchStamped,
} from '../messages/definitions.ts';
import type { MessageType } from '../messages/message-type.ts';
import { type ReadResult, readImage } from './image-reader.ts';

/** Writes the numbers of `message`, unscaled, into `out` ([size]). Keeps nothing of it. */
export type Reader<T> = (message: T, out: Float32Array) => ReadResult;

/** Message type with its reader; `T` is private to both. */
export interface TopicReader {
  readonly type: MessageType<never>;
  readonly read: Reader<never>;
  /** Image bytes, by which a frozen camera is detected. */
  readonly pixels?: (message: never) => Uint8Array;
}

interface Xyz {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Types read directly: compressed images are decoded first. */
type ReadType = Exclude<ObservationType, 'sensor_msgs/msg/CompressedImage'>;

/** Reader of a topic. */
export function readerOf(topic: ObservationTopic & { readonly type: ReadType }): TopicReader {
  return READERS[topic.type](topic);
}

const READERS: Readonly<Record<ReadType, (topic: ObservationTopic) => TopicReader>> = {
  'sensor_msgs/msg/JointState': (topic) => pair(JointState, jointReader(topic)),
  'sensor_msgs/msg/Imu': (topic) =>
    pair<Imu>(Imu, (message, out) => {
      if (topic.fields.includes('orientation') && message.orientation_covariance[0] === -1) {
        return { malformed: 'the orientation is not measured (its covariance begins with -1)' };
      }
      return fill(out, topic, {
        orientation: () => wxyz(message.orientation),
        angularVelocity: () => xyz(message.angular_velocity),
        linearAcceleration: () => xyz(message.linear_acceleration),
      });
    }),
  'sensor_msgs/msg/Image': (topic) => ({
    ...pair<Image>(Image, (image, out) => readImage(image, topic, out)),
    pixels: ({ data }: Image) => data,
  }),
  'sensor_msgs/msg/LaserScan': () => pair(LaserScan, readScan),
  'nav_msgs/msg/Odometry': (topic) =>
    pair<Odometry>(Odometry, (message, out) =>
      fill(out, topic, {
        position: () => xyz(message.pose.pose.position),
        orientation: () => wxyz(message.pose.pose.orientation),
        linear: () => xyz(message.twist.twist.linear),
        angular: () => xyz(message.twist.twist.angular),
      }),
    ),
  'geometry_msgs/msg/WrenchStamped': (topic) =>
    pair<WrenchStamped>(WrenchStamped, ({ wrench }, out) =>
      fill(out, topic, { force: () => xyz(wrench.force), torque: () => xyz(wrench.torque) }),
    ),
  'std_msgs/msg/Float64MultiArray': () =>
    pair<Float64MultiArray>(Float64MultiArray, ({ data }, out) => {
      if (data.length !== out.length)
        return { malformed: `it has ${data.length} numbers, ${out.length} are asked for` };
      out.set(data);
      return 'taken';
    }),
  'std_msgs/msg/Float64': () =>
    pair<Float64>(Float64, ({ data }, out) => {
      out[0] = data;
      return 'taken';
    }),
};

function pair<T>(type: MessageType<T>, read: Reader<T>): TopicReader {
  return { type: type as unknown as MessageType<never>, read: read as unknown as Reader<never> };
}

/** Writes the requested fields, in order. */
function fill(
  out: Float32Array,
  topic: ObservationTopic,
  parts: Readonly<Record<string, () => readonly number[]>>,
): ReadResult {
  let at = 0;
  for (const field of topic.fields) {
    for (const value of parts[field]?.() ?? []) out[at++] = value;
  }
  return 'taken';
}

function xyz({ x, y, z }: Xyz): readonly number[] {
  return [x, y, z];
}

/** w ≥ 0: makes the quaternion of a rotation unique. */
function wxyz({ x, y, z, w }: Xyz & { readonly w: number }): readonly number[] {
  return w < 0 ? [-w, -x, -y, -z] : [w, x, y, z];
}

/** Reads joints by name, at any index; messages of other joints are ignored. */
function jointReader({ joints = [], fields }: ObservationTopic): Reader<JointState> {
  const index = joints.map(() => -1);
  return (message, out) => {
    let found = 0;
    for (const [k, name] of joints.entries()) {
      // Publishers keep their order, so it is searched once.
      if (message.name[index[k]!] !== name) index[k] = message.name.indexOf(name);
      if (index[k]! >= 0) found++;
    }
    if (found === 0) return 'ignored';
    if (found < joints.length) {
      return { malformed: `it has no joint ${joints.filter((_, k) => index[k]! < 0).join(', ')}` };
    }
    let at = 0;
    for (const field of fields) {
      const values = message[field as 'position' | 'velocity' | 'effort'];
      if (values.length !== message.name.length) return { malformed: `it has no ${field}` };
      for (const i of index) out[at++] = values[i]!;
    }
    return 'taken';
  };
}

/**
 * Writes the nearest range of each of `out.length` equal sectors, m, in the scan's order. No return, and anything
 * beyond the scanner's range, counts as that range; returns below its minimum are ignored.
 */
function readScan({ ranges, range_min, range_max }: LaserScan, out: Float32Array): ReadResult {
  const sectors = out.length;
  if (ranges.length < sectors) return { malformed: `it has ${ranges.length} ranges, ${sectors} are asked for` };
  if (!(range_max > 0) || !Number.isFinite(range_max)) return { malformed: `its range_max is ${range_max}` };
  for (let k = 0; k < sectors; k++) {
    const end = Math.floor(((k + 1) * ranges.length) / sectors);
    let nearest = range_max;
    for (let i = Math.floor((k * ranges.length) / sectors); i < end; i++) {
      const range = ranges[i]!;
      // NaN fails both comparisons.
      if (range >= range_min && range < nearest) nearest = range;
    }
    out[k] = nearest;
  }
  return 'taken';
}
