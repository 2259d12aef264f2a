/**
 * Observations from topics: the topics that a task requests, as data, and the interface that a topic reader implements. The
 * task only knows sizes and indices; the reader judges freshness.
 */
import { z } from 'zod';
import { type Configured, mayDiffer, name, num, whole } from '../schema/index.ts';

/** Message types that an observation may read. */
export type ObservationType =
  | 'sensor_msgs/msg/JointState'
  | 'sensor_msgs/msg/Imu'
  | 'sensor_msgs/msg/LaserScan'
  | 'nav_msgs/msg/Odometry'
  | 'geometry_msgs/msg/WrenchStamped'
  | 'sensor_msgs/msg/Image'
  | 'sensor_msgs/msg/CompressedImage'
  | 'std_msgs/msg/Float64MultiArray'
  | 'std_msgs/msg/Float64';

/** Number of values of a part: fixed, or set by the task. */
type PartSize = number | 'joints' | 'size' | 'pixels' | 'threePixels';

/** Parts of each message type. */
const PARTS: Readonly<Record<ObservationType, Readonly<Record<string, PartSize>>>> = {
  'sensor_msgs/msg/JointState': { position: 'joints', velocity: 'joints', effort: 'joints' },
  'sensor_msgs/msg/Imu': { orientation: 4, angularVelocity: 3, linearAcceleration: 3 },
  'sensor_msgs/msg/LaserScan': { ranges: 'size' },
  'nav_msgs/msg/Odometry': { position: 3, orientation: 4, linear: 3, angular: 3 },
  'geometry_msgs/msg/WrenchStamped': { force: 3, torque: 3 },
  'sensor_msgs/msg/Image': { gray: 'pixels', rgb: 'threePixels' },
  'sensor_msgs/msg/CompressedImage': { gray: 'pixels', rgb: 'threePixels' },
  'std_msgs/msg/Float64MultiArray': { data: 'size' },
  'std_msgs/msg/Float64': { data: 1 },
};

/** All supported message types. */
export const OBSERVATION_TYPES: readonly ObservationType[] = Object.keys(PARTS) as ObservationType[];

/** One topic and the parts read from its messages, in the order of `fields`. */
export const topicSchema = z.strictObject({
  name: name('Name of this part of the observation.'),
  topic: mayDiffer(z.string().min(1).max(255).meta({ description: 'Topic; relative names follow the namespace.' })),
  type: z.enum(OBSERVATION_TYPES as [ObservationType]).meta({ description: 'Type of the messages.' }),
  fields: z.array(z.string()).min(1).max(8).meta({
    unit: '1',
    description:
      'What is taken, in order. JointState: position, velocity, effort; Imu: orientation, angularVelocity, linearAcceleration; LaserScan: ranges; Odometry: position, orientation, linear, angular; WrenchStamped: force, torque; images: gray or rgb; numbers: data.',
  }),
  joints: z
    .array(z.string())
    .min(1)
    .max(64)
    .optional()
    .meta({ unit: '1', description: 'JointState: which joints, in this order.' }),
  size: whole(
    'numbers',
    { min: 1, max: 4096 },
    'LaserScan: so many sectors, the nearest of each. Float64MultiArray: so many numbers.',
  ).optional(),
  widthPx: whole('px', { min: 1, max: 256 }, 'Images: averaged to so many pixels across.').optional(),
  heightPx: whole('px', { min: 1, max: 256 }, 'Images: averaged to so many pixels down.').optional(),
  scale: num(
    'unit',
    { above: 0, max: 1e9 },
    'What is measured is divided by this, so that it comes to about ±1; images are 0 to 1 before.',
  ).default(1),
  freshnessMs: mayDiffer(
    num('ms', { above: 0, max: 10_000 }, 'Older values are not acted on: the robot holds.').default(200),
  ),
});

export type ObservationTopic = Configured<typeof topicSchema>;

/** Reason why an observation may not be acted on, for events and diagnostics. */
export interface ObservationProblem {
  /** Row of the fault table. */
  readonly row: number;
  readonly message: string;
  readonly remedy: string;
}

/** The newest values of one topic. */
export interface ObservationSource {
  readonly name: string;
  readonly size: number;
  /** Writes the newest values ([size], scaled) at `offset` of `out`; zeros before the first. No allocation. */
  fill(out: Float32Array, offset: number): void;
  /** Age of the newest values, ms; Infinity before the first. `nowS`: the machine's monotonic clock. */
  ageMs(nowS: number): number;
  /** Reasons why the policy must not act at `nowS`; empty if there are none. */
  problems(nowS: number): readonly ObservationProblem[];
}

/** Names of the parts of messages of `type`. */
export function partsOf(type: ObservationType): readonly string[] {
  return Object.keys(PARTS[type]);
}

/** Number of values of `topic`, or a sentence (without its full stop) that states the problem with it. */
export function topicSize(topic: ObservationTopic): number | string {
  const parts = PARTS[topic.type];
  let size = 0;
  for (const field of topic.fields) {
    const part = parts[field];
    if (part === undefined) return `${topic.type} has no "${field}", it has ${partsOf(topic.type).join(', ')}`;
    const count = typeof part === 'number' ? part : countOf(topic, part);
    if (typeof count === 'string') return count;
    size += count;
  }
  return size;
}

function countOf(topic: ObservationTopic, part: Exclude<PartSize, number>): number | string {
  if (part === 'joints') return topic.joints?.length || `${topic.type} needs "joints", a list of joint names`;
  if (part === 'size') return topic.size ?? `${topic.type} needs "size", how many numbers are taken`;
  const { widthPx, heightPx } = topic;
  if (widthPx === undefined || heightPx === undefined) return `${topic.type} needs "widthPx" and "heightPx"`;
  return widthPx * heightPx * (part === 'pixels' ? 1 : 3);
}
