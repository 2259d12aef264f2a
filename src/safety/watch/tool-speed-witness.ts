/** Speed of an arm's points between consecutive references, for the limit monitor: from their positions, not from Jacobians. */
import { type ArmKinematics, monitoredPoints, type RobotModel } from '../../model/index.ts';

const RELATIVE = 1e-9;
/** Rounding of speeds: differences of positions of some metres over half a millisecond, m/s. */
const ROUNDING_M_PER_S = 1e-9;

/** Monitors one arm. Tick-safe after construction. */
export class ToolSpeedWitness {
  readonly #points: readonly { readonly link: number; readonly atM: Float64Array }[];
  /** [3·P] last positions, m. */
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

  /** Restarts at the pose in `arm`. */
  restart(arm: ArmKinematics): void {
    this.isTooFast(arm, 1, Number.POSITIVE_INFINITY);
  }

  /** True if a point moved faster than `limitMPerS` to the pose in `arm`, in `tickS`. True for NaN. */
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
