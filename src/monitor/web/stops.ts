/** Stops of everybody who watches: none is swallowed, and nobody keeps the robot's guard busy with them. */

/** Stops within this time of one that was passed on are one more, at its end, ms. */
const STOP_MS = 100;

export class Stops {
  readonly #pass: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;

  constructor(pass: () => void) {
    this.#pass = pass;
  }

  /** Somebody says stop: passed on at once where nobody has said it for `STOP_MS`. */
  say(): void {
    if (this.#timer !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#pass();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isDue) return;
      this.#isDue = false;
      this.say();
    }, STOP_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
