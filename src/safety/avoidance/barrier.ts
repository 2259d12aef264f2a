/**
 * Smooth avoidance before the shield has to act: of all velocities that let the reference stop before every wall, box
 * and link, the one nearest to the wanted one. A discrete-time control barrier function, solved exactly.
 * (docs/safety-case.md, barrier). It smooths only: the guarantee is the shield's.
 */
import type { ArmKinematics, RobotModel } from '../../model/index.ts';
import { BARRIER_BRAKE, BARRIER_STEERED } from '../bits.ts';
import { brakeStep } from '../limits/brake.ts';
import { PERIOD, type TickTimes } from '../tick-times.ts';
import { ActiveSet, MOST_ROWS } from './active-set.ts';
import type { Clearances } from './clearances.ts';

/** Share γ of the clearance that one tick and the brake after it may use up: half leaves half the acceleration to spare. */
const USABLE = 0.5;
/** Tolerance for row violations: rounding, m. */
const ROUNDING_M = 1e-12;

/**
 * For every clearance h_j with gradient g_j that is near enough to matter, with L = dt + T_b/2:
 *
 *   min ½‖W(u − wanted)‖²   s.t.   low ≤ u ≤ high,   −g_jᵀu·L ≤ max(0, γ·h_j − ε_j),   ε_j = ½·bend_j·L²
 *
 * W = 1/v_max. Brake time T_b = max m_i/A_i and the bend use m_i, the largest |u_i| of the box, and not the joints'
 * limits: slow motion may go near a wall, and the result does not depend on the wanted velocity, so filtering twice
 * changes nothing. Standing still and moving along a wall or away from it are never forbidden. Tick-safe after
 * construction.
 */
export class Barrier {
  readonly #model: RobotModel;
  readonly #clearances: Clearances;
  readonly #solver: ActiveSet;
  readonly #weights: Float64Array;
  /** [n] largest |u| in the box. */
  readonly #most: Float64Array;
  /** [R] distance that a tick and its brake may use up of each clearance, m. */
  readonly #usable: Float64Array;
  /** [n·MOST_ROWS] and [MOST_ROWS] the solver's input. */
  readonly #rows: Float64Array;
  readonly #offsets: Float64Array;
  /** [1] L, s. */
  readonly #length: Float64Array = new Float64Array(1);

  /** `clearances` are measured by the caller, which moves the reference; their gradients, `speed` and `bend` are overwritten here. */
  constructor(model: RobotModel, clearances: Clearances) {
    const n = model.joints.length;
    this.#model = model;
    this.#clearances = clearances;
    this.#solver = new ActiveSet(n, MOST_ROWS);
    this.#weights = Float64Array.from(model.joints, ({ velocityMaxRadPerS }) => 1 / velocityMaxRadPerS);
    this.#most = new Float64Array(n);
    this.#usable = new Float64Array(clearances.rows.length);
    this.#rows = new Float64Array(n * MOST_ROWS);
    this.#offsets = new Float64Array(MOST_ROWS);
  }

  /**
   * Changes `velocity` (n, rad/s) in place for a tick of `times` from the pose in `reference`, at which the clearances
   * were measured. `low` and `high` (n): the velocities that the limits allow after `previous` (n). If none of them
   * satisfies all rows, or the solver's answer does not, the brake step is taken. Returns reason bits.
   */
  apply(
    velocity: Float64Array,
    low: Float64Array,
    high: Float64Array,
    previous: Float64Array,
    reference: ArmKinematics,
    times: TickTimes,
  ): number {
    if (!this.#isNear(low, high, times)) return 0;
    this.#clearances.measureGradients(reference);
    const count = this.#gather();
    if (this.#isKept(velocity)) return 0;
    const solver = this.#solver;
    const status = solver.solve(this.#weights, velocity, low, high, this.#rows, this.#offsets, count);
    // Always verified: the solver sees 64 rows at most, and it is long code.
    if (status === 'solved' && this.#isKept(solver.solution) && isInside(solver.solution, low, high)) {
      velocity.set(solver.solution);
      return BARRIER_STEERED;
    }
    brakeStep(velocity, this.#model, previous, times);
    return BARRIER_BRAKE;
  }

  /** Fills `#usable`. Returns false if every velocity that the limits allow keeps all clearances, so that nothing has to be solved. */
  #isNear(low: Float64Array, high: Float64Array, times: TickTimes): boolean {
    const { h, speed, bend } = this.#clearances;
    let brakeS = 0;
    for (let i = 0; i < low.length; i++) {
      const most = Math.max(Math.abs(low[i]!), Math.abs(high[i]!));
      this.#most[i] = most;
      brakeS = Math.max(brakeS, most / this.#model.joints[i]!.accelMaxRadPerS2);
    }
    const lengthS = times[PERIOD]! + brakeS / 2;
    this.#length[0] = lengthS;
    this.#clearances.boundMotion(this.#most);
    let isNear = false;
    for (let r = 0; r < h.length; r++) {
      const usable = Math.max(0, USABLE * h[r]! - (bend[r]! * lengthS * lengthS) / 2);
      this.#usable[r] = usable;
      if (speed[r]! * lengthS > usable) isNear = true;
    }
    return isNear;
  }

  /** Writes the rows that matter for the solver, the first 64 of them. Returns their number. */
  #gather(): number {
    const { gradient, speed, h } = this.#clearances;
    const n = this.#weights.length;
    const lengthS = this.#length[0]!;
    let count = 0;
    for (let r = 0; r < h.length && count < MOST_ROWS; r++) {
      if (speed[r]! * lengthS <= this.#usable[r]!) continue;
      for (let i = 0; i < n; i++) this.#rows[n * count + i] = -gradient[n * r + i]! * lengthS;
      this.#offsets[count++] = this.#usable[r]!;
    }
    return count;
  }

  /** True if `u` (n) satisfies all rows, including those that the solver did not see. */
  #isKept(u: Float64Array): boolean {
    const { gradient, h } = this.#clearances;
    const lengthS = this.#length[0]!;
    for (let r = 0; r < h.length; r++) {
      let approach = 0;
      for (let i = 0; i < u.length; i++) approach -= gradient[u.length * r + i]! * u[i]!;
      if (!(approach * lengthS <= this.#usable[r]! + ROUNDING_M)) return false;
    }
    return true;
  }
}

function isInside(u: Float64Array, low: Float64Array, high: Float64Array): boolean {
  for (let i = 0; i < u.length; i++) if (!(u[i]! >= low[i]! && u[i]! <= high[i]!)) return false;
  return true;
}
