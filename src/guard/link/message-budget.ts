/** How much a node may say: a token bucket, so that one that floods the guard is cut off and not served. */

/** A node sends a command a policy step; with a stick in hand one a tick, and now and then a request. */
const MESSAGES_PER_TICK = 4;
/** What may come at once after a moment of silence, s of the sustained rate. */
const BURST_S = 1;

/** How long `perS` messages a second, from a full budget on, are served at most, s; Infinity where a node may send so many. */
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

  /** One message at `nowS`; false: that is more than a node may say. */
  take(nowS: number): boolean {
    this.#left = Math.min(this.#most, this.#left + (nowS - this.#atS) * this.#perS);
    this.#atS = nowS;
    if (!(this.#left >= 1)) return false;
    this.#left--;
    return true;
  }
}
