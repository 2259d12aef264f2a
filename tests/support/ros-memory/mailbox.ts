/** What a subscription has received and not handled yet: the newest few, each handled in a turn of its own. */
export class Mailbox {
  readonly #depth: number;
  readonly #handle: (bytes: Uint8Array) => void;
  #waiting: Uint8Array[] = [];
  #state: 'early' | 'open' | 'shut' = 'early';
  #isScheduled = false;

  /** `handle` must not throw. */
  constructor(depth: number, handle: (bytes: Uint8Array) => void) {
    this.#depth = Math.max(1, depth);
    this.#handle = handle;
  }

  put(bytes: Uint8Array): void {
    if (this.#state === 'shut') return;
    this.#waiting.push(bytes);
    if (this.#waiting.length > this.#depth) this.#waiting.shift();
    this.#schedule();
  }

  /** From here on, what waits is handled. */
  open(): void {
    this.#state = 'open';
    this.#schedule();
  }

  shut(): void {
    this.#state = 'shut';
    this.#waiting = [];
  }

  #schedule(): void {
    if (this.#state !== 'open' || this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const bytes = this.#waiting.shift();
      if (bytes !== undefined) this.#handle(bytes);
      this.#schedule();
    });
  }
}
