/** ROS time: nanoseconds since the clock's epoch, and its message form. */
import type { Time } from './definitions.ts';

const NS_PER_S = 1_000_000_000n;

/** Writes `ns` into `out`. */
export function setTime(out: Time, ns: bigint): void {
  out.sec = Number(ns / NS_PER_S);
  out.nanosec = Number(ns % NS_PER_S);
}

export function nanosecondsOf({ sec, nanosec }: Readonly<Time>): bigint {
  return BigInt(sec) * NS_PER_S + BigInt(nanosec);
}

/** Seconds, to double precision: for durations and ages. */
export function secondsOf({ sec, nanosec }: Readonly<Time>): number {
  return sec + nanosec * 1e-9;
}

/** True for a stamp that is set: zero means "now", or nothing at all. */
export function isSet({ sec, nanosec }: Readonly<Time>): boolean {
  return sec !== 0 || nanosec !== 0;
}
