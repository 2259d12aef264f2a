/** Rate limiter of stops from all watching clients: none is lost, and the guard is not flooded. */

/** Stops within this time of one passed on are merged into one at its end, ms. */
const STOP_MS = 100;

export class Stops {
  readonly #pass: (by: string) => void;
  #timer: NodeJS.Timeout | undefined;
  /** Sender of the last stop that is not passed on yet. */
  #due: string | undefined;

  constructor(pass: (by: string) => void) {
    this.#pass = pass;
  }

  /** Requests a stop in the name of `by`: passed on at once if there was none within `STOP_MS`. */
  say(by: string): void {
    if (this.#timer !== undefined) {
      this.#due = by;
      return;
    }
    this.#pass(by);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const due = this.#due;
      this.#due = undefined;
      if (due !== undefined) this.say(due);
    }, STOP_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
