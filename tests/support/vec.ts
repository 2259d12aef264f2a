import type { Unit, Vec } from '../../src/model/units.ts';

/**
 * A copy of `values` as a vector of the unit `U`. Throws `RangeError` when `length` is given and does not
 * match, or when a value is not finite.
 */
export function vec<U extends Unit>(values: ArrayLike<number>, length?: number): Vec<U> {
  if (length !== undefined && values.length !== length) {
    throw new RangeError(`expected ${length} values, got ${values.length}`);
  }
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) throw new RangeError(`value ${i} is ${values[i]}, not finite`);
  }
  return Float64Array.from(values) as Vec<U>;
}
