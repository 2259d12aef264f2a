/** Rate limit of a node's messages: a token bucket, so that a node that floods the guard is disconnected. */

/** A node sends one command per policy step; with teleoperation one per tick, and occasional requests. */
const MESSAGES_PER_TICK = 4;
/** Burst allowed after silence, s of the sustained rate. */
const BURST_S = 1;

/** Time for which `perS` messages per second are accepted from a full budget, s; Infinity if sustainable. */
export function servedS(perS: number, controlHz: number): number {
  const sustained = MESSAGES_PER_TICK * controlHz;
  return perS > sustained ? (BURST_S * sustained) / (perS - sustained) : Number.POSITIVE_INFINITY;
}

export class MessageBudget {
  readonly #perS: number;
  readonly #most: number;
  #left: number;
  #atS: number;

  /** Full at `nowS`. `controlHz`: ticks per second. */
  constructor(controlHz: number, nowS: number) {
    this.#perS = MESSAGES_PER_TICK * controlHz;
    this.#most = this.#perS * BURST_S;
    this.#left = this.#most;
    this.#atS = nowS;
  }

  /** Takes one message at `nowS`; false: over the limit. */
  take(nowS: number): boolean {
    this.#left = Math.min(this.#most, this.#left + (nowS - this.#atS) * this.#perS);
    this.#atS = nowS;
    if (!(this.#left >= 1)) return false;
    this.#left--;
    return true;
  }
}
