/** Plausibility and error of a robot's readings. */
import { allFinite, encoderNoiseOf, type RobotModel } from '../../model/index.ts';

/** A reading farther out than this is invalid: its squares would be unusable. */
const FARTHEST_RAD = 1e6;

/** Speed below which a joint counts as standing, rad/s. */
export const STILL_RAD_PER_S = 0.01;

/**
 * A damper is credited over a window of readings, both ends of which may be off: the window ends once the joint has
 * moved by this multiple of a reading's noise, so that 7/8 of its path are certain, or else after this time, s: a
 * nanosecond less than 0.1, as ten ticks of 10 ms add up to a little more or less, and must end it all the same.
 */
export const SURE_NOISES = 16;
export const WINDOW_S: number = 0.1 - 1e-9;

/** [n] largest error of each joint's reading, rad. Throws `RangeError` for a robot with a tank whose model does not specify it. */
export function noiseOf(model: RobotModel): Float64Array {
  return Float64Array.from(model.joints, (joint) => {
    const { name, encoderNoiseRad } = joint;
    if (encoderNoiseRad === undefined ? model.tank === undefined : encoderNoiseRad >= 0) return encoderNoiseOf(joint);
    throw new RangeError(`a tank needs encoderNoiseRad ≥ 0 of ${name}, got ${encoderNoiseRad}`);
  });
}

/** True if `positionRad` is a plausible reading of `joints` joints. Tick-safe. */
export function isPlausible(positionRad: ArrayLike<number>, joints: number): boolean {
  if (positionRad.length !== joints || !allFinite(positionRad)) return false;
  for (let i = 0; i < joints; i++) if (Math.abs(positionRad[i]!) > FARTHEST_RAD) return false;
  return true;
}

/** True if all of `speeds` are 0. Tick-safe. */
export function isStill(speeds: ArrayLike<number>): boolean {
  for (let i = 0; i < speeds.length; i++) if (speeds[i] !== 0) return false;
  return true;
}
