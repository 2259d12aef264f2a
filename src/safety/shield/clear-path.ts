/** Proves that a straight line in joint space keeps every clearance of an arm, along all of it and not only at samples. */
import { ArmKinematics, type RobotModel } from '../../model/index.ts';
import { Clearances } from '../avoidance/clearances.ts';

/** Numbers of pieces into which a path is cut before the proof is given up. */
const PIECES = [1, 4, 16] as const;

/** Proves paths of one arm. Tick-safe after construction. */
export class ClearPath {
  readonly #probe: ArmKinematics;
  readonly #clearances: Clearances;
  readonly #joints: Float64Array;
  /** [R] required clearance, m: 0, but never more than the present one, so that the arm can always leave. */
  readonly #floors: Float64Array;
  /** [R] rows not proved yet; and rows that the present pieces leave open. */
  readonly #needed: Uint8Array;
  readonly #open: Uint8Array;
  readonly #samples: readonly [Float64Array, Float64Array];

  constructor(model: RobotModel) {
    this.#probe = new ArmKinematics(model);
    this.#clearances = new Clearances(model);
    const { rows, current } = this.#clearances;
    this.#joints = new Float64Array(model.joints.length);
    this.#floors = new Float64Array(rows.length);
    this.#needed = new Uint8Array(rows.length);
    this.#open = new Uint8Array(rows.length);
    this.#samples = [current.slice(), current.slice()];
  }

  /** True if all clearances are kept from `fromRad` (n), measured in `start`, along the displacement `pathRad` (n). */
  keeps(pathRad: Float64Array, fromRad: Float64Array, start: Clearances): boolean {
    this.#clearances.boundMotion(pathRad);
    if (!this.#needsLook(start)) return true;
    for (const pieces of PIECES) {
      if (!this.#walk(pathRad, fromRad, start, pieces)) return false;
      let left = 0;
      for (let r = 0; r < this.#open.length; r++) {
        this.#needed[r] = this.#open[r]!;
        left += this.#open[r]!;
      }
      if (left === 0) return true;
    }
    return false;
  }

  /** Marks the rows that could be violated at all: a row farther away than the path is long needs no kinematics. */
  #needsLook(start: Clearances): boolean {
    let isAny = false;
    for (let r = 0; r < this.#needed.length; r++) {
      const room = start.h[r]!;
      this.#floors[r] = Math.min(0, room);
      const isFar = room - this.#floors[r]! >= this.#clearances.speed[r]!;
      this.#needed[r] = isFar ? 0 : 1;
      if (!isFar) isAny = true;
    }
    return isAny;
  }

  /** Follows the path in `pieces`; returns false if a row is violated, and marks unproved rows in `#open`. */
  #walk(pathRad: Float64Array, fromRad: Float64Array, start: Clearances, pieces: number): boolean {
    this.#open.fill(0);
    let before = start.current;
    for (let k = 1; k <= pieces; k++) {
      const here = this.#samples[k & 1]!;
      for (let i = 0; i < pathRad.length; i++) this.#joints[i] = fromRad[i]! + pathRad[i]! * (k / pieces);
      this.#probe.forward(this.#joints);
      this.#clearances.sample(here, this.#probe, this.#needed);
      if (!this.#clearances.keepsBetween(before, here, pieces, this.#floors, this.#needed, this.#open)) return false;
      before = here;
    }
    return true;
  }
}
