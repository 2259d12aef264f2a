/** How fast the points of an arm went from one reference to the next, for the limit monitor: by where they were, and not by Jacobians. */
import { type ArmKinematics, monitoredPoints, type RobotModel } from '../../core/index.ts';

const RELATIVE = 1e-9;
/** Differences of places of some metres over half a millisecond are no more exact than this, m/s. */
const ROUNDING_M_PER_S = 1e-9;

/** Watches one arm. Tick-safe after construction. */
export class ToolSpeedWitness {
  readonly #points: readonly { readonly link: number; readonly atM: Float64Array }[];
  /** [3·P] where they were, m. */
  readonly #last: Float64Array;
  readonly #place: Float64Array = new Float64Array(3);

  constructor(model: RobotModel, arm: ArmKinematics) {
    this.#points = monitoredPoints(model).map(({ link, positionM }) => {
      const { topology } = arm;
      return {
        link: link === undefined ? topology.toolLink : topology.link(link),
        atM: Float64Array.from(positionM),
      };
    });
    this.#last = new Float64Array(3 * this.#points.length);
  }

  /** The arm stands at the pose that `arm` keeps. */
  restart(arm: ArmKinematics): void {
    this.isTooFast(arm, 1, Number.POSITIVE_INFINITY);
  }

  /** Whether a point went faster than `limitMPerS` to the pose that `arm` keeps, in `tickS`. A NaN is too fast. */
  isTooFast(arm: ArmKinematics, tickS: number, limitMPerS: number): boolean {
    const p = this.#place;
    const last = this.#last;
    const most = (limitMPerS * (1 + RELATIVE) + ROUNDING_M_PER_S) * tickS;
    let isTooFast = false;
    for (let k = 0; k < this.#points.length; k++) {
      const { link, atM } = this.#points[k]!;
      arm.pointOf(p, link, atM);
      let square = 0;
      for (let axis = 0; axis < 3; axis++) {
        const moved = p[axis]! - last[3 * k + axis]!;
        square += moved * moved;
        last[3 * k + axis] = p[axis]!;
      }
      if (!(square <= most * most)) isTooFast = true;
    }
    return isTooFast;
  }
}
