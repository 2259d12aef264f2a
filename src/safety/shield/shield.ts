/**
 * The trusted core: permits a velocity only if one tick of it, followed by the brake manoeuvre, keeps every joint
 * inside its limits, every clearance of an arm and the speed of its points, and a base inside its fence, all along the
 * path. Otherwise slower motions are tried, and finally the brake step that was verified a tick ago.
 * (docs/safety-case.md)
 */
import { limitMarginsOf, type RobotModel } from '../../model/index.ts';
import type { Clearances } from '../avoidance/clearances.ts';
import { SHIELD_BRAKE, SHIELD_SCALED } from '../bits.ts';
import { brakeStep, writeBrakePath } from '../limits/brake.ts';
import type { ToolSpeed } from '../limits/tool-speed.ts';
import type { TickTimes } from '../tick-times.ts';
import { ClearPath } from './clear-path.ts';
import { Fence } from './fence.ts';

/** Candidate shares of the way from the brake step to the wanted velocity, in order. */
const CANDIDATES: Float64Array = Float64Array.of(1, 0.7, 0.4, 0.1);

/** Verifies brake paths of one robot. Tick-safe after construction. */
export class Shield {
  /** Tracks a fenced base; absent for arms and for bases without a fence. */
  readonly fence: Fence | undefined;
  readonly #model: RobotModel;
  /** [n] margins to the position limits, rad. */
  readonly #margins: Float64Array;
  readonly #path: ClearPath;
  readonly #toolSpeed: ToolSpeed | undefined;
  readonly #brake: Float64Array;
  readonly #candidate: Float64Array;
  /** [n] displacement of the candidate and its brake, rad. */
  readonly #way: Float64Array;

  /** Throws `RangeError` for a collision model with unknown names, or a fence without room. */
  constructor(model: RobotModel, toolSpeed?: ToolSpeed) {
    this.#model = model;
    this.#margins = limitMarginsOf(model);
    this.#toolSpeed = toolSpeed;
    this.#path = new ClearPath(model);
    this.fence =
      model.base?.fence === undefined ? undefined : new Fence(model.base, model.base.fence, model.joints.length);
    this.#brake = new Float64Array(model.joints.length);
    this.#candidate = new Float64Array(model.joints.length);
    this.#way = new Float64Array(model.joints.length);
  }

  /**
   * Changes `velocity` (n, rad/s) in place for a tick of `times` from the reference `referenceRad` (n), with its
   * clearances measured in `start`, and the last velocity `previous` (n). `velocity` must already satisfy the velocity
   * and acceleration limits; then so does the result, as the brake step does and the limits are convex. Returns reason
   * bits.
   */
  apply(
    velocity: Float64Array,
    referenceRad: Float64Array,
    start: Clearances,
    previous: Float64Array,
    times: TickTimes,
  ): number {
    const brake = this.#brake;
    const candidate = this.#candidate;
    brakeStep(brake, this.#model, previous, times);
    for (let at = 0; at < CANDIDATES.length; at++) {
      const share = CANDIDATES[at]!;
      for (let i = 0; i < velocity.length; i++) {
        candidate[i] = share === 1 ? velocity[i]! : brake[i]! + share * (velocity[i]! - brake[i]!);
      }
      if (this.#toolSpeed?.keeps(candidate, times) === false) continue;
      writeBrakePath(this.#way, this.#model, candidate, times);
      if (this.#isVerified(this.#way, referenceRad, start)) {
        velocity.set(candidate);
        return share === 1 ? 0 : SHIELD_SCALED;
      }
    }
    velocity.set(brake);
    return SHIELD_BRAKE;
  }

  /** True if the straight line from `referenceRad` by `way` (n) is safe. */
  #isVerified(way: Float64Array, referenceRad: Float64Array, start: Clearances): boolean {
    if (!this.#keepsJointLimits(way, referenceRad)) return false;
    if (this.fence !== undefined && !this.fence.keeps(way)) return false;
    return this.#path.keeps(way, referenceRad, start);
  }

  /** Checks the end only: a straight line in joint space is inside the limits if both its ends are. */
  #keepsJointLimits(way: Float64Array, referenceRad: Float64Array): boolean {
    for (let i = 0; i < way.length; i++) {
      const joint = this.#model.joints[i]!;
      const margin = this.#margins[i]!;
      const end = referenceRad[i]! + way[i]!;
      // A start inside the margin may only move out of it.
      if (end > Math.max(joint.positionMaxRad - margin, referenceRad[i]!)) return false;
      if (end < Math.min(joint.positionMinRad + margin, referenceRad[i]!)) return false;
    }
    return true;
  }
}
