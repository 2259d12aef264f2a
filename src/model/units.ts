/**
 * Units as types. A vector carries its unit in its type, so that a velocity cannot be passed for a position; a scalar carries
 * its unit as a suffix of its name (`timeoutMs`).
 */

/** Units that vectors in this code base carry. */
export type Unit = 'rad' | 'rad/s' | 'rad/s^2' | 'N*m' | 'normalised' | 'm' | 'N';

declare const unitBrand: unique symbol;

/** A `Float64Array` whose elements all have the unit `U`. The brand has no run-time cost. */
export type Vec<U extends Unit> = Float64Array & { readonly [unitBrand]: U };

/** Nanoseconds of the machine's monotonic clock. Comparable between processes of one machine, not across machines. */
export type MonotonicNs = bigint & { readonly __clock: 'monotonic' };

/** A new zero vector of `length` elements. Allocates: not for the tick path. */
export function zeros<U extends Unit>(length: number): Vec<U> {
  return new Float64Array(length) as Vec<U>;
}

/** Limits `value` to `[low, high]`. NaN stays NaN: callers on the command path reject it before. Tick-safe. */
export function clamp(value: number, low: number, high: number): number {
  if (value < low) return low;
  return value > high ? high : value;
}

/** True if every element is finite. Tick-safe. */
export function allFinite(values: ArrayLike<number>): boolean {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) return false;
  }
  return true;
}

/** Standard gravity, rounded as in robot models, m/s². */
export const GRAVITY_M_PER_S2 = 9.81;

/** The angle in (−π, π] that is equal to `angleRad` modulo 2π. Tick-safe. */
export function wrapAngleRad(angleRad: number): number {
  const turns = Math.round(angleRad / (2 * Math.PI));
  const wrapped = angleRad - turns * 2 * Math.PI;
  return wrapped <= -Math.PI ? Math.PI : wrapped;
}
