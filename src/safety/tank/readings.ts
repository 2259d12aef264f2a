/** What can be made of numbers that come from a robot. */
import { allFinite, encoderNoiseOf, type RobotModel } from '../../core/index.ts';

/** A reading farther out than this is none: its squares would not be. */
const FARTHEST_RAD = 1e6;

/** A joint that moves slower than this stands, rad/s. */
export const STILL_RAD_PER_S = 0.01;

/**
 * A damper is credited over a window of readings, of which both ends may be off: by so many times the noise of one reading
 * does the joint get farther, and 7/8 of its path are sure, before the window ends. Else it ends after this time, s: a
 * nanosecond less than 0.1, as ten ticks of 10 ms add up to a little more or less, and must end it all the same.
 */
export const SURE_NOISES = 16;
export const WINDOW_S: number = 0.1 - 1e-9;

/** [n] most by which a reading of each joint is off, rad. Throws `RangeError` for a robot with a tank that does not say so. */
export function noiseOf(model: RobotModel): Float64Array {
  return Float64Array.from(model.joints, (joint) => {
    const { name, encoderNoiseRad } = joint;
    if (encoderNoiseRad === undefined ? model.tank === undefined : encoderNoiseRad >= 0) return encoderNoiseOf(joint);
    throw new RangeError(`a tank needs encoderNoiseRad ≥ 0 of ${name}, got ${encoderNoiseRad}`);
  });
}

/** Whether `positionRad` can be where `joints` joints are. Tick-safe. */
export function isPlausible(positionRad: ArrayLike<number>, joints: number): boolean {
  if (positionRad.length !== joints || !allFinite(positionRad)) return false;
  for (let i = 0; i < joints; i++) if (Math.abs(positionRad[i]!) > FARTHEST_RAD) return false;
  return true;
}

/** Whether none of `speeds` is anything but 0. Tick-safe. */
export function isStill(speeds: ArrayLike<number>): boolean {
  for (let i = 0; i < speeds.length; i++) if (speeds[i] !== 0) return false;
  return true;
}
