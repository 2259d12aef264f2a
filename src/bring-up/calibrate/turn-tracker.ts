/** Readings of an encoder that begins anew each turn, as one number that does not jump, with the least and the greatest of it. */

export class TurnTracker {
  readonly #countsPerTurn: number;
  #last: number;
  #now: number;
  #least: number;
  #most: number;

  /** `first`: the reading that the rest follows. */
  constructor(countsPerTurn: number, first: number) {
    this.#countsPerTurn = countsPerTurn;
    this.#last = first;
    this.#now = first;
    this.#least = first;
    this.#most = first;
  }

  /** Takes a reading. Between two of them it has moved by less than half a turn. */
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

  /** Least and greatest are that of now on. */
  restart(): void {
    this.#least = this.#now;
    this.#most = this.#now;
  }
}
