/**
 * Intervals over seeds. Five runs are too few for a bootstrap, whose intervals are then too narrow: Student's t for a mean and for paired
 * differences, Welch's for a difference of means over different seeds (Welch, "The generalization of Student's problem", Biometrika 34,
 * 1947), all two-sided 95 %.
 */

import { mean, variance } from '../../../../src/model/index.ts';

/** Mean over seeds with its interval, which is unbounded for a single seed. */
export interface MeanInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom. */
const T975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Returns the mean of `values`, one per seed, at least one. */
export function meanInterval(values: readonly number[]): MeanInterval {
  return around(mean(values), Math.sqrt(variance(values) / values.length), values.length - 1);
}

/**
 * Returns the mean of `a[i] − b[i]`, one pair per seed, at least one: anything common to both values of a seed (demonstrations, clone,
 * starts) does not contribute to the spread.
 */
export function pairedInterval(a: readonly number[], b: readonly number[]): MeanInterval {
  if (a.length !== b.length) throw new RangeError(`${a.length} values cannot be paired with ${b.length}`);
  return meanInterval(a.map((value, i) => value - b[i]!));
}

/** Returns the mean of `a` minus that of `b`, of different seeds; both hold at least one value. */
export function differenceInterval(a: readonly number[], b: readonly number[]): MeanInterval {
  const [va, vb] = [variance(a) / a.length, variance(b) / b.length];
  const sum = va + vb;
  // Welch and Satterthwaite; rounded down, which widens the interval.
  const freedom = sum > 0 ? sum ** 2 / (va ** 2 / (a.length - 1) + vb ** 2 / (b.length - 1)) : a.length + b.length - 2;
  return around(mean(a) - mean(b), Math.sqrt(sum), Math.min(a.length, b.length) < 2 ? 0 : freedom);
}

function around(centre: number, error: number, freedom: number): MeanInterval {
  const whole = Math.floor(freedom);
  if (whole < 1) return { mean: centre, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const half = error * T975[Math.min(whole, T975.length) - 1]!;
  return { mean: centre, low: centre - half, high: centre + half };
}
