/**
 * Nearest point of a box cut by half-spaces: an exact solver for small quadratic programs with a diagonal Hessian. Dual
 * active-set method of D. Goldfarb and A. Idnani, "A numerically stable dual method for solving strictly convex
 * quadratic programs", Mathematical Programming 27 (1983): it starts at the wanted point and adds one violated
 * constraint after another, so no feasible start is needed, and far from all constraints it costs one check.
 */
import { ActiveFactors } from './active-factors.ts';

/**
 * `solved`: the minimum, to rounding. `infeasible`: no point satisfies all constraints, or the input is invalid (NaN,
 * low above high). `capped`: given up after `MOST_ROUNDS`; no feasible problem that needs so many was ever found.
 */
export type ActiveSetStatus = 'solved' | 'infeasible' | 'capped';

export const MOST_VARIABLES = 16;
export const MOST_ROWS = 64;
/** Largest number of constraints added or dropped in one `solve`. */
export const MOST_ROUNDS = 256;

/** Tolerance for violations, relative to the size of the wanted point: rounding. */
const BROKEN = 1e-13;
/** A unit normal depends on the active ones if the squared length of its part outside their span is below this. */
const DEPENDENT_SQUARE = 1e-20;

/**
 * Minimises ½·Σ (w_i·(u_i − wanted_i))² subject to low ≤ u ≤ high and rows·u ≤ offsets. Deterministic; tick-safe after
 * construction, for any numbers.
 *
 * Internally, x_i = w_i·u_i and all constraints are unit normals N with N·x ≤ b, numbered: 0 … n−1 upper bounds, n …
 * 2n−1 lower bounds, then the rows.
 */
export class ActiveSet {
  /** [n] the minimum after `solved`; otherwise undefined. Reused. */
  readonly solution: Float64Array;
  /** Constraints added and dropped by the last `solve`. */
  rounds = 0;

  readonly #n: number;
  readonly #x: Float64Array;
  readonly #normals: Float64Array;
  readonly #offsets: Float64Array;
  readonly #isActive: Uint8Array;
  /** [n] indices of the active constraints, and their multipliers, in the order of the factors. */
  readonly #active: Int32Array;
  readonly #multipliers: Float64Array;
  readonly #factors: ActiveFactors;
  /** [n] violation of each active constraint. */
  readonly #excess: Float64Array;
  /** [1] largest violation that counts as zero. */
  readonly #tolerance: Float64Array = new Float64Array(1);
  /** [1] multiplier of the constraint being added. */
  readonly #incoming: Float64Array = new Float64Array(1);
  /** [1] step length towards the constraint being added: in an array, as a double argument could allocate. */
  readonly #step: Float64Array = new Float64Array(1);
  #total = 0;
  readonly #mostRounds: number;

  /** Throws `RangeError` for sizes outside 1 … 16 variables and 0 … 64 rows. */
  constructor(variables: number, mostRows: number, mostRounds: number = MOST_ROUNDS) {
    if (!(variables >= 1 && variables <= MOST_VARIABLES)) throw new RangeError(`1 to 16 variables, got ${variables}`);
    if (!(mostRows >= 0 && mostRows <= MOST_ROWS)) throw new RangeError(`0 to 64 rows, got ${mostRows}`);
    this.#mostRounds = mostRounds;
    const n = variables;
    const most = 2 * n + mostRows;
    this.#n = n;
    this.solution = new Float64Array(n);
    this.#x = new Float64Array(n);
    this.#normals = new Float64Array(most * n);
    this.#offsets = new Float64Array(most);
    this.#isActive = new Uint8Array(most);
    this.#active = new Int32Array(n);
    this.#multipliers = new Float64Array(n);
    this.#factors = new ActiveFactors(n);
    this.#excess = new Float64Array(n);
  }

  /**
   * `weights` (n, > 0), `wanted`, `low`, `high` (n), `rows` ([rowCount·n] row-major), `offsets` ([rowCount]); bounds
   * and offsets may be infinite. Keeps no reference to any of them.
   */
  solve(
    weights: Float64Array,
    wanted: Float64Array,
    low: Float64Array,
    high: Float64Array,
    rows: Float64Array,
    offsets: Float64Array,
    rowCount: number,
  ): ActiveSetStatus {
    this.rounds = 0;
    if (!this.#takeBounds(weights, wanted, low, high)) return 'infeasible';
    if (!this.#takeRows(weights, rows, offsets, rowCount)) return 'infeasible';
    for (let next = this.#mostBroken(); next >= 0; next = this.#mostBroken()) {
      const status = this.#takeIn(next);
      if (status !== 'solved') return status;
    }
    this.#refine();
    let isNumber = true;
    for (let i = 0; i < this.#n; i++) {
      // The bounds hold exactly, whatever rounding came before.
      const u = Math.min(Math.max(this.#x[i]! / weights[i]!, low[i]!), high[i]!);
      this.solution[i] = u;
      isNumber &&= Number.isFinite(u);
    }
    return isNumber ? 'solved' : 'infeasible';
  }

  /** Returns false for input that has no solution. */
  #takeBounds(weights: Float64Array, wanted: Float64Array, low: Float64Array, high: Float64Array): boolean {
    const n = this.#n;
    this.#factors.reset();
    this.#normals.fill(0, 0, 2 * n * n);
    let size = 1;
    for (let i = 0; i < n; i++) {
      const w = weights[i]!;
      if (!(w > 0 && low[i]! <= high[i]!)) return false;
      this.#x[i] = w * wanted[i]!;
      size = Math.max(size, Math.abs(this.#x[i]!));
      this.#normals[n * i + i] = 1;
      this.#offsets[i] = w * high[i]!;
      this.#normals[n * (n + i) + i] = -1;
      this.#offsets[n + i] = -w * low[i]!;
    }
    this.#tolerance[0] = BROKEN * size;
    return size < Number.POSITIVE_INFINITY;
  }

  #takeRows(weights: Float64Array, rows: Float64Array, offsets: Float64Array, rowCount: number): boolean {
    const n = this.#n;
    this.#total = 2 * n;
    for (let row = 0; row < rowCount; row++) {
      let square = 0;
      for (let i = 0; i < n; i++) {
        const a = rows[n * row + i]! / weights[i]!;
        square += a * a;
      }
      const length = Math.sqrt(square);
      const b = offsets[row]!;
      if (!(length < Number.POSITIVE_INFINITY) || Number.isNaN(b)) return false;
      if (length === 0) {
        if (b < 0) return false;
        continue;
      }
      const at = this.#total++;
      for (let i = 0; i < n; i++) this.#normals[n * at + i] = rows[n * row + i]! / (weights[i]! * length);
      this.#offsets[at] = b / length;
    }
    this.#isActive.fill(0);
    return true;
  }

  /** Index of the first of the most violated constraints; −1 if none is violated. */
  #mostBroken(): number {
    const n = this.#n;
    let most = this.#tolerance[0]!;
    let found = -1;
    for (let c = 0; c < this.#total; c++) {
      if (this.#isActive[c] === 1) continue;
      let excess = -this.#offsets[c]!;
      for (let i = 0; i < n; i++) excess += this.#normals[n * c + i]! * this.#x[i]!;
      if (excess > most) {
        most = excess;
        found = c;
      }
    }
    return found;
  }

  /** Moves to the minimum that also satisfies constraint `c`, dropping active ones that block it. */
  #takeIn(c: number): ActiveSetStatus {
    const factors = this.#factors;
    this.#incoming[0] = 0;
    while (this.rounds < this.#mostRounds) {
      this.rounds++;
      factors.project(this.#normals, this.#n * c);
      const free = factors.freeSquare[0]!;
      const blocking = this.#firstToLetGo();
      const mostStep =
        blocking < 0 ? Number.POSITIVE_INFINITY : this.#multipliers[blocking]! / factors.answer[blocking]!;
      if (!(free > DEPENDENT_SQUARE)) {
        // The active ones leave no free direction: one of them must be dropped, or the problem is infeasible.
        if (blocking < 0) return 'infeasible';
        this.#step[0] = mostStep;
        this.#raiseMultipliers();
      } else {
        this.#measure(c);
        const fullStep = this.#excess[0]! / free;
        this.#step[0] = Math.min(fullStep, mostStep);
        this.#raiseMultipliers();
        this.#move();
        if (fullStep <= mostStep) {
          this.#append(c);
          return 'solved';
        }
      }
      this.#letGo(blocking);
    }
    return 'capped';
  }

  /** Writes the violation of `c` into the first element of `#excess`. */
  #measure(c: number): void {
    let excess = -this.#offsets[c]!;
    for (let i = 0; i < this.#n; i++) excess += this.#normals[this.#n * c + i]! * this.#x[i]!;
    this.#excess[0] = excess;
  }

  /** Place of the active constraint whose multiplier reaches zero first; −1 for none. */
  #firstToLetGo(): number {
    const { answer, count } = this.#factors;
    let least = Number.POSITIVE_INFINITY;
    let found = -1;
    for (let k = 0; k < count; k++) {
      const ratio = this.#multipliers[k]! / answer[k]!;
      if (answer[k]! > 0 && ratio < least) {
        least = ratio;
        found = k;
      }
    }
    return found;
  }

  #raiseMultipliers(): void {
    const step = this.#step[0]!;
    const { answer, count } = this.#factors;
    for (let k = 0; k < count; k++) this.#multipliers[k] = this.#multipliers[k]! - step * answer[k]!;
    this.#incoming[0] = this.#incoming[0]! + step;
  }

  #move(): void {
    const step = this.#step[0]!;
    const n = this.#n;
    const { columns, parts, count } = this.#factors;
    for (let k = count; k < n; k++) {
      for (let i = 0; i < n; i++) this.#x[i] = this.#x[i]! - step * parts[k]! * columns[n * k + i]!;
    }
  }

  #append(c: number): void {
    const at = this.#factors.count;
    this.#factors.append();
    this.#active[at] = c;
    this.#multipliers[at] = this.#incoming[0]!;
    this.#isActive[c] = 1;
  }

  #letGo(place: number): void {
    this.#isActive[this.#active[place]!] = 0;
    this.#factors.remove(place);
    for (let k = place; k < this.#factors.count; k++) {
      this.#active[k] = this.#active[k + 1]!;
      this.#multipliers[k] = this.#multipliers[k + 1]!;
    }
  }

  /** One correction onto the active constraints: removes the rounding errors of the steps. */
  #refine(): void {
    const { count } = this.#factors;
    for (let k = count - 1; k >= 0; k--) {
      this.#measure(this.#active[k]!);
      this.#excess[k] = this.#excess[0]!;
    }
    this.#factors.correct(this.#x, this.#excess);
  }
}
