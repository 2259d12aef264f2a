/** What can be made of numbers that come from a robot. */
import { allFinite } from '../../core/index.ts';

/** A reading farther out than this is none: its squares would not be. */
const FARTHEST_RAD = 1e6;

/** A joint that moves slower than this stands, rad/s. */
export const STILL_RAD_PER_S = 0.01;

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
