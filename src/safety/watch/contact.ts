/** Watches what the tool presses with: a wrench beyond the robot's contact limits in two measurements running (row 41). */
import type { RobotModel } from '../../core/index.ts';
import { CONTACT_FORCE } from '../fault-table/flags.ts';

/** One measurement may be a spike of the sensor; two running are a contact. */
const SAMPLES = 2;

/** Row 41. Does nothing where the robot has no contact limits. Tick-safe after construction. */
export class ContactMonitor {
  readonly #forceMaxN: number;
  readonly #torqueMaxNm: number;
  #beyond = 0;

  constructor(model: RobotModel) {
    this.#forceMaxN = model.contact?.forceMaxN ?? Number.POSITIVE_INFINITY;
    this.#torqueMaxNm = model.contact?.torqueMaxNm ?? Number.POSITIVE_INFINITY;
  }

  /** What was felt so far means nothing: the sensor was tared, or the servos do not hold the arm. */
  restart(): void {
    this.#beyond = 0;
  }

  /**
   * Judges the newest measured `wrench` ([6]: N, then N·m, base frame), each axis by itself. A number that is none counts as
   * beyond every limit, where there is one. `isNew` false: it is that of the last call, and counts once.
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
