/** Updatable QR factorisation of the active constraints' normals: Q orthogonal, R upper triangular. */

/**
 * Updated by plane rotations, so that no error accumulates. Methods exchange numbers through arrays, not results: V8
 * puts a double that a function returns on the heap. Tick-safe after construction.
 */
export class ActiveFactors {
  /** Number of active constraints: the first columns of Q span their normals. */
  count = 0;
  /** [n] the projected normal in Q's basis. */
  readonly parts: Float64Array;
  /** [n] the first `count`: change of the active multipliers per unit of the projected constraint's. */
  readonly answer: Float64Array;
  /** [1] squared length of the part of the projected normal outside the span of the active ones. */
  readonly freeSquare: Float64Array = new Float64Array(1);
  /** [n·n] Q, column-major: the columns from `count` on span the null space of the active normals. */
  readonly columns: Float64Array;

  readonly #n: number;
  /** [n·n] column-major, upper triangle. */
  readonly #r: Float64Array;
  /** Cosine and sine of the next rotation. */
  readonly #turn: Float64Array = new Float64Array(2);

  constructor(variables: number) {
    this.#n = variables;
    this.parts = new Float64Array(variables);
    this.answer = new Float64Array(variables);
    this.columns = new Float64Array(variables * variables);
    this.#r = new Float64Array(variables * variables);
  }

  /** Empties the active set. */
  reset(): void {
    this.count = 0;
    this.columns.fill(0);
    for (let i = 0; i < this.#n; i++) this.columns[this.#n * i + i] = 1;
  }

  /** Fills `parts`, `freeSquare` and `answer` for the normal at offset `at` of `normals`. */
  project(normals: Float64Array, at: number): void {
    const n = this.#n;
    let free = 0;
    for (let k = 0; k < n; k++) {
      let part = 0;
      for (let i = 0; i < n; i++) part += this.columns[n * k + i]! * normals[at + i]!;
      this.parts[k] = part;
      if (k >= this.count) free += part * part;
    }
    this.freeSquare[0] = free;
    for (let k = this.count - 1; k >= 0; k--) {
      let sum = this.parts[k]!;
      for (let j = k + 1; j < this.count; j++) sum -= this.#r[n * j + k]! * this.answer[j]!;
      this.answer[k] = sum / this.#r[n * k + k]!;
    }
  }

  /** Makes the projected normal the last active one. Requires `freeSquare` > 0 and `count` < n. */
  append(): void {
    const n = this.#n;
    const at = this.count++;
    for (let k = n - 1; k > at; k--) {
      this.#aim(this.parts, k - 1, k);
      this.#rotateColumns(k - 1, k);
    }
    for (let k = 0; k <= at; k++) this.#r[n * at + k] = this.parts[k]!;
  }

  /** Removes the active normal at `place`; those after it move up. */
  remove(place: number): void {
    const n = this.#n;
    const r = this.#r;
    this.count--;
    for (let j = place; j < this.count; j++) {
      for (let k = 0; k <= j + 1; k++) r[n * j + k] = r[n * (j + 1) + k]!;
    }
    for (let j = place; j < this.count; j++) {
      const column = n * j;
      this.#aim(r, column + j, column + j + 1);
      for (let next = j + 1; next < this.count; next++) this.#rotateRows(n * next + j);
      this.#rotateColumns(j, j + 1);
    }
  }

  /** Moves `x` (n) by the least distance onto the active constraints, violated by `excess` (count, overwritten). */
  correct(x: Float64Array, excess: Float64Array): void {
    const n = this.#n;
    for (let k = 0; k < this.count; k++) {
      let sum = excess[k]!;
      for (let j = 0; j < k; j++) sum -= this.#r[n * k + j]! * excess[j]!;
      excess[k] = sum / this.#r[n * k + k]!;
    }
    for (let k = 0; k < this.count; k++) {
      for (let i = 0; i < n; i++) x[i] = x[i]! - excess[k]! * this.columns[n * k + i]!;
    }
  }

  /** Finds the rotation that moves all of `values[b]` into `values[a]` (identity where both are zero) and applies it to them. */
  #aim(values: Float64Array, a: number, b: number): void {
    const x = values[a]!;
    const y = values[b]!;
    const length = Math.sqrt(x * x + y * y);
    this.#turn[0] = length > 0 ? x / length : 1;
    this.#turn[1] = length > 0 ? y / length : 0;
    values[a] = length;
    values[b] = 0;
  }

  #rotateColumns(a: number, b: number): void {
    const n = this.#n;
    const q = this.columns;
    const cosine = this.#turn[0]!;
    const sine = this.#turn[1]!;
    for (let i = 0; i < n; i++) {
      const x = q[n * a + i]!;
      const y = q[n * b + i]!;
      q[n * a + i] = cosine * x + sine * y;
      q[n * b + i] = cosine * y - sine * x;
    }
  }

  #rotateRows(at: number): void {
    const r = this.#r;
    const cosine = this.#turn[0]!;
    const sine = this.#turn[1]!;
    const x = r[at]!;
    const y = r[at + 1]!;
    r[at] = cosine * x + sine * y;
    r[at + 1] = cosine * y - sine * x;
  }
}
