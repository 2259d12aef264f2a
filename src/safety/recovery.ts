/**
 * Recovery of an arm that stands outside its limits (row 16): a human moves it slowly, and only so that nothing outside
 * gets farther out and nothing inside gets out. If that is impossible, it stands still.
 */
import { ArmKinematics, clamp, type RobotModel } from '../model/index.ts';
import { Clearances } from './avoidance/clearances.ts';
import { PERIOD, type TickTimes } from './tick-times.ts';

/** Largest speed of any joint, and no more than its own limit, rad/s. */
const SPEED_RAD_PER_S = 0.1;
/** Rounding of a distance, m. */
const ROUNDING_M = 1e-12;

/** Recovery of one arm; a mobile base stands still. Tick-safe after construction. */
export class Recovery {
  readonly #model: RobotModel;
  readonly #next: ArmKinematics;
  readonly #nextRad: Float64Array;
  readonly #clearances: Clearances;

  constructor(model: RobotModel) {
    this.#model = model;
    this.#next = new ArmKinematics(model);
    this.#nextRad = new Float64Array(model.joints.length);
    this.#clearances = new Clearances(model);
  }

  /**
   * Changes the wanted `velocity` (n, finite, rad/s) in place to one that may be followed for a tick from
   * `referenceRad` (n), whose clearances are `h`.
   */
  apply(velocity: Float64Array, referenceRad: Float64Array, h: Float64Array, times: TickTimes): void {
    const dtS = times[PERIOD]!;
    let fastest = SPEED_RAD_PER_S;
    for (let i = 0; i < velocity.length; i++) {
      // A joint whose own limit is lower counts as faster.
      const slower = Math.max(1, SPEED_RAD_PER_S / this.#model.joints[i]!.velocityMaxRadPerS);
      fastest = Math.max(fastest, slower * Math.abs(velocity[i]!));
    }
    for (let i = 0; i < velocity.length; i++) {
      const { positionMinRad, positionMaxRad } = this.#model.joints[i]!;
      const from = referenceRad[i]!;
      const wanted = from + (SPEED_RAD_PER_S / fastest) * velocity[i]! * dtS;
      this.#nextRad[i] = clamp(wanted, Math.min(from, positionMinRad), Math.max(from, positionMaxRad));
      velocity[i] = (this.#nextRad[i]! - from) / dtS;
    }
    if (this.#model.base !== undefined || this.#losesRoom(h)) velocity.fill(0);
  }

  #losesRoom(h: Float64Array): boolean {
    this.#next.forward(this.#nextRad);
    this.#clearances.measure(this.#next);
    for (let r = 0; r < h.length; r++) {
      if (!(this.#clearances.h[r]! >= Math.min(h[r]!, 0) - ROUNDING_M)) return true;
    }
    return false;
  }
}
