/** Detects an overloaded machine by the number of ticks that began or ended a period late within the last second (row 48). */
import { OVERLOADED, OVERRUN } from '../fault-table/flags.ts';

const WINDOW_S = 1;
const SLOW_AFTER = 5;
const STOP_AFTER = 20;

/** Share of its highest speed permitted while the machine is overloaded. */
export const OVERLOAD_SPEED_RATIO = 0.5;

/** Row 48. Tick-safe after construction. */
export class OverloadWatchdog {
  /** Ring of the times at which the last overruns were noticed, s. */
  readonly #atS: Float64Array = new Float64Array(STOP_AFTER).fill(Number.NEGATIVE_INFINITY);
  #next = 0;
  #seen = 0;

  /** Takes the total number of overruns since the start, `overruns`, at `nowS`. */
  check(overruns: number, nowS: number): number {
    const fresh = Math.min(overruns - this.#seen, STOP_AFTER);
    this.#seen = overruns;
    for (let k = 0; k < fresh; k++) {
      this.#atS[this.#next] = nowS;
      this.#next = (this.#next + 1) % STOP_AFTER;
    }
    let recent = 0;
    for (let k = 0; k < STOP_AFTER; k++) if (nowS - this.#atS[k]! < WINDOW_S) recent++;
    if (recent >= STOP_AFTER) return OVERRUN | OVERLOADED;
    return recent >= SLOW_AFTER ? OVERRUN : 0;
  }
}
