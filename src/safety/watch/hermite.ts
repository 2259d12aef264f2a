/** Cubic interpolation of a joint between two readings of position and velocity. Tick-safe. */

/** Returns the position at the share `at` of the `dtS` between two readings. */
export function hermite(from: number, to: number, fromSpeed: number, toSpeed: number, at: number, dtS: number): number {
  const s = at;
  const rest = 1 - s;
  return rest * rest * ((1 + 2 * s) * from + s * dtS * fromSpeed) + s * s * ((3 - 2 * s) * to - rest * dtS * toSpeed);
}

/** Returns the mean position over the last `windowS` ≤ `dtS` before the newer reading; that reading if the window is 0. */
export function hermiteMean(
  from: number,
  to: number,
  fromSpeed: number,
  toSpeed: number,
  windowS: number,
  dtS: number,
): number {
  if (!(windowS > 0)) return to;
  // Simpson's rule is exact for a cubic.
  const begin = hermite(from, to, fromSpeed, toSpeed, 1 - windowS / dtS, dtS);
  const middle = hermite(from, to, fromSpeed, toSpeed, 1 - windowS / (2 * dtS), dtS);
  return (begin + 4 * middle + to) / 6;
}
