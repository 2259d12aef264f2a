/** Linear least squares by normal equations, row after row. */

/** Ridge, as a share of each column's own size: what the rows do not show stays 0. */
const RIDGE = 1e-9;

/** A column whose square is this share of the largest is rounding. */
const NOTHING = 1e-16;

/** Sums rows; `solve` gives the smallest Σ(row·x − value)². */
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

  /** How much of Σvalue² the solution explains. Allocates. */
  explained(): number {
    return this.solve().reduce((sum, value, i) => sum + value * this.#right[i]!, 0);
  }

  /** Allocates. A column of zeros, or of rounding, gets 0. */
  solve(): Float64Array {
    const n = this.size;
    let largest = 0;
    for (let i = 0; i < n; i++) largest = Math.max(largest, this.#gram[n * i + i]!);
    const scale = Float64Array.from({ length: n }, (_, i) => {
      const square = this.#gram[n * i + i]!;
      return square > NOTHING * largest ? 1 / Math.sqrt(square) : 0;
    });
    const factor = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = i === j && scale[i] === 0 ? 1 : scale[i]! * scale[j]! * this.#gram[n * i + j]!;
        if (i === j) sum += RIDGE;
        for (let k = 0; k < j; k++) sum -= factor[n * i + k]! * factor[n * j + k]!;
        factor[n * i + j] = i === j ? Math.sqrt(Math.max(sum, RIDGE * RIDGE)) : sum / factor[n * j + j]!;
      }
    }
    const x = Float64Array.from(this.#right, (value, i) => scale[i]! * value);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < i; k++) x[i] = x[i]! - factor[n * i + k]! * x[k]!;
      x[i] = x[i]! / factor[n * i + i]!;
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) x[i] = x[i]! - factor[n * k + i]! * x[k]!;
      x[i] = x[i]! / factor[n * i + i]!;
    }
    return x.map((value, i) => value * scale[i]!);
  }
}
