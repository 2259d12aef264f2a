/** Durations that were measured, and what is reported of them. */

export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Exact quantiles of `values` (nearest rank); NaN where there are none. */
export function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { count: sorted.length, p50: rank(0.5), p99: rank(0.99), max: sorted[sorted.length - 1] ?? Number.NaN };
}

/** Least-squares slope of `values` over `at`; NaN for fewer than two different places. */
export function slopeOf(at: readonly number[], values: readonly number[]): number {
  const n = at.length;
  const meanAt = at.reduce((sum, x) => sum + x, 0) / n;
  const mean = values.reduce((sum, y) => sum + y, 0) / n;
  let above = 0;
  let below = 0;
  for (let i = 0; i < n; i++) {
    above += (at[i]! - meanAt) * (values[i]! - mean);
    below += (at[i]! - meanAt) ** 2;
  }
  return below > 0 ? above / below : Number.NaN;
}
