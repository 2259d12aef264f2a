/** Linear least squares by normal equations, added row by row. */

/** Ridge, as a share of each column's own size: undetermined components stay 0. */
const RIDGE = 1e-9;

/** A column whose square is below this share of the largest is rounding. */
const NOTHING = 1e-16;

/** Accumulates rows; `solve` minimises Σ(row·x − value)². */
export class LeastSquares {
  readonly size: number;
  rows = 0;
  readonly #gram: Float64Array;
  readonly #right: Float64Array;

  constructor(size: number) {
    this.size = size;
    this.#gram = new Float64Array(size * size);
    this.#right = new Float64Array(size);
  }

  add(row: ArrayLike<number>, value: number, weight = 1): void {
    const n = this.size;
    for (let i = 0; i < n; i++) {
      const w = weight * row[i]!;
      if (w === 0) continue;
      this.#right[i] = this.#right[i]! + w * value;
      for (let j = 0; j <= i; j++) this.#gram[n * i + j] = this.#gram[n * i + j]! + w * row[j]!;
    }
    this.rows++;
  }

  /** Returns the part of Σvalue² explained by the solution. Allocates. */
  explained(): number {
    return this.solve().reduce((sum, value, i) => sum + value * this.#right[i]!, 0);
  }

  /** Allocates. A column of zeros, or of rounding, yields 0. */
  solve(): Float64Array {
    const n = this.size;
    const { factor, scale } = factorOf(this.#gram, n);
    const x = whitened(factor, scale, this.#right);
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) x[i] = x[i]! - factor[n * k + i]! * x[k]!;
      x[i] = x[i]! / factor[n * i + i]!;
    }
    return x.map((value, i) => value * scale[i]!);
  }
}

export interface Instrumented {
  /** Coefficient of each regressor. */
  readonly solution: Float64Array;
  /** Σ of squared residuals, projected on the instruments, and in total. */
  readonly shown: number;
  readonly left: number;
}

/**
 * The same for regressors that are measured with noise, for which least squares is biased low: by instruments, which
 * correlate with the regressors and not with their noise (two-stage least squares; for robots Janot, Vandanjon and
 * Gautier 2014, "A generic instrumental variable approach for industrial robot identification").
 */
export class InstrumentedLeastSquares {
  rows = 0;
  readonly #instruments: number;
  readonly #regressors: number;
  /** Gram matrix of instruments, regressors and the value, in this order. */
  readonly #gram: Float64Array;

  constructor(instruments: number, regressors: number) {
    this.#instruments = instruments;
    this.#regressors = regressors;
    this.#gram = new Float64Array((instruments + regressors + 1) ** 2);
  }

  /** Adds a row of instruments, regressors, value. */
  add(row: ArrayLike<number>): void {
    const n = this.#instruments + this.#regressors + 1;
    for (let i = 0; i < n; i++) {
      const value = row[i]!;
      for (let j = 0; j <= i; j++) this.#gram[n * i + j] = this.#gram[n * i + j]! + value * row[j]!;
    }
    this.rows++;
  }

  /** Solves with the first `regressors` alone. Allocates. */
  solve(regressors: number = this.#regressors): Instrumented {
    const m = this.#instruments;
    const size = m + this.#regressors + 1;
    const ofInstruments = new Float64Array(m * m);
    for (let i = 0; i < m; i++) for (let j = 0; j <= i; j++) ofInstruments[m * i + j] = this.#gram[size * i + j]!;
    const { factor, scale } = factorOf(ofInstruments, m);
    // Projection of a column on the instruments: m rows that stand for all.
    const shownOf = (column: number): Float64Array =>
      whitened(
        factor,
        scale,
        Float64Array.from({ length: m }, (_k, k) => this.#gram[size * column + k]!),
      );
    const columns = Array.from({ length: regressors }, (_, c) => shownOf(m + c));
    const values = shownOf(size - 1);
    const second = new LeastSquares(regressors);
    for (let k = 0; k < m; k++)
      second.add(
        columns.map((column) => column[k]!),
        values[k]!,
      );
    const solution = second.solve();
    const seen = values.reduce((sum, value) => sum + value * value, 0);
    return { solution, shown: Math.max(0, seen - second.explained()), left: this.#left(solution) };
  }

  /** Σ(value − regressors·solution)². */
  #left(solution: Float64Array): number {
    const size = this.#instruments + this.#regressors + 1;
    const columns = [
      ...Array.from(solution, (weight, c) => [this.#instruments + c, weight] as const),
      [size - 1, -1] as const,
    ];
    let left = 0;
    for (const [one, weight] of columns) {
      for (const [other, by] of columns)
        left += weight * by * this.#gram[size * Math.max(one, other) + Math.min(one, other)]!;
    }
    return Math.max(0, left);
  }
}

interface Factor {
  /** [n][n] lower Cholesky factor of the scaled matrix. */
  readonly factor: Float64Array;
  /** [n] factor that makes each column's square 1; 0 for a column of nothing. */
  readonly scale: Float64Array;
}

/** Factorises the lower half of a Gram matrix of `n` columns. */
function factorOf(gram: Float64Array, n: number): Factor {
  let largest = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, gram[n * i + i]!);
  const scale = Float64Array.from({ length: n }, (_, i) => {
    const square = gram[n * i + i]!;
    return square > NOTHING * largest ? 1 / Math.sqrt(square) : 0;
  });
  const factor = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = i === j && scale[i] === 0 ? 1 : scale[i]! * scale[j]! * gram[n * i + j]!;
      if (i === j) sum += RIDGE;
      for (let k = 0; k < j; k++) sum -= factor[n * i + k]! * factor[n * j + k]!;
      factor[n * i + j] = i === j ? Math.sqrt(Math.max(sum, RIDGE * RIDGE)) : sum / factor[n * j + j]!;
    }
  }
  return { factor, scale };
}

/** Returns the scaled `right`, multiplied by the factor's inverse. */
function whitened(factor: Float64Array, scale: Float64Array, right: Float64Array): Float64Array {
  const n = right.length;
  const x = right.map((value, i) => scale[i]! * value);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i] = x[i]! - factor[n * i + k]! * x[k]!;
    x[i] = x[i]! / factor[n * i + i]!;
  }
  return x;
}
