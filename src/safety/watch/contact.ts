/** Monitors the tool's contact wrench: beyond the robot's contact limits in two consecutive measurements (row 41). */
import type { RobotModel } from '../../model/index.ts';
import { CONTACT_FORCE } from '../fault-table/flags.ts';

/** One measurement may be a spike of the sensor; two in a row are a contact. */
const SAMPLES = 2;

/** Row 41. Inactive for a robot without contact limits. Tick-safe after construction. */
export class ContactMonitor {
  readonly #forceMaxN: number;
  readonly #torqueMaxNm: number;
  #beyond = 0;

  constructor(model: RobotModel) {
    this.#forceMaxN = model.contact?.forceMaxN ?? Number.POSITIVE_INFINITY;
    this.#torqueMaxNm = model.contact?.torqueMaxNm ?? Number.POSITIVE_INFINITY;
  }

  /** Discards earlier measurements: the sensor was tared, or the servos do not hold the arm. */
  restart(): void {
    this.#beyond = 0;
  }

  /**
   * Checks the newest measured `wrench` ([6]: N, then N·m, base frame), each axis separately. NaN counts as beyond
   * every limit, where there is one. `isNew` false: the measurement of the last call, which counts once.
   */
  check(wrench: ArrayLike<number>, isNew = true): number {
    if (isNew) this.#beyond = this.#isBeyond(wrench) ? this.#beyond + 1 : 0;
    return this.#beyond >= SAMPLES ? CONTACT_FORCE : 0;
  }

  #isBeyond(wrench: ArrayLike<number>): boolean {
    if (this.#forceMaxN === Number.POSITIVE_INFINITY && this.#torqueMaxNm === Number.POSITIVE_INFINITY) return false;
    for (let k = 0; k < 3; k++) {
      // Written so that a NaN is beyond.
      if (!(Math.abs(wrench[k]!) <= this.#forceMaxN && Math.abs(wrench[k + 3]!) <= this.#torqueMaxNm)) return true;
    }
    return false;
  }
}
