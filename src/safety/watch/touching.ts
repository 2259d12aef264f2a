/**
 * Independent collision check of an arm with itself and with keep-out boxes, for the limit monitor. It searches along
 * capsules instead of computing closest points, and shares no code with the stages that keep them apart.
 */
import type { ArmKinematics, Capsule, KeepOutBox, RobotModel } from '../../model/index.ts';

/** Rounding of distances, m. */
const ROUNDING_M = 1e-9;
/** Evaluations of the golden-section search to narrow [0, 1] to 10⁻⁹: rounding, near the bottom of a convex function. */
const LOOKS = 44;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Indices of a search: its two evaluations, and the least distance. */
const A = 0;
const B = 1;
const LEAST = 2;

interface Place {
  readonly capsule: Capsule;
  /** −1 for the base. */
  readonly link: number;
  /** [3] its ends on the link, m. In typed arrays, like every argument of `pointOf`: with mixed types each number would be garbage. */
  readonly fromM: Float64Array;
  readonly toM: Float64Array;
  /** [6] ends in the base frame, m. */
  readonly ends: Float64Array;
}

interface Row {
  readonly first: Place;
  /** The capsule or box that it is kept away from. */
  readonly other: Place | KeepOutBox;
  readonly leastM: number;
}

/** Monitors one arm. Tick-safe after construction. */
export class TouchWitness {
  readonly #places: readonly Place[];
  readonly #rows: readonly Row[];
  /** [R] required distance, m: never more than at the last `restart`, so that an arm that starts too near may leave. */
  readonly #floorsM: Float64Array;
  readonly #point: Float64Array = new Float64Array(3);
  /**
   * [2] positions under evaluation, as shares of the first capsule's axis; here and below in arrays, since a number
   * passed to a call is garbage.
   */
  readonly #shares: Float64Array = new Float64Array(2);
  /** [3] distances found there, and the least found anywhere, m. */
  readonly #gapsM: Float64Array = new Float64Array(3);

  constructor(model: RobotModel, arm: ArmKinematics) {
    const { capsules = [], pairs = [], keepOut = [], clearanceM = 0 } = model.collision ?? {};
    const places = new Map<string, Place>();
    for (const capsule of model.base === undefined ? capsules : []) {
      places.set(capsule.name, {
        capsule,
        link: arm.topology.link(capsule.link),
        fromM: Float64Array.from(capsule.fromM),
        toM: Float64Array.from(capsule.toM),
        ends: new Float64Array(6),
      });
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

  /** Restarts at the pose in `arm`. */
  restart(arm: ArmKinematics): void {
    this.#place(arm);
    for (let r = 0; r < this.#rows.length; r++) {
      const row = this.#rows[r]!;
      this.#search(row);
      this.#floorsM[r] = Math.min(row.leastM, this.#gapsM[LEAST]!);
    }
  }

  /** True if any distance is below the required one at the pose in `arm`. */
  isTouching(arm: ArmKinematics): boolean {
    this.#place(arm);
    for (let r = 0; r < this.#rows.length; r++) {
      const row = this.#rows[r]!;
      if (isFar(row)) continue;
      this.#search(row);
      if (!(this.#gapsM[LEAST]! >= this.#floorsM[r]! - ROUNDING_M)) return true;
    }
    return false;
  }

  #place(arm: ArmKinematics): void {
    for (const { link, fromM, toM, ends } of this.#places) {
      arm.pointOf(this.#point, link, fromM);
      for (let k = 0; k < 3; k++) ends[k] = this.#point[k]!;
      arm.pointOf(this.#point, link, toM);
      for (let k = 0; k < 3; k++) ends[3 + k] = this.#point[k]!;
    }
  }

  /** Leaves the distance of the axes in LEAST: to a convex body it is convex along a segment, so a search finds its minimum. */
  #search(row: Row): void {
    const shares = this.#shares;
    const gapsM = this.#gapsM;
    gapsM[LEAST] = Number.POSITIVE_INFINITY;
    shares[A] = 0;
    this.#look(row, A);
    shares[A] = 1;
    this.#look(row, A);
    let low = 0;
    let high = 1;
    shares[A] = high - GOLDEN;
    shares[B] = GOLDEN;
    this.#look(row, A);
    this.#look(row, B);
    for (let look = 0; look < LOOKS; look++) {
      if (gapsM[A]! <= gapsM[B]!) {
        high = shares[B]!;
        shares[B] = shares[A]!;
        gapsM[B] = gapsM[A]!;
        shares[A] = high - GOLDEN * (high - low);
        this.#look(row, A);
      } else {
        low = shares[A]!;
        shares[A] = shares[B]!;
        gapsM[A] = gapsM[B]!;
        shares[B] = low + GOLDEN * (high - low);
        this.#look(row, B);
      }
    }
  }

  /** Writes the distance of the point at the share in `slot` to the other body, m, into the same slot and into LEAST. NaN for NaN. */
  #look(row: Row, slot: typeof A | typeof B): void {
    const { ends } = row.first;
    const s = this.#shares[slot]!;
    const p = this.#point;
    for (let k = 0; k < 3; k++) p[k] = (1 - s) * ends[k]! + s * ends[3 + k]!;
    if ('minM' in row.other) {
      const { minM, maxM } = row.other;
      for (let k = 0; k < 3; k++) p[k] = p[k]! - Math.min(Math.max(p[k]!, minM[k]!), maxM[k]!);
    } else {
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
    }
    // Math.hypot makes garbage.
    const gapM = Math.sqrt(p[0]! * p[0]! + p[1]! * p[1]! + p[2]! * p[2]!);
    this.#gapsM[slot] = gapM;
    this.#gapsM[LEAST] = Math.min(this.#gapsM[LEAST]!, gapM);
  }
}

/** True if spheres around both are so far apart that there is nothing to search. */
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
  let square = 0;
  for (let k = 0; k < 3; k++) square += (ends[3 + k]! - ends[k]!) * (ends[3 + k]! - ends[k]!);
  return Math.sqrt(square) / 2;
}
