/**
 * Distance driven, from the counts of a VESC, with a check that each count continues the previous one. One that does not says
 * nothing about the distance in between: a restarted VESC begins at 0, and all earlier counts are lost. Pure arithmetic; tick-safe.
 */
import { VALUE } from './values.ts';

/** A tachometer that moved by more than this times what the car can drive has restarted. */
const JUMP = 3;
/** Counts that may be added while one answer is written. */
const SLACK_COUNTS = 3;

export class Odometer {
  /** Distance ahead since the first count, m, without that between two counts that are not continuous. */
  positionM = 0;
  /** Time of the newest count, s; NaN: none. */
  takenAtS: number = Number.NaN;
  readonly #countsPerM: number;
  readonly #mostCountsPerS: number;
  readonly #periodS: number;
  #counts = 0;
  #absCounts = 0;
  #drawnAh = 0;

  /** `countsPerM`: with the sign of driving ahead. `speedMaxMPerS`: of the car. `periodS`: shortest time between two counts. */
  constructor(countsPerM: number, speedMaxMPerS: number, periodS: number) {
    this.#countsPerM = countsPerM;
    this.#mostCountsPerS = JUMP * speedMaxMPerS * Math.abs(countsPerM);
    this.#periodS = periodS;
  }

  /** Takes new `values` (from `readSelected`), measured at `atS`. Returns false if they do not continue the previous ones. */
  take(values: Float64Array, atS: number): boolean {
    // Both counters wrap at 32 bits.
    const steps = (values[VALUE.tachometer]! - this.#counts) | 0;
    const absSteps = (values[VALUE.tachometerAbs]! - this.#absCounts) | 0;
    const isFirst = Number.isNaN(this.takenAtS);
    const goesOn = isFirst || this.#goesOn(steps, absSteps, values[VALUE.drawnAh]!, atS);
    if (goesOn && !isFirst) this.positionM += steps / this.#countsPerM;
    this.#counts = values[VALUE.tachometer]!;
    this.#absCounts = values[VALUE.tachometerAbs]!;
    this.#drawnAh = values[VALUE.drawnAh]!;
    this.takenAtS = atS;
    return goesOn;
  }

  /** The next count is another VESC's: it says nothing about the distance until then. */
  forget(): void {
    this.takenAtS = Number.NaN;
  }

  /** Returns true if no monotonic counter fell, the steps are within the counted distance, and the car can have driven so far. */
  #goesOn(steps: number, absSteps: number, drawnAh: number, atS: number): boolean {
    const most = this.#mostCountsPerS * Math.max(atS - this.takenAtS, this.#periodS) + 10;
    return absSteps + SLACK_COUNTS >= Math.abs(steps) && drawnAh >= this.#drawnAh && Math.abs(steps) <= most;
  }
}
