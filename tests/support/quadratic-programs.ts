/** Random quadratic programs of every awkward kind, and the same solved by the `quadprog` package. */
import { solveQP } from 'quadprog';
import type { Rng } from '../../src/model/index.ts';

export interface QuadraticProgram {
  readonly kind: ProgramKind;
  readonly weights: Float64Array;
  readonly wanted: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** [rowCount·n] row-major. */
  readonly rows: Float64Array;
  readonly offsets: Float64Array;
  readonly rowCount: number;
  /** A point that obeys all constraints, where the kind has one by construction. */
  readonly inside: Float64Array | null;
}

export const PROGRAM_KINDS = [
  'plain',
  'duplicate rows',
  'slabs',
  'thin slabs',
  'nearly parallel',
  'degenerate vertex',
  'rows on the bounds',
  'pinned variables',
  'anything',
  'just infeasible',
] as const;
export type ProgramKind = (typeof PROGRAM_KINDS)[number];

export function randomProgram(rng: Rng, kind: ProgramKind): QuadraticProgram {
  const n = 1 + rng.int(16);
  const rowCount = kind === 'just infeasible' ? 2 + rng.int(63) : rng.int(65);
  const inside = fill(n, () => rng.uniformIn(-1, 1));
  const low = inside.map((x) => x - 2 * rng.uniform() ** 2);
  const high = inside.map((x) => x + 2 * rng.uniform() ** 2);
  const rows = fill(rowCount * n, () => (rng.uniform() < 0.3 ? 0 : rng.normal()));
  const slack = fill(rowCount, () => (kind === 'degenerate vertex' ? 0 : rng.uniform() ** 3));
  const weights = fill(n, () => rng.uniformIn(0.3, 3));
  const wanted = fill(n, () => rng.uniformIn(-4, 4));
  for (let row = 0; row < rowCount; row++) shapeRow(rng, kind, row, { n, rows, slack, inside, low, high });
  const offsets = fill(rowCount, (row) => dot(rows, row * n, inside) + slack[row]!);
  if (kind === 'anything') for (let row = 0; row < rowCount; row++) offsets[row] = rng.uniformIn(-0.5, 2);
  if (kind === 'just infeasible') contradict(rng, { n, rows, offsets });
  const isOpen = kind === 'anything' || kind === 'just infeasible';
  return { kind, weights, wanted, low, high, rows, offsets, rowCount, inside: isOpen ? null : inside };
}

interface Parts {
  readonly n: number;
  readonly rows: Float64Array;
  readonly slack: Float64Array;
  readonly inside: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

function shapeRow(rng: Rng, kind: ProgramKind, row: number, parts: Parts): void {
  const { n, rows, slack, inside, low, high } = parts;
  const isSecond = row % 2 === 1;
  const copy = (factor: number, noise = 0): void => {
    for (let i = 0; i < n; i++) rows[row * n + i] = factor * rows[(row - 1) * n + i]! + noise * rng.normal();
  };
  if (kind === 'duplicate rows' && isSecond) {
    const factor = rng.uniform() < 0.5 ? 1 : rng.uniformIn(0.2, 4);
    copy(factor);
    slack[row] = factor * slack[row - 1]!;
  } else if (kind === 'slabs' && isSecond) copy(-1);
  else if (kind === 'thin slabs' && isSecond) {
    copy(-1);
    slack[row - 1] = 0;
    slack[row] = rng.uniform() < 0.5 ? 1e-9 : 1e-6;
  } else if (kind === 'nearly parallel' && isSecond) copy(1, 10 ** -(2 + rng.int(4)));
  else if (kind === 'rows on the bounds') {
    const axis = rng.int(n);
    const sign = rng.uniform() < 0.5 ? -1 : 1;
    for (let i = 0; i < n; i++) rows[row * n + i] = i === axis ? sign : 0;
    slack[row] = sign > 0 ? high[axis]! - inside[axis]! : inside[axis]! - low[axis]!;
  } else if (kind === 'pinned variables' && row < n && isSecond) {
    low[row] = inside[row]!;
    high[row] = inside[row]!;
  }
}

/** The last row says the opposite of the first, by a little too much. */
function contradict(rng: Rng, { n, rows, offsets }: Pick<Parts, 'n' | 'rows'> & { offsets: Float64Array }): void {
  const last = offsets.length - 1;
  rows[0] = 1;
  for (let i = 0; i < n; i++) rows[last * n + i] = -rows[i]!;
  offsets[last] = -offsets[0]! - 10 ** -rng.int(8) * Math.hypot(...rows.subarray(0, n));
}

/** ½·Σ (w_i·(u_i − wanted_i))². */
export function costOf(program: QuadraticProgram, u: ArrayLike<number>): number {
  let cost = 0;
  program.weights.forEach((w, i) => {
    cost += 0.5 * (w * (u[i]! - program.wanted[i]!)) ** 2;
  });
  return cost;
}

/** By how much the worst constraint is broken, the rows taken as unit normals; negative or 0 inside. */
export function residualOf(program: QuadraticProgram, u: Float64Array): number {
  const n = u.length;
  let worst = 0;
  for (let i = 0; i < n; i++) worst = Math.max(worst, program.low[i]! - u[i]!, u[i]! - program.high[i]!);
  for (let row = 0; row < program.rowCount; row++) {
    const length = Math.hypot(...program.rows.subarray(row * n, row * n + n));
    if (length > 0) worst = Math.max(worst, (dot(program.rows, row * n, u) - program.offsets[row]!) / length);
  }
  return worst;
}

/** The package's answer, or null where it finds none. `loosen` moves each constraint outwards by as much. */
export function solveByPackage(program: QuadraticProgram, loosen: () => number = () => 0): Float64Array | null {
  const { weights, wanted, low, high, rows, offsets, rowCount } = program;
  const n = weights.length;
  const total = 2 * n + rowCount;
  // Its arrays begin at 1, as in Fortran; constraints are columns, and ≥.
  const hessian = [[], ...Array.from(weights, (w, i) => [0, ...Array.from(weights, (_, j) => (i === j ? w * w : 0))])];
  const linear = [0, ...Array.from(weights, (w, i) => w * w * wanted[i]!)];
  const columns: number[][] = [[], ...Array.from(weights, () => new Array<number>(total + 1).fill(0))];
  const bounds = new Array<number>(total + 1).fill(0);
  for (let i = 0; i < n; i++) {
    columns[i + 1]![i + 1] = 1;
    bounds[i + 1] = low[i]! - loosen();
    columns[i + 1]![n + i + 1] = -1;
    bounds[n + i + 1] = -high[i]! - loosen();
  }
  for (let row = 0; row < rowCount; row++) {
    for (let i = 0; i < n; i++) columns[i + 1]![2 * n + row + 1] = -rows[row * n + i]!;
    bounds[2 * n + row + 1] = -offsets[row]! - loosen();
  }
  const { solution, message } = solveQP(hessian, linear, columns, bounds);
  return message === '' ? Float64Array.from(solution.slice(1)) : null;
}

function fill(length: number, value: (i: number) => number): Float64Array {
  return Float64Array.from({ length }, (_, i) => value(i));
}

function dot(a: Float64Array, at: number, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < b.length && at + i < a.length; i++) sum += a[at + i]! * b[i]!;
  return sum;
}
