/** Restarts a process that died, after a wait that doubles with each death until the process has proved to work. */

/** Upper bound of the wait, ms. */
const LONGEST_WAIT_MS = 5000;

export class Restarts {
  readonly #firstWaitMs: number;
  readonly #start: () => void;
  #waitMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** `firstWaitMs`: wait before the first restart. */
  constructor(firstWaitMs: number, start: () => void) {
    this.#firstWaitMs = firstWaitMs;
    this.#start = start;
    this.#waitMs = firstWaitMs;
  }

  /** Schedules a restart after a death. */
  died(): void {
    this.#timer = setTimeout(this.#start, this.#waitMs);
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
  }

  /** Resets the wait: the process works. */
  succeeded(): void {
    this.#waitMs = this.#firstWaitMs;
  }

  /** Cancels a scheduled restart. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
