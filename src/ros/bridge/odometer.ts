/** Poses of odometry as ways along a base's own axes, which go on and on: what the safety chain calls its axes. */
import { wrapAngleRad } from '../../core/index.ts';

export class Odometer {
  #last: { readonly x: number; readonly y: number; readonly yawRad: number } | undefined;
  #ahead = 0;
  #left = 0;
  #yawRad = 0;
  #isKnown = true;

  /** Takes the next pose: m, m, rad. The first is where the ways begin. One that is no number is left out when the next comes. */
  advance(x: number, y: number, yawRad: number): void {
    const last = this.#last;
    this.#isKnown = Number.isFinite(x + y + yawRad);
    if (!this.#isKnown) return;
    this.#last = { x, y, yawRad };
    if (last === undefined) return;
    const turnedRad = wrapAngleRad(yawRad - last.yawRad);
    // Between two poses the base looks, on the average, in the middle direction.
    const headingRad = last.yawRad + turnedRad / 2;
    const c = Math.cos(headingRad);
    const s = Math.sin(headingRad);
    this.#ahead += c * (x - last.x) + s * (y - last.y);
    this.#left += c * (y - last.y) - s * (x - last.x);
    this.#yawRad += turnedRad;
  }

  /** How far it has gone along `axis`: x (m), y (m) or yaw (rad); 0 along others. NaN where the newest pose is no number. */
  way(axis: string): number {
    if (!this.#isKnown) return Number.NaN;
    return axis === 'x' ? this.#ahead : axis === 'y' ? this.#left : axis === 'yaw' ? this.#yawRad : 0;
  }
}
