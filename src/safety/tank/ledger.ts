/** Ledger of the energy tank: content, debits and credits. */
import type { TankModel } from '../../model/index.ts';
import { PERIOD, type TickTimes } from '../tick-times.ts';

/** Indices into `accountJ`: the content; the part that may be spent; the amount taken in by the last `credit` or `topUp`. */
export const CONTENT = 0;
export const SPARE = 1;
export const TAKEN = 2;

/**
 * Account of one tank, J. Its content never exceeds `maxJ`, whatever is booked; the caller keeps it at least at `minJ`
 * by spending no more than is spare. Amounts are read from an index of an array, and results written into one (see
 * `TickTimes`). Tick-safe after construction.
 */
export class EnergyLedger {
  /** [3] indexed by `CONTENT`, `SPARE` and `TAKEN`. */
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

  /** True if at least `amountsJ[at]` may be spent; false for NaN. */
  canPay(amountsJ: Float64Array, at: number): boolean {
    return amountsJ[at]! <= this.accountJ[SPARE]!;
  }

  /** Debits `amountsJ[at]`; a negative amount is taken in. A NaN debit empties the tank. */
  debit(amountsJ: Float64Array, at: number): void {
    const rest = this.accountJ[CONTENT]! - amountsJ[at]!;
    this.accountJ[CONTENT] = Number.isNaN(rest) ? this.#tank.minJ : Math.min(this.#tank.maxJ, rest);
    this.#count();
  }

  /** Takes in the share `recovery` of `amountsJ[at]` ≥ 0, dissipated by the dampers (`TAKEN`); the excess over the capacity is lost. */
  credit(amountsJ: Float64Array, at: number): void {
    const share = this.#tank.recovery * amountsJ[at]!;
    const account = this.accountJ;
    account[TAKEN] = share > 0 ? share : 0;
    account[CONTENT] = Math.min(this.#tank.maxJ, account[CONTENT]! + account[TAKEN]!);
    this.#count();
  }

  /** Tops up slowly, never beyond the initial content. The amount is in `TAKEN`. */
  topUp(times: TickTimes): void {
    const account = this.accountJ;
    const room = this.#tank.startJ - account[CONTENT]!;
    const wanted = this.#tank.topUpW * times[PERIOD]!;
    account[TAKEN] = room > 0 && wanted > 0 ? Math.min(room, wanted) : 0;
    account[CONTENT] = account[CONTENT]! + account[TAKEN]!;
    this.#count();
  }

  /** Resets to the initial content. Only with the robot at rest, and on an explicit request. */
  reset(): void {
    this.accountJ[CONTENT] = this.#tank.startJ;
    this.#count();
  }

  #count(): void {
    this.accountJ[SPARE] = this.accountJ[CONTENT]! - this.#tank.minJ;
  }
}
