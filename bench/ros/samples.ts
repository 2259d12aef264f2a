/** Measured durations, and their reported statistics. */
import { mean, quantile } from '../../src/model/index.ts';

export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Exact quantiles of `values` (nearest rank); NaN if there are none. */
export function quantilesOf(values: readonly number[]): Quantiles {
  const [p50, p99, max] = [quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1)];
  return { count: values.length, p50, p99, max };
}

/** Least-squares slope of `values` over `at`; NaN for fewer than two different places. */
export function slopeOf(at: readonly number[], values: readonly number[]): number {
  const [meanAt, meanValue] = [mean(at), mean(values)];
  let above = 0;
  let below = 0;
  for (let i = 0; i < at.length; i++) {
    above += (at[i]! - meanAt) * (values[i]! - meanValue);
    below += (at[i]! - meanAt) ** 2;
  }
  return below > 0 ? above / below : Number.NaN;
}
