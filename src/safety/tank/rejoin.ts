/** Motion of a reference back to the set-point that it was ahead of. */
import type { RobotModel } from '../../model/index.ts';
import type { BrakeBound } from '../limits/brake-bound.ts';
import { PERIOD, type TickTimes } from '../tick-times.ts';

/** [1] the whole path; its acceleration, 1/s²; and its largest speed, 1/s. In arrays: see `TickTimes`. */
const whole: Float64Array = Float64Array.of(1);
const accel = new Float64Array(1);
const most = new Float64Array(1);

/**
 * Writes the rejoining motion from `fromRad` to `toRad` (n) in a tick of `times` into `velocity` (n, rad/s): straight,
 * within the joints' speed limits, and able to stop by `bound`. 0 where they are the same. The limits and the shield
 * come after it, as after any command. Tick-safe.
 */
export function writeRejoin(
  velocity: Float64Array,
  model: RobotModel,
  fromRad: ArrayLike<number>,
  toRad: ArrayLike<number>,
  times: TickTimes,
  bound: BrakeBound,
): void {
  let rate = Number.POSITIVE_INFINITY;
  let speed = 1 / times[PERIOD]!;
  for (let i = 0; i < velocity.length; i++) {
    const { accelMaxRadPerS2, velocityMaxRadPerS } = model.joints[i]!;
    const way = toRad[i]! - fromRad[i]!;
    velocity[i] = way;
    if (way === 0) continue;
    rate = Math.min(rate, accelMaxRadPerS2 / Math.abs(way));
    speed = Math.min(speed, velocityMaxRadPerS / Math.abs(way));
  }
  // The whole path is 1. Its last piece, which the bound would leave, is so short that any tick can begin and end it.
  const isLast = rate * bound.shortestS * bound.shortestS >= 8;
  if (!isLast) {
    accel[0] = rate;
    bound.writeSpeeds(most, whole, accel, times);
    speed = Math.min(speed, most[0]!);
  }
  for (let i = 0; i < velocity.length; i++) velocity[i] = velocity[i]! * speed;
}
