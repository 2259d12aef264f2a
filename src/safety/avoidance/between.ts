/** What a distance is at least between two places where it was measured. */
import type { AnyRow, KeepOutRow, PairRow } from './clearance-rows.ts';
import { ENDS, NORMAL, OTHER, SAMPLE_SIZE } from './sample.ts';

/**
 * The least value on [0, `length`] of any function that is `a` and `b` at the ends and whose second derivative is at most
 * `bend` ≥ 0: of the parabola a + g·s − bend·s(length − s)/2 with g = (b − a)/length. Tick-safe.
 */
export function dip(a: number, b: number, length: number, bend: number): number {
  // It has its lowest point inside only where it bends more than it rises or falls.
  if (2 * Math.abs(b - a) >= bend * length * length) return a < b ? a : b;
  const lowest = length / 2 - (b - a) / (length * bend);
  return a - (bend * lowest * lowest) / 2;
}

/** How fast and how curved each row moves at most on the whole way, m. */
interface Motion {
  readonly speed: Float64Array;
  readonly bend: Float64Array;
}

/**
 * Whether the clearance of row number `r` is proved to be at least `floors[r]` all along a straight line in joint space between
 * the samples `from` and `to`, one of `pieces` equal pieces of a way for which `motion` holds (`docs/safety-case.md`, shield).
 * False for NaN. Tick-safe.
 *
 * - Always: the clearance changes by at most `speed` on the way, so on a piece it is at least (a + b − speed/pieces)/2.
 * - Walls: a coordinate of a point, whose second derivative is at most `bend`.
 * - Capsules: for any unit vector n, distance ≥ the least of n·(end − what n can reach of the other), as both are convex;
 *   each of these is smooth. n is taken from either sample, where it is the direction of the distance itself.
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
  if (row.kind === 'wall') return dip(a, b, 1 / pieces, motion.bend[r]!) >= floors[r]!;
  if ((a + b - motion.speed[r]! / pieces) / 2 >= floors[r]!) return true;
  if (isApart(row, r, from, from, to, pieces, floors, motion.bend)) return true;
  return isApart(row, r, to, from, to, pieces, floors, motion.bend);
}

/** Whether planes with the normal of the sample `of` prove it. */
function isApart(
  row: KeepOutRow | PairRow,
  r: number,
  of: Float64Array,
  from: Float64Array,
  to: Float64Array,
  pieces: number,
  floors: Float64Array,
  bends: Float64Array,
): boolean {
  const at = SAMPLE_SIZE * r;
  const x = of[at + NORMAL]!;
  const y = of[at + NORMAL + 1]!;
  const z = of[at + NORMAL + 2]!;
  const bend = bends[r]!;
  const least = row.marginM + floors[r]!;
  if (row.kind === 'keepOut') {
    const low = row.boxMinM;
    const high = row.boxMaxM;
    // How far the box reaches along n.
    const top =
      Math.max(x * low[0]!, x * high[0]!) + Math.max(y * low[1]!, y * high[1]!) + Math.max(z * low[2]!, z * high[2]!);
    for (let end = at + ENDS; end < at + OTHER; end += 3) {
      const a = x * from[end]! + y * from[end + 1]! + z * from[end + 2]! - top;
      const b = x * to[end]! + y * to[end + 1]! + z * to[end + 2]! - top;
      if (!(dip(a, b, 1 / pieces, bend) >= least)) return false;
    }
    return true;
  }
  for (let end = at + ENDS; end < at + OTHER; end += 3) {
    for (let other = at + OTHER; other < at + SAMPLE_SIZE; other += 3) {
      const a =
        x * (from[end]! - from[other]!) +
        y * (from[end + 1]! - from[other + 1]!) +
        z * (from[end + 2]! - from[other + 2]!);
      const b = x * (to[end]! - to[other]!) + y * (to[end + 1]! - to[other + 1]!) + z * (to[end + 2]! - to[other + 2]!);
      if (!(dip(a, b, 1 / pieces, bend) >= least)) return false;
    }
  }
  return true;
}
