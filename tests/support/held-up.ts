/** How long the machine keeps a process from running: what is nobody's in a test of how soon something is done. */

/** Between two looks. */
const LOOK_MS = 1;
/** What a timer of `LOOK_MS` takes on an idle machine. */
const IDLE_MS = 2;
/** How far back it counts. */
const WINDOW_MS = 250;

/** Looks every millisecond, from now on; keeps no process from its end. What this process computes itself counts as its own. */
export class HeldUp {
  readonly #timer: NodeJS.Timeout = setInterval(() => this.#look(), LOOK_MS).unref();
  #lookedMs = performance.now();
  #ranMs = ranMs();
  #longest: { atMs: number; ms: number } = { atMs: 0, ms: 0 };

  /** The longest in the last quarter of a second, until now. */
  latestMs(): number {
    this.#look();
    return this.#longest.ms;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const atMs = performance.now();
    const nowRanMs = ranMs();
    const ms = Math.max(0, atMs - this.#lookedMs - IDLE_MS - (nowRanMs - this.#ranMs));
    this.#lookedMs = atMs;
    this.#ranMs = nowRanMs;
    if (ms >= this.#longest.ms || atMs - this.#longest.atMs > WINDOW_MS) this.#longest = { atMs, ms };
  }
}

/** Processor time of this process, ms. */
function ranMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
