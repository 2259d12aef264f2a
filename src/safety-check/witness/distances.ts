/**
 * Distances between a robot's shapes, computed independently of the chain, to count what it lets through. Slow and
 * plain, by searching instead of by formulas, so that a mistake there is not repeated here.
 */
import type { ArmKinematics, Capsule, CollisionModel, KeepOutBox } from '../../model/index.ts';

/** Rounds of a search that each leave 0.618 of the interval; 40 leave 4e-9 of it, which is less than a nanometre. */
const ROUNDS = 40;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

interface Placed {
  readonly capsule: Capsule;
  readonly link: number;
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly halfM: number;
}

/** The shapes of one arm. */
export class ShapeDistances {
  readonly #collision: CollisionModel;
  readonly #capsules: readonly Placed[];
  readonly #pairs: readonly (readonly [Placed, Placed])[];
  readonly #boxes: readonly (readonly [KeepOutBox, readonly Placed[]])[];

  constructor(collision: CollisionModel, arm: ArmKinematics) {
    this.#collision = collision;
    this.#capsules = collision.capsules.map((capsule) => ({
      capsule,
      link: arm.topology.link(capsule.link),
      from: Float64Array.from(capsule.fromM),
      to: Float64Array.from(capsule.toM),
      halfM: Math.hypot(...capsule.toM.map((value, k) => value - capsule.fromM[k]!)) / 2,
    }));
    const named = (name: string): Placed => this.#capsules.find(({ capsule }) => capsule.name === name)!;
    const moving = this.#capsules.filter(({ link }) => link >= 0).map(({ capsule }) => capsule.name);
    this.#pairs = collision.pairs.map(([one, other]) => [named(one), named(other)]);
    this.#boxes = (collision.keepOut ?? []).map((box) => [box, (box.capsules ?? moving).map(named)]);
  }

  get clearanceM(): number {
    return this.#collision.clearanceM;
  }

  /** Moves all shapes to the pose in `arm`. */
  place(arm: ArmKinematics): void {
    for (const { capsule, link, from, to } of this.#capsules) {
      arm.pointOf(from, link, capsule.fromM);
      arm.pointOf(to, link, capsule.toM);
    }
  }

  /** Returns the smallest distance between the surfaces of a pair, m; negative where they overlap, Infinity without pairs. */
  smallestPairM(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const [one, other] of this.#pairs) {
      const reach = one.capsule.radiusM + other.capsule.radiusM;
      if (apartAtLeast(one, other) - reach > least) continue;
      least = Math.min(least, segmentDistance(one, other) - reach);
    }
    return least;
  }

  /** The same between capsules and the keep-out boxes that they must stay out of. */
  smallestBoxM(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const [box, capsules] of this.#boxes) {
      for (const each of capsules) {
        if (Math.sqrt(pointToBox2(each, 0.5, box)) - each.halfM - each.capsule.radiusM > least) continue;
        least = Math.min(least, boxDistance(each, box) - each.capsule.radiusM);
      }
    }
    return least;
  }
}

/** Lower bound of the segments' distance: the distance of their middles less their half lengths. */
function apartAtLeast(one: Placed, other: Placed): number {
  let middle = 0;
  for (let k = 0; k < 3; k++) middle += ((one.from[k]! + one.to[k]! - other.from[k]! - other.to[k]!) / 2) ** 2;
  return Math.sqrt(middle) - one.halfM - other.halfM;
}

/** The distance from a point of one segment to the other is a convex function of the point's position on the first. */
function segmentDistance(one: Placed, other: Placed): number {
  return Math.sqrt(convexMinimum((t) => pointToSegment2(one, t, other)));
}

function boxDistance(capsule: Placed, box: KeepOutBox): number {
  return Math.sqrt(convexMinimum((t) => pointToBox2(capsule, t, box)));
}

/** Golden-section search on [0, 1] (Kiefer 1953). */
function convexMinimum(of: (t: number) => number): number {
  let low = 0;
  let high = 1;
  let a = high - GOLDEN * (high - low);
  let b = low + GOLDEN * (high - low);
  let atA = of(a);
  let atB = of(b);
  for (let i = 0; i < ROUNDS; i++) {
    if (atA <= atB) {
      [high, b, atB] = [b, a, atA];
      a = high - GOLDEN * (high - low);
      atA = of(a);
    } else {
      [low, a, atA] = [a, b, atB];
      b = low + GOLDEN * (high - low);
      atB = of(b);
    }
  }
  return Math.min(of(0), of(1), atA, atB);
}

function pointToSegment2(on: Placed, t: number, segment: Placed): number {
  let along = 0;
  let length = 0;
  for (let k = 0; k < 3; k++) {
    const p = on.from[k]! + t * (on.to[k]! - on.from[k]!);
    const d = segment.to[k]! - segment.from[k]!;
    along += (p - segment.from[k]!) * d;
    length += d * d;
  }
  const s = length > 0 ? Math.min(1, Math.max(0, along / length)) : 0;
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const p = on.from[k]! + t * (on.to[k]! - on.from[k]!);
    sum += (p - segment.from[k]! - s * (segment.to[k]! - segment.from[k]!)) ** 2;
  }
  return sum;
}

function pointToBox2(on: Placed, t: number, { minM, maxM }: KeepOutBox): number {
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const p = on.from[k]! + t * (on.to[k]! - on.from[k]!);
    sum += Math.max(0, minM[k]! - p, p - maxM[k]!) ** 2;
  }
  return sum;
}
