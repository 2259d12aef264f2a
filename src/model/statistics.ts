/** Shared statistics: mean, variance, quantiles, confidence intervals of rates, streaming quantiles, a moving average. */

/** The mean of `values`; NaN for none. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample variance, with n − 1 in the denominator; 0 for a single value. */
export function variance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}

/** The `q` quantile of `values` (nearest rank), 0 ≤ q ≤ 1; NaN for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}

/** A closed interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % point of the standard normal distribution: two-sided 95 %. */
const Z95 = 1.959963984540054;

/**
 * The score interval of Wilson (1927) for a success probability, without continuity correction.
 * `successes` and `trials` are counts, 0 ≤ successes ≤ trials; `z` is the normal quantile (default 95 %, two-sided).
 * [0, 1] without trials. Always inside [0, 1]. Throws `RangeError` on impossible counts.
 * Source: Newcombe, Statistics in Medicine 17 (1998), method 3.
 */
export function wilsonInterval(successes: number, trials: number, z: number = Z95): Interval {
  if (!(trials >= 0) || !(successes >= 0) || successes > trials) {
    throw new RangeError(`${successes} successes in ${trials} trials cannot be`);
  }
  if (trials === 0) return { low: 0, high: 1 };
  const rate = successes / trials;
  const z2 = z * z;
  const centre = rate + z2 / (2 * trials);
  const half = z * Math.sqrt((rate * (1 - rate)) / trials + z2 / (4 * trials * trials));
  const scale = 1 + z2 / trials;
  // At the ends the formula gives exactly 0 and 1; rounding must not miss them.
  return {
    low: successes === 0 ? 0 : Math.max(0, (centre - half) / scale),
    high: successes === trials ? 1 : Math.min(1, (centre + half) / scale),
  };
}

/** Outcomes of two methods on the same cases: counts of cases in which both, one alone, or neither succeeded. */
export interface PairedCounts {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
}

/**
 * Difference of the success rates of the first and the second method on the same cases, in [−1, 1], with its score interval.
 * [−1, 1] without cases. Throws `RangeError` on impossible counts.
 * Source: Newcombe, Statistics in Medicine 17 (1998) 2635–2650, method 10.
 */
export function pairedDifference(counts: PairedCounts, z: number = Z95): Interval & { readonly difference: number } {
  const { both: a, onlyFirst: b, onlySecond: c, neither: d } = counts;
  const n = a + b + c + d;
  if (n === 0) return { difference: 0, low: -1, high: 1 };
  const [p1, p2] = [(a + b) / n, (a + c) / n];
  const [first, second] = [wilsonInterval(a + b, n, z), wilsonInterval(a + c, n, z)];
  const margins = (a + b) * (c + d) * (a + c) * (b + d);
  const covariance = a * d - b * c;
  // The continuity correction reduces a positive covariance, down to 0 at most.
  const phi = margins === 0 ? 0 : (covariance > 0 ? Math.max(covariance - n / 2, 0) : covariance) / Math.sqrt(margins);
  const joined = (x: number, y: number): number => Math.sqrt(Math.max(0, x * x - 2 * phi * x * y + y * y));
  const difference = p1 - p2;
  return {
    difference,
    low: Math.max(-1, difference - joined(p1 - first.low, second.high - p2)),
    high: Math.min(1, difference + joined(first.high - p1, p2 - second.low)),
  };
}

/** A `QuantileHistogram` as plain data. Bucket i covers [low·growth^i, low·growth^(i+1)). */
export interface HistogramData {
  readonly low: number;
  readonly growth: number;
  readonly counts: readonly number[];
  readonly under: number;
  readonly over: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Counts values in fixed logarithmic buckets: quantiles of an endless stream in constant memory.
 * A quantile between `low` and `high` is off by at most the factor 10^(1 / (2·bucketsPerDecade)): 5.9 % at 20.
 * Minimum, maximum, count and mean are exact.
 */
export class QuantileHistogram {
  readonly #low: number;
  readonly #perDecade: number;
  readonly #counts: Float64Array;
  #under = 0;
  #over = 0;
  #sum = 0;
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  /** 0 < `low` < `high`, in the unit of the values; `bucketsPerDecade` ≥ 1. */
  constructor(low: number, high: number, bucketsPerDecade = 20) {
    if (!(low > 0) || !(high > low) || !Number.isFinite(high)) throw new RangeError(`not a range: ${low} to ${high}`);
    if (!(bucketsPerDecade >= 1)) throw new RangeError(`bucketsPerDecade must be ≥ 1, got ${bucketsPerDecade}`);
    this.#low = low;
    this.#perDecade = bucketsPerDecade;
    this.#counts = new Float64Array(Math.ceil(Math.log10(high / low) * bucketsPerDecade - 1e-9));
  }

  /** Number of values added. */
  get count(): number {
    return this.#count;
  }

  /** The exact mean; NaN before the first value. */
  get mean(): number {
    return this.#sum / this.#count;
  }

  /** The largest value so far; −Infinity before the first. */
  get max(): number {
    return this.#max;
  }

  /** Counts one value; NaN is ignored. Tick-safe. */
  add(value: number): void {
    if (Number.isNaN(value)) return;
    this.#count++;
    this.#sum += value;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    if (!(value >= this.#low)) {
      this.#under++;
      return;
    }
    const bucket = Math.floor(Math.log10(value / this.#low) * this.#perDecade);
    if (bucket >= this.#counts.length) this.#over++;
    else this.#counts[bucket] = this.#counts[bucket]! + 1;
  }

  /** See `quantileOf`: values below `low` count as the minimum, values above `high` as the maximum. */
  quantile(q: number): number {
    return quantileOf(this.toJSON(), q);
  }

  /** A copy as plain data, for a metrics file. `min` and `max` are 0 while empty. */
  toJSON(): HistogramData {
    return {
      low: this.#low,
      growth: 10 ** (1 / this.#perDecade),
      counts: Array.from(this.#counts),
      under: this.#under,
      over: this.#over,
      sum: this.#sum,
      min: this.#count === 0 ? 0 : this.#min,
      max: this.#count === 0 ? 0 : this.#max,
    };
  }
}

/** The `q` quantile of the values counted in `data`, 0 ≤ q ≤ 1; NaN before the first value. */
export function quantileOf({ low, growth, counts, under, over, min, max }: HistogramData, q: number): number {
  if (!(q >= 0 && q <= 1)) throw new RangeError(`a quantile is asked for in [0, 1], got ${q}`);
  const count = counts.reduce((sum, n) => sum + n, under + over);
  if (count === 0) return Number.NaN;
  const rank = Math.max(1, Math.ceil(q * count));
  if (rank === count) return max;
  let seen = under;
  if (rank <= seen) return min;
  const bucket = counts.findIndex((n) => {
    seen += n;
    return rank <= seen;
  });
  return bucket < 0 ? max : Math.min(max, Math.max(min, low * growth ** (bucket + 0.5)));
}

/** An exponential moving average, initialised with its first value. */
export class Ema {
  readonly #weight: number;
  #value: number = Number.NaN;

  /** `weight` in (0, 1]: weight of each new value. */
  constructor(weight: number) {
    if (!(weight > 0 && weight <= 1)) throw new RangeError(`weight must be in (0, 1], got ${weight}`);
    this.#weight = weight;
  }

  /** NaN before the first value. */
  get value(): number {
    return this.#value;
  }

  /** Adds one value and returns the new average; NaN changes nothing. Tick-safe. */
  add(value: number): number {
    if (Number.isNaN(value)) return this.#value;
    this.#value = Number.isNaN(this.#value) ? value : this.#value + this.#weight * (value - this.#value);
    return this.#value;
  }
}
