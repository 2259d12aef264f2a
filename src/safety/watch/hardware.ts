/** Maps a driver's hardware faults to flags of the fault table (rows 13, 37, 45 to 47): the only place that knows both. */
import { HARDWARE, type HardwareFault } from '../../rows/index.ts';
import {
  BATTERY_EMPTY,
  BATTERY_LOW,
  BATTERY_LOWER,
  OBSTACLE_INSIDE,
  OBSTACLE_NEAR,
  SERVO_FAULT,
  SERVO_RESET,
  SIGNAL_LOST,
  STALLED,
  TORQUE_CAP,
} from '../fault-table/flags.ts';

const FLAG: Readonly<Record<HardwareFault, number>> = {
  servoFault: SERVO_FAULT,
  servoReset: SERVO_RESET,
  stalled: STALLED,
  torqueCap: TORQUE_CAP,
  batteryLow: BATTERY_LOW,
  batteryLower: BATTERY_LOWER,
  batteryEmpty: BATTERY_EMPTY,
  signalLost: SIGNAL_LOST,
  obstacleNear: OBSTACLE_NEAR,
  obstacleInside: OBSTACLE_INSIDE,
};

/**
 * Faults that switching torque on clears, as limits are written again and read back then: without torque they are no
 * longer a cause, or no operator could ever acknowledge them.
 */
export const ENDED_BY_ENABLE: number = SERVO_RESET | TORQUE_CAP | STALLED;

/** Hysteresis of the battery flags, s: the voltage dips under load and recovers. */
const BATTERY_HYSTERESIS_S = 2;
/** Rounding of summed periods, s. */
const ROUNDING_S = 1e-9;
const SLOW: readonly HardwareFault[] = ['batteryLow', 'batteryLower', 'batteryEmpty'];

const NAMES = Object.keys(HARDWARE) as readonly HardwareFault[];
const BITS: readonly number[] = NAMES.map((name) => HARDWARE[name]);
const FLAGS: readonly number[] = NAMES.map((name) => FLAG[name]);
const HOLD_S: readonly number[] = NAMES.map((name) => (SLOW.includes(name) ? BATTERY_HYSTERESIS_S : 0));

/** Rows 13, 37, 45, 46 and 47. Tick-safe after construction. */
export class HardwareWatch {
  /** Flags as of the last `check`. */
  flags = 0;
  /** [bits] time since which the driver has reported the opposite of `flags`, s; NaN: it agrees. */
  readonly #otherSinceS: Float64Array = new Float64Array(BITS.length).fill(Number.NaN);

  /** Takes the reported bits of `HARDWARE` at `nowS` and returns `flags`. Unknown bits are ignored. */
  check(said: number, nowS: number): number {
    for (let i = 0; i < BITS.length; i++) {
      const isSaid = (said & BITS[i]!) !== 0;
      if (isSaid === ((this.flags & FLAGS[i]!) !== 0)) {
        this.#otherSinceS[i] = Number.NaN;
        continue;
      }
      if (Number.isNaN(this.#otherSinceS[i]!)) this.#otherSinceS[i] = nowS;
      if (nowS - this.#otherSinceS[i]! < HOLD_S[i]! - ROUNDING_S) continue;
      this.flags ^= FLAGS[i]!;
      this.#otherSinceS[i] = Number.NaN;
    }
    return this.flags;
  }
}
