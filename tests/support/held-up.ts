/** How long the machine keeps a process from running: nobody's delay in a test of how soon something is done. */

import { SystemClock } from '../../src/model/index.ts';

/** Between two looks, ms. */
const LOOK_MS = 1;
/** A timer of `LOOK_MS` takes so long on an idle machine, s. */
const IDLE_S = 0.002;

const clock = new SystemClock();

/** Monotonic seconds. */
export interface Span {
  readonly fromS: number;
  readonly toS: number;
}

/**
 * Looks every millisecond, and keeps no process from its end. Time that the process computes itself is its own; what blocks it without
 * computing, such as a slow disk, counts as the machine's.
 */
export class HeldUp {
  readonly #found: (span: Span) => void;
  readonly #timer: NodeJS.Timeout = setInterval(() => this.look(), LOOK_MS).unref();
  #lookedAtS = clock.nowS();
  #computedS = computedS();

  /** `found` is called with each span once it is over. */
  constructor(found: (span: Span) => void) {
    this.#found = found;
  }

  look(): void {
    const atS = clock.nowS();
    const newComputedS = computedS();
    const heldS = atS - this.#lookedAtS - IDLE_S - (newComputedS - this.#computedS);
    this.#lookedAtS = atS;
    this.#computedS = newComputedS;
    if (heldS > 0) this.#found({ fromS: atS - heldS, toS: atS });
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** The most that one of `spans` has between two times, s. */
export function heldUpS(spans: readonly Span[], fromS: number, toS: number): number {
  return Math.max(0, ...spans.map((span) => Math.min(span.toS, toS) - Math.max(span.fromS, fromS)));
}

/** Processor time of this process, s. */
function computedS(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
