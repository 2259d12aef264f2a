/**
 * The fallback brake manoeuvre: all joints slow by one common factor, so that the reference stays on its straight line
 * in joint space, and no joint exceeds its deceleration limit.
 */
import type { RobotModel } from '../../model/index.ts';
import { PERIOD, type TickTimes } from '../tick-times.ts';

/** [1] scratch: brake rate of the velocity under test, 1/s. In an array: see `TickTimes`. */
const rate = new Float64Array(1);

/**
 * Writes the rate at which the common factor may fall into `out[0]`, 1/s: min over joints of A_i/|v_i|; Infinity at
 * rest. Tick-safe.
 */
export function writeBrakeRate(out: Float64Array, model: RobotModel, velocity: Float64Array): void {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < velocity.length; i++) {
    const speed = Math.abs(velocity[i]!);
    if (speed > 0) least = Math.min(least, model.joints[i]!.accelMaxRadPerS2 / speed);
  }
  out[0] = least;
}

/** Writes the velocity (n, rad/s) of the next brake tick of `times` after `velocity` into `out`. Tick-safe. */
export function brakeStep(out: Float64Array, model: RobotModel, velocity: Float64Array, times: TickTimes): void {
  writeBrakeRate(rate, model, velocity);
  const factor = Math.max(0, 1 - rate[0]! * times[PERIOD]!);
  // At rest the rate is infinite and the factor 0.
  for (let i = 0; i < velocity.length; i++) out[i] = factor * velocity[i]!;
}

/**
 * Writes the largest displacement of the reference with `velocity` (n, rad/s) into `pathRad` (n): one tick of `times`,
 * then the brake in ticks of any length. Later brake ticks are a lower sum of the ramp from 1 to 0, hence at most
 * 1/(2·rate). Tick-safe.
 */
export function writeBrakePath(
  pathRad: Float64Array,
  model: RobotModel,
  velocity: Float64Array,
  times: TickTimes,
): void {
  writeBrakeRate(rate, model, velocity);
  const lengthS = times[PERIOD]! + 1 / (2 * rate[0]!);
  for (let i = 0; i < velocity.length; i++) pathRad[i] = velocity[i]! * lengthS;
}
