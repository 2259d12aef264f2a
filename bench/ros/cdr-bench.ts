/** Cost of the codec: time and garbage for each message, encoded and decoded as by a publisher and a reader. */

import { quantile } from '../../src/model/index.ts';
import { createCdrBuffer } from '../../src/ros/messages/cdr-bytes.ts';
import {
  CompressedImage,
  Float64MultiArray,
  JointState,
  JointTrajectory,
  Joy,
  LaserScan,
  TwistStamped,
} from '../../src/ros/messages/definitions.ts';
import type { MessageType } from '../../src/ros/messages/message-type.ts';

export interface CdrBenchCase {
  /** Type and size. */
  readonly name: string;
  readonly messageBytes: number;
  /** Median of batches, ns per message. */
  readonly encodeNs: number;
  readonly decodeNs: number;
  /** Garbage, bytes per message: median of batches. */
  readonly encodeGarbageBytes: number;
  readonly decodeGarbageBytes: number;
}

export interface CdrBenchResult {
  readonly secondsPerCase: number;
  readonly cases: readonly CdrBenchCase[];
}

/** Messages in a batch: so few that garbage of one batch seldom meets a collection. */
const BATCH = 1000;
/** Batches until the compiler has optimized the code. */
const WARM_UP_BATCHES = 20;

/** Measures for `secondsPerCase` each, with messages of a robot with six joints. */
export function benchCdr(secondsPerCase: number): CdrBenchResult {
  return { secondsPerCase, cases: messages().map(([name, type, message]) => one(name, type, message, secondsPerCase)) };
}

export function formatCdrBench({ cases }: CdrBenchResult): string {
  const head = 'message                          bytes   encode ns   decode ns   garbage of encode   of decode, bytes';
  const rows = cases.map(
    (one) =>
      one.name.padEnd(30) +
      one.messageBytes.toString().padStart(8) +
      one.encodeNs.toFixed(0).padStart(12) +
      one.decodeNs.toFixed(0).padStart(12) +
      one.encodeGarbageBytes.toFixed(1).padStart(20) +
      one.decodeGarbageBytes.toFixed(1).padStart(12),
  );
  return [head, ...rows].join('\n');
}

function one(name: string, type: MessageType<unknown>, message: unknown, seconds: number): CdrBenchCase {
  const into = createCdrBuffer();
  const messageBytes = type.encode(message, into);
  const sent = Buffer.from(into.bytes.subarray(0, messageBytes));
  const out = type.create();
  const encode = batches(() => type.encode(message, into), seconds / 2);
  const decode = batches(() => type.decode(sent, out), seconds / 2);
  return {
    name,
    messageBytes,
    encodeNs: encode.ns,
    decodeNs: decode.ns,
    encodeGarbageBytes: encode.garbage,
    decodeGarbageBytes: decode.garbage,
  };
}

function batches(action: () => void, seconds: number): { ns: number; garbage: number } {
  for (let k = 0; k < WARM_UP_BATCHES; k++) batch(action);
  const ns: number[] = [];
  const garbage: number[] = [];
  const end = performance.now() + 1000 * seconds;
  do {
    const before = process.memoryUsage().heapUsed;
    ns.push(batch(action));
    const grown = process.memoryUsage().heapUsed - before;
    // Negative if a collection came in between: that batch is discarded.
    if (grown >= 0) garbage.push(grown / BATCH);
  } while (performance.now() < end);
  return { ns: quantile(ns, 0.5), garbage: quantile(garbage, 0.5) };
}

/** Nanoseconds per action. */
function batch(action: () => void): number {
  const start = process.hrtime.bigint();
  for (let k = 0; k < BATCH; k++) action();
  return Number(process.hrtime.bigint() - start) / BATCH;
}

function messages(): [name: string, type: MessageType<unknown>, message: unknown][] {
  const names = ['shoulder_pan', 'shoulder_lift', 'elbow', 'wrist_1', 'wrist_2', 'wrist_3'];
  const six = (): Float64Array => Float64Array.from({ length: 6 }, (_, i) => 0.1 * i);
  const header = { stamp: { sec: 1_750_000_000, nanosec: 123_456_789 }, frame_id: 'base_link' };
  const joints: JointState = { header, name: names, position: six(), velocity: six(), effort: six() };
  const trajectory = JointTrajectory.create();
  trajectory.joint_names = names;
  const time = { sec: 0, nanosec: 20_000_000 };
  const none = new Float64Array(0);
  trajectory.points = [
    { positions: six(), velocities: six(), accelerations: none, effort: none, time_from_start: time },
  ];
  const twist = { linear: { x: 0.1, y: 0.2, z: 0.3 }, angular: { x: 0.4, y: 0.5, z: 0.6 } };
  const joy: Joy = { header, axes: new Float32Array(8).fill(0.25), buttons: new Int32Array(12) };
  return [
    ['JointState, 6 joints', JointState, joints],
    ['Float64MultiArray, 6', Float64MultiArray, { ...Float64MultiArray.create(), data: six() }],
    ['JointTrajectory, 6 joints', JointTrajectory, trajectory],
    ['TwistStamped', TwistStamped, { header, twist }],
    ['Joy, 8 axes, 12 buttons', Joy, joy],
    ['LaserScan, 720', LaserScan, { ...LaserScan.create(), header, ranges: new Float32Array(720).fill(1.5) }],
    ['CompressedImage, 100 kB', CompressedImage, { header, format: 'jpeg', data: new Uint8Array(100_000) }],
  ];
}
