/** What is in the energy tank, and what went in and out of it. */
import type { TankModel } from '../../core/index.ts';
import { PERIOD, type TickTimes } from '../tick-times.ts';

/** Places in `accountJ`: the content; what may be spent of it; what the last `credit` or `topUp` took in. */
export const CONTENT = 0;
export const SPARE = 1;
export const TAKEN = 2;

/**
 * The books of one tank, J. Whatever is booked, its content stays at most `maxJ`; that it stays at least `minJ` is the doing
 * of those who book: they spend no more than is spare. Amounts are read from arrays, at a place, and answers written into
 * one (`TickTimes` says why). Tick-safe after construction.
 */
export class EnergyLedger {
  /** [3] see `CONTENT`. */
  readonly accountJ: Float64Array = new Float64Array(3);
  readonly #tank: TankModel;

  /** Throws `RangeError` unless 0 ≤ minJ ≤ startJ ≤ maxJ, minJ < maxJ, powerMaxW > 0, 0 ≤ recovery < 1 and topUpW ≥ 0. */
  constructor(tank: TankModel) {
    const { startJ, minJ, maxJ, powerMaxW, recovery, topUpW } = tank;
    if (!(minJ >= 0 && minJ <= startJ && startJ <= maxJ && minJ < maxJ && maxJ < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`a tank needs 0 ≤ minJ ≤ startJ ≤ maxJ and minJ < maxJ, got ${minJ}, ${startJ}, ${maxJ}`);
    }
    if (!(powerMaxW > 0)) throw new RangeError(`powerMaxW of a tank must be > 0, got ${powerMaxW}`);
    if (!(recovery >= 0 && recovery < 1)) throw new RangeError(`recovery of a tank must be in [0, 1), got ${recovery}`);
    if (!(topUpW >= 0)) throw new RangeError(`topUpW of a tank must be ≥ 0, got ${topUpW}`);
    this.#tank = tank;
    this.reset();
  }

  /** Whether there is as much to spend as `amountsJ[at]`; no number is never paid. */
  canPay(amountsJ: Float64Array, at: number): boolean {
    return amountsJ[at]! <= this.accountJ[SPARE]!;
  }

  /** Books that `amountsJ[at]` goes out; what is negative comes in. A debit that is no number empties the tank. */
  debit(amountsJ: Float64Array, at: number): void {
    const rest = this.accountJ[CONTENT]! - amountsJ[at]!;
    this.accountJ[CONTENT] = Number.isNaN(rest) ? this.#tank.minJ : Math.min(this.#tank.maxJ, rest);
    this.#count();
  }

  /** Takes in the share `recovery` of `amountsJ[at]` ≥ 0, which dampers took out (`TAKEN`); what does not fit is lost. */
  credit(amountsJ: Float64Array, at: number): void {
    const share = this.#tank.recovery * amountsJ[at]!;
    const account = this.accountJ;
    account[TAKEN] = share > 0 ? share : 0;
    account[CONTENT] = Math.min(this.#tank.maxJ, account[CONTENT]! + account[TAKEN]!);
    this.#count();
  }

  /** Tops up slowly, and never beyond the start. What came in is `TAKEN`. */
  topUp(times: TickTimes): void {
    const account = this.accountJ;
    const room = this.#tank.startJ - account[CONTENT]!;
    const wanted = this.#tank.topUpW * times[PERIOD]!;
    account[TAKEN] = room > 0 && wanted > 0 ? Math.min(room, wanted) : 0;
    account[CONTENT] = account[CONTENT]! + account[TAKEN]!;
    this.#count();
  }

  /** As at the start. Only where the robot is at rest and somebody has asked for it. */
  reset(): void {
    this.accountJ[CONTENT] = this.#tank.startJ;
    this.#count();
  }

  #count(): void {
    this.accountJ[SPARE] = this.accountJ[CONTENT]! - this.#tank.minJ;
  }
}
