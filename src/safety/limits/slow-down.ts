/** Reduced speed while a fault is present that needs no stop. */
import type { RobotModel } from '../../model/index.ts';
import { VELOCITY_LIMITED } from '../bits.ts';

/**
 * Scales `velocity` (n, rad/s) in place so that no joint exceeds `ratio` of its highest speed; its direction is kept. A
 * `ratio` of 1 or more changes nothing: the limiter, which comes after, enforces full speed and the deceleration. 0 or
 * less, or NaN, requests standstill. Returns reason bits. Tick-safe.
 */
export function slowDown(velocity: Float64Array, model: RobotModel, ratio: number): number {
  if (ratio >= 1) return 0;
  if (!(ratio > 0)) {
    velocity.fill(0);
    return VELOCITY_LIMITED;
  }
  let beyond = 1;
  for (let i = 0; i < velocity.length; i++) {
    beyond = Math.max(beyond, Math.abs(velocity[i]!) / (ratio * model.joints[i]!.velocityMaxRadPerS));
  }
  if (beyond === 1) return 0;
  for (let i = 0; i < velocity.length; i++) velocity[i] = velocity[i]! / beyond;
  return VELOCITY_LIMITED;
}
