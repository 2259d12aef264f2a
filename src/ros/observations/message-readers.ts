/** From a message to the numbers that an observation takes of it: one reader for each type, as the task's table names them. */
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

/** A type of message with its reader; `T` is known to the two only. */
export interface TopicReader {
  readonly type: MessageType<never>;
  readonly read: Reader<never>;
  /** Bytes of a picture, by which a frozen camera is known. */
  readonly pixels?: (message: never) => Uint8Array;
}

interface Xyz {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Types that are read at once: pictures that come compressed are decoded first. */
type ReadType = Exclude<ObservationType, 'sensor_msgs/msg/CompressedImage'>;

/** The reader of a topic. */
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

/** The parts that the topic asks for, one after the other. */
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

/** w ≥ 0: a turn has one quaternion. */
function wxyz({ x, y, z, w }: Xyz & { readonly w: number }): readonly number[] {
  return w < 0 ? [-w, -x, -y, -z] : [w, x, y, z];
}

/** Joints by name, wherever they stand; messages of other joints are not for us. */
function jointReader({ joints = [], fields }: ObservationTopic): Reader<JointState> {
  const index = joints.map(() => -1);
  return (message, out) => {
    let found = 0;
    for (const [k, name] of joints.entries()) {
      // Publishers keep their order, so it is looked for once.
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
 * Writes the nearest range of each of `out.length` sectors of equal size, m, in the scan's order. Nothing seen, and
 * anything beyond the scanner's reach, is its reach; what is nearer than it can measure is not looked at.
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
      // A NaN is neither.
      if (range >= range_min && range < nearest) nearest = range;
    }
    out[k] = nearest;
  }
  return 'taken';
}
