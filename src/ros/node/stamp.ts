/** ROS time as messages carry it. */
import type { Time } from '../messages/definitions.ts';
import type { RosClock } from '../port/ros-port.ts';

const NS_PER_S = 1_000_000_000n;

/** Writes the time of `clock` into `out`. */
export function stamp(clock: RosClock, out: Time): void {
  const nowNs = clock.nowNs();
  out.sec = Number(nowNs / NS_PER_S);
  out.nanosec = Number(nowNs % NS_PER_S);
}

/** Seconds, for ages; as exact as a double is. */
export function secondsOf({ sec, nanosec }: Time): number {
  return sec + nanosec * 1e-9;
}
