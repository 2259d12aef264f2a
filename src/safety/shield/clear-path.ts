/** Whether a straight line in joint space keeps every clearance of an arm, all along it and not only at samples. */
import { ArmKinematics, type RobotModel } from '../../core/index.ts';
import { Clearances } from '../avoidance/clearances.ts';

/** Into how many pieces the path is cut before it is given up. */
const PIECES = [1, 4, 16] as const;

/** Proves paths of one arm. Tick-safe after construction. */
export class ClearPath {
  readonly #probe: ArmKinematics;
  readonly #clearances: Clearances;
  readonly #joints: Float64Array;
  /** [R] what is kept, m: 0, but never tighter than where the arm stands, so that it can always leave. */
  readonly #floors: Float64Array;
  /** [R] rows that are not proved yet; and those that the present pieces leave open. */
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

  /** For joints at `fromRad` (n), measured in `start`, displaced by `wayRad` (n). */
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

  /** Marks the rows that could be broken at all; what is farther away than the path is long needs no kinematics. */
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

  /** Goes along the path in `pieces`; false where a row is broken, and `#open` marks what is not proved. */
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
