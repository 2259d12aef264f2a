/** Refuses to begin with a jump: the first target after a start must be near the measured pose. */
import { isFree, type RobotModel } from '../../model/index.ts';
import { START_REFUSED } from '../bits.ts';
import type { ActionMap, MapInput } from './action-map.ts';

/** Largest distance of a first target from the measured pose. */
export const START_NEAR_RAD = 0.1;
export const START_NEAR_M = 0.02;

// With a tolerance, so that a step of exactly that passes despite rounding.
const NEAR_RAD: number = START_NEAR_RAD + 1e-9;
const NEAR_M: number = START_NEAR_M + 1e-9;

/** Watches the first command after each `reset`. Tick-safe. */
export class StartGuard {
  readonly #model: RobotModel;
  #hasStarted = false;

  constructor(model: RobotModel) {
    this.#model = model;
  }

  /** Treats the next command as a first one again. */
  reset(): void {
    this.#hasStarted = false;
  }

  /** Judges the target that `map` has just set. A refused target is dropped; the next command is judged again. */
  check(map: ActionMap, input: MapInput): number {
    if (this.#hasStarted) return 0;
    if (this.#isNear(map, input)) {
      this.#hasStarted = true;
      return 0;
    }
    map.drop();
    return START_REFUSED;
  }

  /** Negated comparisons: NaN counts as far. */
  #isNear(map: ActionMap, input: MapInput): boolean {
    for (let i = 0; i < input.referenceRad.length; i++) {
      // A base's odometry has no absolute target: its first path cannot be far from the measured pose.
      if (isFree(this.#model.joints[i]!) && Number.isFinite(map.targetRad[i])) continue;
      const measured = input.measuredRad[i]!;
      if (!(Math.abs(map.targetRad[i]! - measured) <= NEAR_RAD)) return false;
    }
    if (map.kind === 'joint') return true;
    const p = input.measured.tcpPositionM;
    const t = map.targetM;
    return Math.hypot(t[0]! - p[0]!, t[1]! - p[1]!, t[2]! - p[2]!) <= NEAR_M;
  }
}
