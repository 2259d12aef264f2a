/**
 * Clearances of an arm to everything that it must keep away from: walls of the workspace, keep-out boxes, itself. One
 * row each, with its gradient and with bounds that hold for every pose. A mobile base has no rows.
 */
import { ArmKinematics, type RobotModel } from '../../model/index.ts';
import { staysAbove } from './between.ts';
import { type AnyRow, type ClearanceRow, clearanceRows, type KeepOutRow, type PairRow } from './clearance-rows.ts';
import { CLOSEST_SIZE, segmentFromBox, segmentsApart } from './distance.ts';
import { ENDS, NORMAL, OTHER, SAMPLE_SIZE } from './sample.ts';

/**
 * @example
 * const clearances = new Clearances(model);
 * clearances.measureGradients(kinematics); // after kinematics.forward(jointsRad)
 * clearances.h[0]; // m, ≥ 0 where it is kept
 */
export class Clearances {
  /** [R] the monitored distances, in the order of all arrays below. */
  readonly rows: readonly ClearanceRow[];
  /** [R] metres above the required distance; 0 at the limit. Distance less radii and clearance; plain distance for walls. */
  readonly h: Float64Array;
  /** [R·n] row-major ∂h/∂q, m/rad; 0 where axes touch, as no direction leads apart there. */
  readonly gradient: Float64Array;
  /** [R·n] row-major upper bound of |∂h/∂q_i| over all poses, m/rad. */
  readonly slope: Float64Array;
  /** [R] upper bound of |h′| along a straight line in joint space: m/s for a velocity, m for a displacement. Filled by `boundMotion`. */
  readonly speed: Float64Array;
  /** [R] upper bound of |p″| of the monitored point relative to the obstacle: m/s², or m. Filled by `boundMotion`. */
  readonly bend: Float64Array;

  /** [`SAMPLE_SIZE`·R] result of the last `measure` or `measureGradients`. */
  readonly current: Float64Array;

  readonly #rows: readonly AnyRow[];
  readonly #all: Uint8Array;
  /** [2·R] sign and position (m) of each wall. In an array: V8 allocates for numbers read from fields of several row types. */
  readonly #walls: Float64Array;
  readonly #closest: Float64Array = new Float64Array(CLOSEST_SIZE);
  readonly #point: Float64Array = new Float64Array(3);
  readonly #axis: Float64Array = new Float64Array(3);

  /** Throws `RangeError` for a collision model with unknown names (see `clearanceRows`). */
  constructor(model: RobotModel) {
    const kinematics = new ArmKinematics(model);
    const n = model.joints.length;
    this.#rows = clearanceRows(model, kinematics);
    this.rows = this.#rows;
    const R = this.rows.length;
    this.h = new Float64Array(R);
    this.gradient = new Float64Array(R * n);
    this.slope = new Float64Array(R * n);
    this.speed = new Float64Array(R);
    this.bend = new Float64Array(R);
    this.#all = new Uint8Array(R).fill(1);
    this.#walls = Float64Array.from(
      this.#rows.flatMap((row) => (row.kind === 'wall' ? [row.sign, row.wallM] : [0, 0])),
    );
    this.current = new Float64Array(SAMPLE_SIZE * R);
    for (let r = 0; r < R; r++) {
      const row = this.#rows[r]!;
      for (let i = 0; i < n; i++) {
        this.slope[n * r + i] = row.limb.reachM[i]! + (row.kind === 'pair' ? row.otherLimb.reachM[i]! : 0);
      }
    }
  }

  /** Fills `h` for the pose in `kinematics`. Tick-safe. */
  measure(kinematics: ArmKinematics): void {
    this.sample(this.current, kinematics, this.#all);
    for (let r = 0; r < this.h.length; r++) this.h[r] = this.current[SAMPLE_SIZE * r]!;
  }

  /** Fills `h` and `gradient` for the pose in `kinematics`. Tick-safe. */
  measureGradients(kinematics: ArmKinematics): void {
    this.gradient.fill(0);
    for (let r = 0; r < this.h.length; r++) {
      this.#sampleRow(this.current, r, kinematics);
      this.h[r] = this.current[SAMPLE_SIZE * r]!;
      this.#differentiate(r, kinematics);
    }
  }

  /** Writes the rows marked in `needed` (R), at the pose in `kinematics`, into `out` (`SAMPLE_SIZE`·R). Tick-safe. */
  sample(out: Float64Array, kinematics: ArmKinematics, needed: Uint8Array): void {
    for (let r = 0; r < needed.length; r++) if (needed[r] === 1) this.#sampleRow(out, r, kinematics);
  }

  /** Fills `speed` and `bend` for joint velocities `velocity` (n, rad/s), or for a displacement (rad) covered in unit time. Tick-safe. */
  boundMotion(velocity: Float64Array): void {
    for (let r = 0; r < this.h.length; r++) {
      const row = this.#rows[r]!;
      // The six walls of a point share one limb.
      if (r === 0 || row.limb !== this.#rows[r - 1]!.limb) row.limb.bound(velocity);
      this.speed[r] = row.limb.bounds[0]!;
      this.bend[r] = row.limb.bounds[1]!;
      if (row.kind !== 'pair') continue;
      row.otherLimb.bound(velocity);
      this.speed[r] = this.speed[r]! + row.otherLimb.bounds[0]!;
      this.bend[r] = this.bend[r]! + row.otherLimb.bounds[1]!;
    }
  }

  /**
   * Checks the rows marked in `needed` (R) between the samples `from` and `to`, at the ends of one of `pieces` equal
   * pieces of the displacement last passed to `boundMotion`. Returns false if one is below its floor (`floors`, R, m)
   * at `to`. Marks in `open` (R) those that may also be below in between. Tick-safe.
   */
  keepsBetween(
    from: Float64Array,
    to: Float64Array,
    pieces: number,
    floors: Float64Array,
    needed: Uint8Array,
    open: Uint8Array,
  ): boolean {
    for (let r = 0; r < needed.length; r++) {
      if (needed[r] === 0) continue;
      if (!(to[SAMPLE_SIZE * r]! >= floors[r]!)) return false;
      if (open[r] === 0 && !staysAbove(this.#rows[r]!, r, from, to, pieces, floors, this)) open[r] = 1;
    }
    return true;
  }

  #sampleRow(out: Float64Array, r: number, kinematics: ArmKinematics): void {
    const row = this.#rows[r]!;
    const at = SAMPLE_SIZE * r;
    if (row.kind === 'pair') this.#samplePair(out, at, row, kinematics);
    else if (row.kind === 'keepOut') this.#sampleKeepOut(out, at, row, kinematics);
    else {
      kinematics.pointOf(this.#point, row.link, row.pointM);
      out[at] = this.#walls[2 * r]! * (this.#point[row.axis]! - this.#walls[2 * r + 1]!);
    }
  }

  #sampleKeepOut(out: Float64Array, at: number, row: KeepOutRow, kinematics: ArmKinematics): void {
    this.#placeEnd(out, at + ENDS, row.link, row.fromM, -1, kinematics);
    this.#placeEnd(out, at + ENDS + 3, row.link, row.toM, -1, kinematics);
    segmentFromBox(this.#closest, out, at + ENDS, row.boxMinM, row.boxMaxM);
    this.#writeGap(out, at, row);
  }

  #samplePair(out: Float64Array, at: number, row: PairRow, kinematics: ArmKinematics): void {
    this.#placeEnd(out, at + ENDS, row.link, row.fromM, row.common, kinematics);
    this.#placeEnd(out, at + ENDS + 3, row.link, row.toM, row.common, kinematics);
    this.#placeEnd(out, at + OTHER, row.otherLink, row.otherFromM, row.common, kinematics);
    this.#placeEnd(out, at + OTHER + 3, row.otherLink, row.otherToM, row.common, kinematics);
    segmentsApart(this.#closest, out, at + ENDS, at + OTHER);
    this.#writeGap(out, at, row);
  }

  /** Writes the clearance and the normal that points from the box or the other capsule to this one. */
  #writeGap(out: Float64Array, at: number, row: KeepOutRow | PairRow): void {
    const c = this.#closest;
    const distanceM = c[0]!;
    out[at] = distanceM - row.marginM;
    for (let k = 0; k < 3; k++) out[at + NORMAL + k] = distanceM > 0 ? (c[1 + k]! - c[4 + k]!) / distanceM : 0;
  }

  /** Writes into `out` at offset `at` the position of point `pointM` of link `link` in the frame of link `seenFrom` (−1: base). */
  #placeEnd(
    out: Float64Array,
    at: number,
    link: number,
    pointM: Float64Array,
    seenFrom: number,
    kinematics: ArmKinematics,
  ): void {
    const p = this.#point;
    kinematics.pointOf(p, link, pointM);
    if (seenFrom < 0) {
      for (let k = 0; k < 3; k++) out[at + k] = p[k]!;
      return;
    }
    const f = kinematics.linkFrames;
    const o = 12 * seenFrom;
    for (let k = 0; k < 3; k++) p[k] = p[k]! - f[o + 9 + k]!;
    for (let k = 0; k < 3; k++) out[at + k] = f[o + k]! * p[0]! + f[o + 3 + k]! * p[1]! + f[o + 6 + k]! * p[2]!;
  }

  /** Fills the row of `gradient` for the last result of `#sampleRow`. */
  #differentiate(r: number, kinematics: ArmKinematics): void {
    const row = this.#rows[r]!;
    if (row.kind === 'wall') {
      kinematics.pointOf(this.#point, row.link, row.pointM);
      this.#axis.fill(0);
      this.#axis[row.axis] = row.sign;
      this.#addRates(r, row.limb.reachM, 1, this.#point, kinematics);
      return;
    }
    const common = row.kind === 'pair' ? row.common : -1;
    const n = this.#axis;
    const at = SAMPLE_SIZE * r + NORMAL;
    for (let k = 0; k < 3; k++) n[k] = this.current[at + k]!;
    if (common >= 0) turnBy(n, kinematics.linkFrames, 12 * common);
    this.#takeClosest(1, common, kinematics);
    this.#addRates(r, row.limb.reachM, 1, this.#point, kinematics);
    if (row.kind !== 'pair') return;
    this.#takeClosest(4, common, kinematics);
    this.#addRates(r, row.otherLimb.reachM, -1, this.#point, kinematics);
  }

  /** Puts the closest point at offset `from` of `#closest` into `#point`, in the base frame. */
  #takeClosest(from: number, seenFrom: number, kinematics: ArmKinematics): void {
    const p = this.#point;
    for (let k = 0; k < 3; k++) p[k] = this.#closest[from + k]!;
    if (seenFrom < 0) return;
    const f = kinematics.linkFrames;
    turnBy(p, f, 12 * seenFrom);
    for (let k = 0; k < 3; k++) p[k] = p[k]! + f[12 * seenFrom + 9 + k]!;
  }

  /** Adds sign·(normal · ∂p/∂q_i) to row `r` for every joint with a nonzero entry in `counts`. */
  #addRates(r: number, counts: Float64Array, sign: number, p: Float64Array, kinematics: ArmKinematics): void {
    const { axes, originsM, topology, joints } = kinematics;
    const n = this.#axis;
    for (let i = 0; i < joints; i++) {
      if (counts[i] === 0) continue;
      const ax = axes[3 * i]!;
      const ay = axes[3 * i + 1]!;
      const az = axes[3 * i + 2]!;
      const at = joints * r + i;
      if (topology.slides(i)) {
        this.gradient[at] = this.gradient[at]! + sign * (ax * n[0]! + ay * n[1]! + az * n[2]!);
        continue;
      }
      const x = p[0]! - originsM[3 * i]!;
      const y = p[1]! - originsM[3 * i + 1]!;
      const z = p[2]! - originsM[3 * i + 2]!;
      const rate = n[0]! * (ay * z - az * y) + n[1]! * (az * x - ax * z) + n[2]! * (ax * y - ay * x);
      this.gradient[at] = this.gradient[at]! + sign * rate;
    }
  }
}

/** Rotates `vector` (3) in place by the rotation (row-major) at offset `at` of `frames`. */
function turnBy(vector: Float64Array, frames: Float64Array, at: number): void {
  const x = vector[0]!;
  const y = vector[1]!;
  const z = vector[2]!;
  for (let k = 0; k < 3; k++) {
    vector[k] = frames[at + 3 * k]! * x + frames[at + 3 * k + 1]! * y + frames[at + 3 * k + 2]! * z;
  }
}
