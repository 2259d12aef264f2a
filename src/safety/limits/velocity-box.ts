/** Fits a joint velocity into a box, keeping its direction where possible. */

export type BoxFit = 'unchanged' | 'scaled' | 'clipped';

/** Changes below this are rounding, rad/s. */
export const ROUNDING_RAD_PER_S: number = 1e-12;

/**
 * Changes `velocity` (n) in place so that `low[i]` ≤ velocity[i] ≤ `high[i]`: by the largest common factor in [0, 1]
 * where one fits, else joint by joint. Units rad/s; low ≤ high and all finite. Tick-safe.
 */
export function fitIntoBox(velocity: Float64Array, low: Float64Array, high: Float64Array): BoxFit {
  let smallest = 0;
  let largest = 1;
  let isInside = true;
  for (let i = 0; i < velocity.length; i++) {
    const u = velocity[i]!;
    const near = u > 0 ? high[i]! : low[i]!;
    const far = u > 0 ? low[i]! : high[i]!;
    if (u > high[i]! + ROUNDING_RAD_PER_S || u < low[i]! - ROUNDING_RAD_PER_S) isInside = false;
    if (u !== 0) {
      largest = Math.min(largest, near / u);
      smallest = Math.max(smallest, far / u);
    } else if (low[i]! > 0 || high[i]! < 0) {
      largest = -1;
    }
  }
  if (!isInside && smallest <= largest) {
    for (let i = 0; i < velocity.length; i++) velocity[i] = velocity[i]! * largest;
  }
  // Also after scaling: the product may be one rounding outside.
  for (let i = 0; i < velocity.length; i++) {
    velocity[i] = Math.min(Math.max(velocity[i]!, low[i]!), high[i]!);
  }
  if (isInside) return 'unchanged';
  return smallest <= largest ? 'scaled' : 'clipped';
}
