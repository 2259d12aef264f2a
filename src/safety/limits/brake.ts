/**
 * The brake manoeuvre that everything falls back to: all joints slow by one common factor, so that the reference stays
 * on the straight line (in joint space) that it is on, and no joint decelerates by more than it may.
 */
import type { RobotModel } from '../../core/index.ts';

/** By how much the common factor may fall in a second: min over joints of A_i/|v_i|; Infinity at rest. Tick-safe. */
export function brakeRate(model: RobotModel, velocity: Float64Array): number {
  let rate = Number.POSITIVE_INFINITY;
  for (let i = 0; i < velocity.length; i++) {
    const speed = Math.abs(velocity[i]!);
    if (speed > 0) rate = Math.min(rate, model.joints[i]!.accelMaxRadPerS2 / speed);
  }
  return rate;
}

/** Writes into `out` the velocity (n, rad/s) of the next brake tick of `dtS` after `velocity`. Tick-safe. */
export function brakeStep(out: Float64Array, model: RobotModel, velocity: Float64Array, dtS: number): void {
  const factor = Math.max(0, 1 - brakeRate(model, velocity) * dtS);
  // At rest the rate is infinite and the factor 0.
  for (let i = 0; i < velocity.length; i++) out[i] = factor * velocity[i]!;
}

/**
 * How far along `velocity`, in seconds of it, the reference can get: one tick of `dtS`, then the brake in ticks of any
 * length. Later brake ticks are a lower sum of the ramp from 1 to 0, hence at most 1/(2·rate). Tick-safe.
 */
export function brakePathS(model: RobotModel, velocity: Float64Array, dtS: number): number {
  return dtS + 1 / (2 * brakeRate(model, velocity));
}
