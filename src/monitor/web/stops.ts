/** Stops of everybody who watches: none is swallowed, and nobody keeps the robot's guard busy with them. */

/** Stops within this time of one that was passed on are one more, at its end, ms. */
const STOP_MS = 100;

export class Stops {
  readonly #pass: (by: string) => void;
  #timer: NodeJS.Timeout | undefined;
  /** Who has said it last, and is not passed on yet. */
  #due: string | undefined;

  constructor(pass: (by: string) => void) {
    this.#pass = pass;
  }

  /** Somebody named `by` says stop: passed on at once where nobody has said it for `STOP_MS`. */
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
