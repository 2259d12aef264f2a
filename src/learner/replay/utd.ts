/** Update-to-data contract between acting and learning: number of critic updates per online transition. */

/**
 * Updates are numbered from 1, online transitions are counted. Updates come in calls of K, which all see the same transitions:
 * those that entitle to the whole call. K may exceed G: then the actor is updated once for several transitions.
 */
export class UpdateContract {
  readonly utd: number;
  readonly warmupSteps: number;
  readonly updatesPerCall: number;

  /**
   * `utd` G ≥ 1 critic updates per transition, after the first `warmupSteps` N₀, in calls of `updatesPerCall` K ≥ 1; absent: G.
   * Throws `RangeError` for anything else.
   */
  constructor(utd: number, warmupSteps: number, updatesPerCall: number = utd) {
    for (const [name, value, least] of [
      ['utd', utd, 1],
      ['warmupSteps', warmupSteps, 0],
      ['updatesPerCall', updatesPerCall, 1],
    ] as const) {
      if (!Number.isSafeInteger(value) || value < least)
        throw new RangeError(`${name} must be an integer ≥ ${least}, got ${value}`);
    }
    this.utd = utd;
    this.warmupSteps = warmupSteps;
    this.updatesPerCall = updatesPerCall;
  }

  /** Maximum number of updates allowed by `accepted` = N online transitions, in whole calls: K·⌊G·(N − N₀)/K⌋. */
  updatesAllowed(accepted: number): number {
    const paid = this.utd * Math.max(0, accepted - this.warmupSteps);
    return paid - (paid % this.updatesPerCall);
  }

  /** Number of online transitions that update number `update` sees, exactly: N₀ + ⌈c·K/G⌉, where c = ⌈update/K⌉ is its call. */
  visibleTo(update: number): number {
    const paidUpdates = Math.ceil(update / this.updatesPerCall) * this.updatesPerCall;
    return this.warmupSteps + Math.ceil(paidUpdates / this.utd);
  }
}

/** Online transitions over which the achieved ratio is measured: over a whole run it would stay low forever after a slow start. */
const WINDOW = 500;

/** Updates per online transition, over the last 500 transitions, capped at the requested ratio while a backlog is worked off. */
export class AchievedUtd {
  readonly #asked: number;
  /** Totals of updates and of arrived online transitions after training calls, oldest first. */
  readonly #marks: { readonly updates: number; readonly online: number }[] = [];

  constructor(asked: number) {
    this.#asked = asked;
  }

  /** Records a finished training call. */
  add(updates: number, online: number): void {
    this.#marks.push({ updates, online });
    while (this.#marks.length > 1 && online - this.#marks[1]!.online >= WINDOW) this.#marks.shift();
  }

  /** Achieved ratio with `online` transitions so far; 0 before the second call. */
  at(online: number): number {
    const [first, last] = [this.#marks[0], this.#marks.at(-1)];
    if (first === undefined || last === undefined) return 0;
    return Math.min(this.#asked, (last.updates - first.updates) / Math.max(1, online - first.online));
  }
}
