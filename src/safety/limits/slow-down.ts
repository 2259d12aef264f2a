/** Less than full speed, while something is wrong that needs no stop. */
import type { RobotModel } from '../../core/index.ts';
import { VELOCITY_LIMITED } from '../bits.ts';

/**
 * Scales `velocity` (n, rad/s) in place so that no joint exceeds `ratio` of its highest speed; its direction is kept. From 1 on
 * nothing is done: full speed is the limiter's affair, as is how fast the robot slows down; it comes after. 0 or less, or
 * no number, asks for standstill. Returns reason bits. Tick-safe.
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
