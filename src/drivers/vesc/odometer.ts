/**
 * How far a car has gone, by what its VESC counts, and whether a count goes on from the one before. One that does not says nothing of the
 * way between: a VESC that started anew begins at 0, and takes every count before it along. Pure arithmetic; tick-safe.
 */
import { VALUE } from './values.ts';

/** A tachometer that moved by more than the car can, times this, began anew. */
const JUMP = 3;
/** What is counted while one answer is written, counts. */
const SLACK_COUNTS = 3;

export class Odometer {
  /** The way ahead since the first count, m; without what was between two counts that do not go on. */
  positionM = 0;
  /** When the newest count was taken, s; NaN: there is none. */
  takenAtS: number = Number.NaN;
  readonly #countsPerM: number;
  readonly #mostCountsPerS: number;
  readonly #periodS: number;
  #counts = 0;
  #absCounts = 0;
  #drawnAh = 0;

  /** `countsPerM`: with the sign of the way ahead. `speedMaxMPerS`: of the car. `periodS`: least time between two counts. */
  constructor(countsPerM: number, speedMaxMPerS: number, periodS: number) {
    this.#countsPerM = countsPerM;
    this.#mostCountsPerS = JUMP * speedMaxMPerS * Math.abs(countsPerM);
    this.#periodS = periodS;
  }

  /** Takes the newest of `values` (as `readSelected` fills them), taken at `atS`. False: they do not go on from those before. */
  take(values: Float64Array, atS: number): boolean {
    // Both count over the end of 32 bits.
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

  /** The next count is another VESC's: it says nothing of the way until then. */
  forget(): void {
    this.takenAtS = Number.NaN;
  }

  /** What never falls while a VESC runs has not fallen, it has counted all the way, and the car can have gone so far. */
  #goesOn(steps: number, absSteps: number, drawnAh: number, atS: number): boolean {
    const most = this.#mostCountsPerS * Math.max(atS - this.takenAtS, this.#periodS) + 10;
    return absSteps + SLACK_COUNTS >= Math.abs(steps) && drawnAh >= this.#drawnAh && Math.abs(steps) <= most;
  }
}
