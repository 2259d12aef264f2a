import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLOSEST_SIZE, segmentFromBox, segmentsApart } from './distance.ts';

/** Includes coarse numbers, so that parallel, touching and degenerate segments occur. */
const coordinate = fc.oneof(
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.integer({ min: -2, max: 2 }).map((n) => n / 2),
);
const point = fc.tuple(coordinate, coordinate, coordinate);
const nudge = fc.constantFrom(0, 1e-9, 1e-6, -1e-12, 1e-3);

type Point = readonly [number, number, number];

function along(a: Point, b: Point, t: number): Point {
  return [0, 1, 2].map((k) => a[k]! + t * (b[k]! - a[k]!)) as unknown as Point;
}

function gap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);
}

/** Least value of a convex function on [0, 1], by ternary search. */
function least(f: (t: number) => number): number {
  let low = 0;
  let high = 1;
  for (let k = 0; k < 90; k++) {
    const a = low + (high - low) / 3;
    const b = high - (high - low) / 3;
    if (f(a) <= f(b)) high = b;
    else low = a;
  }
  return f((low + high) / 2);
}

function toSegment(p: Point, a: Point, b: Point): number {
  const d = [0, 1, 2].map((k) => b[k]! - a[k]!);
  const length = d[0]! ** 2 + d[1]! ** 2 + d[2]! ** 2;
  const dot = [0, 1, 2].reduce((sum, k) => sum + (p[k]! - a[k]!) * d[k]!, 0);
  return gap(p, along(a, b, length === 0 ? 0 : Math.min(1, Math.max(0, dot / length))));
}

function toBox(p: Point, minM: Point, maxM: Point): number {
  return Math.hypot(...[0, 1, 2].map((k) => Math.max(minM[k]! - p[k]!, 0, p[k]! - maxM[k]!)));
}

const closest = new Float64Array(CLOSEST_SIZE);

function apart(a: Point, b: Point, c: Point, d: Point): number {
  segmentsApart(closest, Float64Array.of(...a, ...b, ...c, ...d), 0, 6);
  return closest[0]!;
}

describe('the distance of two segments', () => {
  it('is what a search over both finds, and that of the two points it names', () => {
    fc.assert(
      fc.property(point, point, point, point, (a, b, c, d) => {
        const distanceM = apart(a, b, c, d);
        const searched = least((s) => toSegment(along(a, b, s), c, d));
        expect(Math.abs(distanceM - searched)).toBeLessThan(1e-8);
        const first = closest.slice(1, 4) as unknown as Point;
        const second = closest.slice(4, 7) as unknown as Point;
        expect(gap(first, second)).toBeCloseTo(distanceM, 12);
        expect(toSegment(first, a, b)).toBeLessThan(1e-12);
        expect(toSegment(second, c, d)).toBeLessThan(1e-12);
      }),
      { numRuns: 5000 },
    );
  });

  it('stays exact for almost parallel segments', () => {
    fc.assert(
      fc.property(point, point, point, nudge, nudge, (a, b, shift, tilt, turn) => {
        const c = [a[0] + shift[0] + tilt, a[1] + shift[1] - turn, a[2] + shift[2]] as const;
        const d = [b[0] + shift[0], b[1] + shift[1], b[2] + shift[2] + tilt] as const;
        const distanceM = apart(a, b, c, d);
        const ends = [toSegment(a, c, d), toSegment(b, c, d), toSegment(c, a, b), toSegment(d, a, b)];
        expect(distanceM).toBeLessThanOrEqual(Math.min(...ends) + 1e-12);
        expect(distanceM).toBeGreaterThanOrEqual(least((s) => toSegment(along(a, b, s), c, d)) - 1e-8);
      }),
      { numRuns: 5000 },
    );
  });

  it('takes equal ends for a point', () => {
    expect(apart([0, 0, 0], [0, 0, 0], [3, 4, 0], [3, 4, 0])).toBe(5);
    expect(apart([0, 0, 1], [0, 0, 1], [-1, 0, 0], [1, 0, 0])).toBe(1);
    expect(apart([-1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1])).toBe(1);
    expect(apart([0, 0, 0], [1, 0, 0], [0.5, -1, 0], [0.5, 1, 0])).toBe(0);
  });

  it('gives NaN for NaN', () => {
    expect(apart([Number.NaN, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0])).toBeNaN();
  });
});

describe('the distance of a segment and a box', () => {
  const box = fc
    .tuple(point, point)
    .map(([a, b]) => [a.map((x, k) => Math.min(x, b[k]!)), a.map((x, k) => Math.max(x, b[k]!))]);

  it('is what a search along the segment finds, and that of the two points it names', () => {
    fc.assert(
      fc.property(point, point, box, (a, b, [minM, maxM]) => {
        const ends = Float64Array.of(9, ...a, ...b);
        segmentFromBox(closest, ends, 1, Float64Array.from(minM!), Float64Array.from(maxM!));
        const low = minM as unknown as Point;
        const high = maxM as unknown as Point;
        expect(Math.abs(closest[0]! - least((s) => toBox(along(a, b, s), low, high)))).toBeLessThan(1e-8);
        expect(toSegment(closest.slice(1, 4) as unknown as Point, a, b)).toBeLessThan(1e-12);
        expect(toBox(closest.slice(4, 7) as unknown as Point, low, high)).toBe(0);
        expect(gap(closest.slice(1, 4), closest.slice(4, 7))).toBeCloseTo(closest[0]!, 12);
      }),
      { numRuns: 10_000 },
    );
  });

  it('gives NaN for NaN', () => {
    segmentFromBox(
      closest,
      Float64Array.of(Number.NaN, 0, 0, 1, 0, 0),
      0,
      new Float64Array(3),
      Float64Array.of(1, 1, 1),
    );
    expect(closest[0]).toBeNaN();
  });
});
