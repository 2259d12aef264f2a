/** Unwraps the readings of an encoder that wraps each turn, and tracks their least and greatest values. */

export class TurnTracker {
  readonly #countsPerTurn: number;
  #last: number;
  #now: number;
  #least: number;
  #most: number;

  /** `first`: first reading, from which counting starts. */
  constructor(countsPerTurn: number, first: number) {
    this.#countsPerTurn = countsPerTurn;
    this.#last = first;
    this.#now = first;
    this.#least = first;
    this.#most = first;
  }

  /** Adds a reading. The motion between two readings is less than half a turn. */
  push(reading: number): void {
    const turn = this.#countsPerTurn;
    let step = reading - this.#last;
    if (step > turn / 2) step -= turn;
    else if (step < -turn / 2) step += turn;
    this.#last = reading;
    this.#now += step;
    this.#least = Math.min(this.#least, this.#now);
    this.#most = Math.max(this.#most, this.#now);
  }

  get now(): number {
    return this.#now;
  }

  get least(): number {
    return this.#least;
  }

  get most(): number {
    return this.#most;
  }

  /** Restarts least and greatest at the present value. */
  restart(): void {
    this.#least = this.#now;
    this.#most = this.#now;
  }
}
