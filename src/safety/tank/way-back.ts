/** How a reference gets back to a place that it was ahead of. */
import type { RobotModel } from '../../core/index.ts';
import { brakeBound } from '../limits/index.ts';

/**
 * Writes into `velocity` (n, rad/s) the way from `fromRad` to `toRad` (n) in a tick of `tickS`: straight, no faster than the
 * joints may and than leaves room to stop, later ticks being no shorter than `shortestS`. 0 where they are the same. The
 * limits and the shield come after it, as after any command. Tick-safe.
 */
export function writeWayBack(
  velocity: Float64Array,
  model: RobotModel,
  fromRad: ArrayLike<number>,
  toRad: ArrayLike<number>,
  tickS: number,
  shortestS: number,
): void {
  let rate = Number.POSITIVE_INFINITY;
  let speed = 1 / tickS;
  for (let i = 0; i < velocity.length; i++) {
    const { accelMaxRadPerS2, velocityMaxRadPerS } = model.joints[i]!;
    const way = toRad[i]! - fromRad[i]!;
    velocity[i] = way;
    if (way === 0) continue;
    rate = Math.min(rate, accelMaxRadPerS2 / Math.abs(way));
    speed = Math.min(speed, velocityMaxRadPerS / Math.abs(way));
  }
  // The whole way is 1. Its last piece, which the bound would leave, is so short that any tick can begin and end it.
  const isLast = rate * shortestS * shortestS >= 8;
  if (!isLast) speed = Math.min(speed, brakeBound(1, rate, tickS, shortestS));
  for (let i = 0; i < velocity.length; i++) velocity[i] = velocity[i]! * speed;
}
