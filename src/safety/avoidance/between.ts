/** Lower bounds of a distance between two sampled places. */
import type { AnyRow, KeepOutRow, PairRow } from './clearance-rows.ts';
import { ENDS, NORMAL, OTHER, SAMPLE_SIZE } from './sample.ts';

/** Indices into the argument of `dip`: the values at the ends, the length, the bend, and the result. In an array: see `TickTimes`. */
export const FIRST = 0;
export const LAST = 1;
export const LENGTH = 2;
export const BEND = 3;
export const LEAST = 4;

/** [5] scratch for the piece that `staysAbove` checks. */
const piece = new Float64Array(5);

/**
 * Fills `LEAST`: the least value on [0, length] of any function with the values a and b at the ends and a second
 * derivative of at most bend ≥ 0, which is that of the parabola a + g·s − bend·s(length − s)/2 with g = (b − a)/length.
 * Tick-safe.
 */
export function dip(arc: Float64Array): void {
  const a = arc[FIRST]!;
  const b = arc[LAST]!;
  const length = arc[LENGTH]!;
  const bend = arc[BEND]!;
  // The minimum is in the interior only where the function bends more than it rises or falls.
  const isMonotone = 2 * Math.abs(b - a) >= bend * length * length;
  const lowest = length / 2 - (b - a) / (length * bend);
  arc[LEAST] = isMonotone ? (a < b ? a : b) : a - (bend * lowest * lowest) / 2;
}

/** Bounds of each row's speed and curvature on the whole path, m. */
interface Motion {
  readonly speed: Float64Array;
  readonly bend: Float64Array;
}

/**
 * True if the clearance of row number `r` is proved to be at least `floors[r]` all along a straight line in joint space
 * between the samples `from` and `to`, one of `pieces` equal pieces of a path for which `motion` holds
 * (`docs/safety-case.md`, shield). False for NaN. Tick-safe.
 *
 * - Always: the clearance changes by at most `speed` on the way, so on a piece it is at least (a + b − speed/pieces)/2.
 * - Walls: a coordinate of a point, whose second derivative is at most `bend`.
 * - Capsules: for any unit vector n, distance ≥ the minimum of n·(end − support of the other body along n), as both are
 *   convex; each of these is smooth. n is taken from either sample, where it is the direction of the distance itself.
 */
export function staysAbove(
  row: AnyRow,
  r: number,
  from: Float64Array,
  to: Float64Array,
  pieces: number,
  floors: Float64Array,
  motion: Motion,
): boolean {
  const at = SAMPLE_SIZE * r;
  const a = from[at]!;
  const b = to[at]!;
  piece[FIRST] = a;
  piece[LAST] = b;
  piece[LENGTH] = 1 / pieces;
  piece[BEND] = motion.bend[r]!;
  if (row.kind === 'wall') {
    dip(piece);
    return piece[LEAST]! >= floors[r]!;
  }
  if ((a + b - motion.speed[r]! / pieces) / 2 >= floors[r]!) return true;
  if (isApart(row, r, from, from, to, floors)) return true;
  return isApart(row, r, to, from, to, floors);
}

/** True if planes with the normal of the sample `of` prove it, on a piece whose length and bend are in `piece`. */
function isApart(
  row: KeepOutRow | PairRow,
  r: number,
  of: Float64Array,
  from: Float64Array,
  to: Float64Array,
  floors: Float64Array,
): boolean {
  const at = SAMPLE_SIZE * r;
  const x = of[at + NORMAL]!;
  const y = of[at + NORMAL + 1]!;
  const z = of[at + NORMAL + 2]!;
  const least = row.marginM + floors[r]!;
  if (row.kind === 'keepOut') {
    const low = row.boxMinM;
    const high = row.boxMaxM;
    // How far the box reaches along n.
    const top =
      Math.max(x * low[0]!, x * high[0]!) + Math.max(y * low[1]!, y * high[1]!) + Math.max(z * low[2]!, z * high[2]!);
    for (let end = at + ENDS; end < at + OTHER; end += 3) {
      piece[FIRST] = x * from[end]! + y * from[end + 1]! + z * from[end + 2]! - top;
      piece[LAST] = x * to[end]! + y * to[end + 1]! + z * to[end + 2]! - top;
      dip(piece);
      if (!(piece[LEAST]! >= least)) return false;
    }
    return true;
  }
  for (let end = at + ENDS; end < at + OTHER; end += 3) {
    for (let other = at + OTHER; other < at + SAMPLE_SIZE; other += 3) {
      piece[FIRST] =
        x * (from[end]! - from[other]!) +
        y * (from[end + 1]! - from[other + 1]!) +
        z * (from[end + 2]! - from[other + 2]!);
      piece[LAST] =
        x * (to[end]! - to[other]!) + y * (to[end + 1]! - to[other + 1]!) + z * (to[end + 2]! - to[other + 2]!);
      dip(piece);
      if (!(piece[LEAST]! >= least)) return false;
    }
  }
  return true;
}
