/** Distances between line segments, and between segments and boxes, with the closest points. Exact up to rounding, total, tick-safe. */

/** [7] of `closest`: the distance (m), the point on the first (3), the point on the second (3). */
export const CLOSEST_SIZE = 7;

/**
 * Writes the distance of two segments and a closest point of each into `closest` (7). `ends` holds their ends (6
 * numbers each at offsets `first` and `second`, m); equal ends are a point, and for parallel segments one of the
 * closest pairs is chosen. NaN in, NaN out. After Ericson, "Real-Time Collision Detection" (2005), 5.1.9, with the
 * determinant as the square of a cross product, which stays exact for almost parallel segments.
 */
export function segmentsApart(closest: Float64Array, ends: Float64Array, first: number, second: number): void {
  const ux = ends[first + 3]! - ends[first]!;
  const uy = ends[first + 4]! - ends[first + 1]!;
  const uz = ends[first + 5]! - ends[first + 2]!;
  const vx = ends[second + 3]! - ends[second]!;
  const vy = ends[second + 4]! - ends[second + 1]!;
  const vz = ends[second + 5]! - ends[second + 2]!;
  const rx = ends[second]! - ends[first]!;
  const ry = ends[second + 1]! - ends[first + 1]!;
  const rz = ends[second + 2]! - ends[first + 2]!;
  const uu = ux * ux + uy * uy + uz * uz;
  const vv = vx * vx + vy * vy + vz * vz;
  const uv = ux * vx + uy * vy + uz * vz;
  const ru = rx * ux + ry * uy + rz * uz;
  const rv = rx * vx + ry * vy + rz * vz;
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const nn = nx * nx + ny * ny + nz * nz;
  // Closest point of the lines: s on the first, by r×v·n/n².
  const across = (ry * vz - rz * vy) * nx + (rz * vx - rx * vz) * ny + (rx * vy - ry * vx) * nz;
  // The squared distance is convex in (s, t): the best t for a clamped s, then the best s for that t, is its minimum.
  let s = nn > 0 ? unit(across / nn) : 0;
  const t = vv > 0 ? unit((s * uv - rv) / vv) : 0;
  s = uu > 0 ? unit((t * uv + ru) / uu) : 0;
  for (let k = 0; k < 3; k++) {
    closest[1 + k] = ends[first + k]! + s * (ends[first + 3 + k]! - ends[first + k]!);
    closest[4 + k] = ends[second + k]! + t * (ends[second + 3 + k]! - ends[second + k]!);
  }
  measureGap(closest);
}

/**
 * Writes the distance of a segment (6 numbers at offset `at` of `ends`, m) and an axis-aligned box (`minM` ≤ `maxM`)
 * into `closest` (7), with a closest point of the segment, then of the box; 0 where they intersect. NaN in, NaN out.
 *
 * The squared distance of p(t) is convex in t, and half its derivative, Σ_k d_k·(distance of p_k outside the box), is
 * linear between the t where p_k passes a face. Bisecting at those six leaves one linear piece with its zero.
 */
export function segmentFromBox(
  closest: Float64Array,
  ends: Float64Array,
  at: number,
  minM: Float64Array,
  maxM: Float64Array,
): void {
  let low = 0;
  let high = 1;
  closest[0] = 0;
  rise(closest, ends, at, minM, maxM);
  let below = closest[0]!;
  closest[0] = 1;
  rise(closest, ends, at, minM, maxM);
  let above = closest[0]!;
  for (let face = 0; face < 6; face++) {
    const k = face >> 1;
    const wall = (face & 1) === 0 ? minM[k]! : maxM[k]!;
    const t = (wall - ends[at + k]!) / (ends[at + 3 + k]! - ends[at + k]!);
    // Also false for the NaN and infinities of a segment parallel to the face.
    if (!(t > low && t < high)) continue;
    closest[0] = t;
    rise(closest, ends, at, minM, maxM);
    if (closest[0]! <= 0) {
      low = t;
      below = closest[0]!;
    } else {
      high = t;
      above = closest[0]!;
    }
  }
  let t = low;
  if (below < 0) t = above > 0 ? low + ((high - low) * below) / (below - above) : high;
  for (let k = 0; k < 3; k++) {
    const p = ends[at + k]! + t * (ends[at + 3 + k]! - ends[at + k]!);
    closest[1 + k] = p;
    closest[4 + k] = Math.min(Math.max(p, minM[k]!), maxM[k]!);
  }
  measureGap(closest);
}

/** Replaces the segment parameter in `closest[0]` by half the derivative of the squared distance to the box there. */
function rise(closest: Float64Array, ends: Float64Array, at: number, minM: Float64Array, maxM: Float64Array): void {
  const t = closest[0]!;
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const d = ends[at + 3 + k]! - ends[at + k]!;
    const p = ends[at + k]! + t * d;
    if (p < minM[k]!) sum += d * (p - minM[k]!);
    else if (p > maxM[k]!) sum += d * (p - maxM[k]!);
  }
  closest[0] = sum;
}

function measureGap(closest: Float64Array): void {
  const x = closest[1]! - closest[4]!;
  const y = closest[2]! - closest[5]!;
  const z = closest[3]! - closest[6]!;
  closest[0] = Math.sqrt(x * x + y * y + z * z);
}

function unit(share: number): number {
  return share < 0 ? 0 : share > 1 ? 1 : share;
}
