/** Starting a process again when it has died: after a wait that doubles from death to death until it has shown that it works. */

/** The longest wait, ms. */
const LONGEST_WAIT_MS = 5000;

export class Restarts {
  readonly #firstWaitMs: number;
  readonly #start: () => void;
  #waitMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** `firstWaitMs`: before the first start after a death. */
  constructor(firstWaitMs: number, start: () => void) {
    this.#firstWaitMs = firstWaitMs;
    this.#start = start;
    this.#waitMs = firstWaitMs;
  }

  /** It has died: it is started after the wait. */
  died(): void {
    this.#timer = setTimeout(this.#start, this.#waitMs);
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
  }

  /** It works: the next death is answered quickly again. */
  succeeded(): void {
    this.#waitMs = this.#firstWaitMs;
  }

  /** Starts nothing any more. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
