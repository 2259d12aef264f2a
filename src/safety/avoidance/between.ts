/** What a distance is at least between two places where it was measured. */
import type { AnyRow } from './clearance-rows.ts';
import { ENDS, NORMAL, OTHER, SAMPLE_SIZE } from './sample.ts';

/**
 * The least value on [0, `length`] of any function that is `a` and `b` at the ends and whose second derivative is at most
 * `bend` ≥ 0: of the parabola a + g·s − bend·s(length − s)/2 with g = (b − a)/length. Tick-safe.
 */
export function dip(a: number, b: number, length: number, bend: number): number {
  // It has its lowest point inside only where it bends more than it rises or falls.
  if (2 * Math.abs(b - a) >= bend * length * length) return Math.min(a, b);
  const lowest = length / 2 - (b - a) / (length * bend);
  return a - (bend * lowest * lowest) / 2;
}

/**
 * A lower bound of the clearance of row number `r` on a straight line in joint space between the samples `from` and `to`,
 * `lengthS` seconds of it apart, given how fast (`speed`, m/s) and curved (`bend`, m/s²) it moves at most
 * (`docs/safety-case.md`, shield). Tick-safe.
 *
 * - Always: the clearance changes by at most `speed` a second, so it is at least (a + b − speed·length)/2.
 * - Walls: a coordinate of a point, whose second derivative is at most `bend`.
 * - Capsules: for any unit vector n, distance ≥ the least of n·(end − what n can reach of the other), as both are convex;
 *   each of these is smooth. n is taken from either sample, where it is the direction of the distance itself.
 */
export function leastBetween(
  row: AnyRow,
  r: number,
  from: Float64Array,
  to: Float64Array,
  lengthS: number,
  speed: number,
  bend: number,
): number {
  const at = SAMPLE_SIZE * r;
  const a = from[at]!;
  const b = to[at]!;
  if (row.kind === 'wall') return dip(a, b, lengthS, bend);
  const lipschitz = (a + b - speed * lengthS) / 2;
  // Also where NaN: what is not proved is not kept.
  if (lipschitz >= 0) return lipschitz;
  const first = planeBetween(row, at, from, from, to, lengthS, bend);
  const second = planeBetween(row, at, to, from, to, lengthS, bend);
  return Math.max(lipschitz, first, second);
}

/** The bound with the normal of the sample `of`. */
function planeBetween(
  row: AnyRow,
  at: number,
  of: Float64Array,
  from: Float64Array,
  to: Float64Array,
  lengthS: number,
  bend: number,
): number {
  if (row.kind === 'wall') return Number.NEGATIVE_INFINITY;
  const x = of[at + NORMAL]!;
  const y = of[at + NORMAL + 1]!;
  const z = of[at + NORMAL + 2]!;
  let least = Number.POSITIVE_INFINITY;
  for (let end = at + ENDS; end < at + ENDS + 6; end += 3) {
    const a = x * from[end]! + y * from[end + 1]! + z * from[end + 2]!;
    const b = x * to[end]! + y * to[end + 1]! + z * to[end + 2]!;
    if (row.kind === 'keepOut') {
      const { minM, maxM } = row.box;
      const top =
        Math.max(x * minM[0], x * maxM[0]) + Math.max(y * minM[1], y * maxM[1]) + Math.max(z * minM[2], z * maxM[2]);
      least = Math.min(least, dip(a - top, b - top, lengthS, bend));
      continue;
    }
    for (let other = at + OTHER; other < at + OTHER + 6; other += 3) {
      const c = x * from[other]! + y * from[other + 1]! + z * from[other + 2]!;
      const d = x * to[other]! + y * to[other + 1]! + z * to[other + 2]!;
      least = Math.min(least, dip(a - c, b - d, lengthS, bend));
    }
  }
  return least - row.marginM;
}
