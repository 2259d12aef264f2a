/** What is in the energy tank, and what went in and out of it. */
import type { TankModel } from '../../core/index.ts';

/**
 * The books of one tank, J. Whatever is booked, its content stays at most `maxJ`; that it stays at least `minJ` is the doing
 * of those who book: they spend no more than `spareJ`. Tick-safe after construction.
 */
export class EnergyLedger {
  /** Content, J. */
  energyJ: number;
  readonly #tank: TankModel;

  /** Throws `RangeError` unless 0 ≤ minJ ≤ startJ ≤ maxJ, minJ < maxJ, powerMaxW > 0, 0 ≤ recovery < 1 and topUpW ≥ 0. */
  constructor(tank: TankModel) {
    const { startJ, minJ, maxJ, powerMaxW, recovery, topUpW = 0 } = tank;
    if (!(minJ >= 0 && minJ <= startJ && startJ <= maxJ && minJ < maxJ && maxJ < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`a tank needs 0 ≤ minJ ≤ startJ ≤ maxJ and minJ < maxJ, got ${minJ}, ${startJ}, ${maxJ}`);
    }
    if (!(powerMaxW > 0)) throw new RangeError(`powerMaxW of a tank must be > 0, got ${powerMaxW}`);
    if (!(recovery >= 0 && recovery < 1)) throw new RangeError(`recovery of a tank must be in [0, 1), got ${recovery}`);
    if (!(topUpW >= 0)) throw new RangeError(`topUpW of a tank must be ≥ 0, got ${topUpW}`);
    this.#tank = tank;
    this.energyJ = startJ;
  }

  /** What may be spent, J. */
  get spareJ(): number {
    return this.energyJ - this.#tank.minJ;
  }

  /** Books what goes out; what is negative comes in. A debit that is no number empties the tank. */
  debit(energyJ: number): void {
    const rest = this.energyJ - energyJ;
    if (Number.isNaN(rest)) this.energyJ = this.#tank.minJ;
    else this.energyJ = Math.min(this.#tank.maxJ, rest);
  }

  /** Takes in the share `recovery` of `dissipatedJ` ≥ 0, which dampers took out. Returns it, J; what does not fit is lost. */
  credit(dissipatedJ: number): number {
    const share = this.#tank.recovery * dissipatedJ;
    if (!(share > 0)) return 0;
    this.debit(-share);
    return share;
  }

  /** Tops up slowly, and never beyond the start. Returns what came in, J. */
  topUp(dtS: number): number {
    const room = this.#tank.startJ - this.energyJ;
    const wanted = (this.#tank.topUpW ?? 0) * dtS;
    if (!(room > 0 && wanted > 0)) return 0;
    const taken = Math.min(room, wanted);
    this.energyJ += taken;
    return taken;
  }

  /** As at the start. Only where the robot is at rest and somebody has asked for it. */
  reset(): void {
    this.energyJ = this.#tank.startJ;
  }
}
