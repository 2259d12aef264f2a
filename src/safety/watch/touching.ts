/**
 * Whether an arm is nearer to itself or to a keep-out box than it may be, for the limit monitor. It searches along capsules
 * instead of computing closest points, and shares no code with what keeps them apart.
 */
import type { ArmKinematics, Capsule, KeepOutBox, RobotModel } from '../../core/index.ts';

/** Rounding of distances, m. */
const ROUNDING_M = 1e-9;
/** The golden section narrows [0, 1] to 10⁻⁹ in so many looks: rounding, near the bottom of a convex function. */
const LOOKS = 44;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

interface Place {
  readonly capsule: Capsule;
  /** −1 for the base. */
  readonly link: number;
  /** [6] ends in the base frame, m. */
  readonly ends: Float64Array;
}

interface Row {
  readonly first: Place;
  /** What it is kept away from. */
  readonly other: Place | KeepOutBox;
  readonly leastM: number;
}

/** Watches one arm. Tick-safe after construction. */
export class TouchWitness {
  readonly #places: readonly Place[];
  readonly #rows: readonly Row[];
  /** [R] what is kept, m: never more than there was at the last `restart`, so that an arm that starts too near may leave. */
  readonly #floorsM: Float64Array;
  readonly #point: Float64Array = new Float64Array(3);

  constructor(model: RobotModel, arm: ArmKinematics) {
    const { capsules = [], pairs = [], keepOut = [], clearanceM = 0 } = model.collision ?? {};
    const places = new Map<string, Place>();
    for (const capsule of model.base === undefined ? capsules : []) {
      places.set(capsule.name, { capsule, link: arm.topology.link(capsule.link), ends: new Float64Array(6) });
    }
    const rows: Row[] = [];
    for (const [a, b] of places.size === 0 ? [] : pairs) {
      const first = places.get(a)!;
      const other = places.get(b)!;
      rows.push({ first, other, leastM: first.capsule.radiusM + other.capsule.radiusM + clearanceM });
    }
    for (const box of keepOut) {
      for (const first of places.values()) {
        const isMeant = box.capsules?.includes(first.capsule.name) ?? first.link >= 0;
        if (isMeant) rows.push({ first, other: box, leastM: first.capsule.radiusM + clearanceM });
      }
    }
    this.#places = [...places.values()];
    this.#rows = rows;
    this.#floorsM = Float64Array.from(rows, (row) => row.leastM);
  }

  /** The arm stands where `arm` is. */
  restart(arm: ArmKinematics): void {
    this.#place(arm);
    for (let r = 0; r < this.#rows.length; r++) {
      const row = this.#rows[r]!;
      this.#floorsM[r] = Math.min(row.leastM, this.#gap(row));
    }
  }

  /** Whether something is nearer than it may be, where `arm` is. */
  isTouching(arm: ArmKinematics): boolean {
    this.#place(arm);
    for (let r = 0; r < this.#rows.length; r++) {
      const row = this.#rows[r]!;
      if (!isFar(row) && !(this.#gap(row) >= this.#floorsM[r]! - ROUNDING_M)) return true;
    }
    return false;
  }

  #place(arm: ArmKinematics): void {
    for (const { capsule, link, ends } of this.#places) {
      arm.pointOf(this.#point, link, capsule.fromM);
      for (let k = 0; k < 3; k++) ends[k] = this.#point[k]!;
      arm.pointOf(this.#point, link, capsule.toM);
      for (let k = 0; k < 3; k++) ends[3 + k] = this.#point[k]!;
    }
  }

  /** Distance of the axes, m: the distance to something convex is convex along a segment, so a search finds its bottom. */
  #gap(row: Row): number {
    let low = 0;
    let high = 1;
    let a = high - GOLDEN;
    let b = GOLDEN;
    let atA = this.#gapAt(row, a);
    let atB = this.#gapAt(row, b);
    let least = Math.min(atA, atB, this.#gapAt(row, 0), this.#gapAt(row, 1));
    for (let look = 0; look < LOOKS; look++) {
      if (atA <= atB) {
        high = b;
        b = a;
        atB = atA;
        a = high - GOLDEN * (high - low);
        atA = this.#gapAt(row, a);
        least = Math.min(least, atA);
      } else {
        low = a;
        a = b;
        atA = atB;
        b = low + GOLDEN * (high - low);
        atB = this.#gapAt(row, b);
        least = Math.min(least, atB);
      }
    }
    return least;
  }

  /** Distance of the point at share `s` of the first capsule's axis to the other thing, m. NaN for NaN. */
  #gapAt(row: Row, s: number): number {
    const { ends } = row.first;
    const p = this.#point;
    for (let k = 0; k < 3; k++) p[k] = (1 - s) * ends[k]! + s * ends[3 + k]!;
    if ('minM' in row.other) {
      const { minM, maxM } = row.other;
      for (let k = 0; k < 3; k++) p[k] = p[k]! - Math.min(Math.max(p[k]!, minM[k]!), maxM[k]!);
      return Math.hypot(p[0]!, p[1]!, p[2]!);
    }
    const o = row.other.ends;
    let along = 0;
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const d = o[3 + k]! - o[k]!;
      along += d * (p[k]! - o[k]!);
      square += d * d;
    }
    const t = square > 0 ? Math.min(Math.max(along / square, 0), 1) : 0;
    for (let k = 0; k < 3; k++) p[k] = p[k]! - o[k]! - t * (o[3 + k]! - o[k]!);
    return Math.hypot(p[0]!, p[1]!, p[2]!);
  }
}

/** Whether spheres around both are so far apart that there is nothing to search. */
function isFar({ first, other, leastM }: Row): boolean {
  let square = 0;
  let reachM = leastM + halfLength(first.ends);
  for (let k = 0; k < 3; k++) {
    const middle = (first.ends[k]! + first.ends[3 + k]!) / 2;
    const there =
      'minM' in other
        ? Math.min(Math.max(middle, other.minM[k]!), other.maxM[k]!)
        : (other.ends[k]! + other.ends[3 + k]!) / 2;
    square += (middle - there) * (middle - there);
  }
  if (!('minM' in other)) reachM += halfLength(other.ends);
  return square > reachM * reachM;
}

function halfLength(ends: Float64Array): number {
  return Math.hypot(ends[3]! - ends[0]!, ends[4]! - ends[1]!, ends[5]! - ends[2]!) / 2;
}
