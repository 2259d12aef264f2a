/** How long an episode has gone without a gain in what it is measured by, and how long that was in episodes that succeeded. */

/** Successes without help that say how long a robot may be without a gain and still succeed. */
const VALIDATED = 20;

export class IdleSteps {
  readonly #leastGain: number;
  /** Of the last successes without help, their longest time without a gain, steps. */
  readonly #validated: number[];
  /** At the last gain. */
  #best = Number.NEGATIVE_INFINITY;
  #peak = Number.NEGATIVE_INFINITY;
  #level: number | undefined;
  #gainedAt = -1;
  #countsFrom = 0;
  #steps = 0;
  #longest = 0;

  /** `validated`: what `validate` gave in earlier starts of the run, the oldest first. */
  constructor(leastGain: number, validated: readonly number[] = []) {
    this.#leastGain = leastGain;
    this.#validated = validated.slice(-VALIDATED);
  }

  /** An episode begins. */
  begin(): void {
    this.#best = Number.NEGATIVE_INFINITY;
    this.#peak = Number.NEGATIVE_INFINITY;
    this.#level = undefined;
    this.#gainedAt = -1;
    this.#countsFrom = 0;
    this.#steps = 0;
    this.#longest = 0;
  }

  /** The policy did not decide `step`: the time without a gain begins anew after it, whatever comes late of steps before. */
  passOver(step: number): void {
    this.#countsFrom = step + 1;
    this.#gainedAt = step;
    this.#steps = 0;
  }

  /** The measure after `step`. Steps come in order; some may be missing, and are not counted. */
  see(step: number, level: number): void {
    const isGain = level >= this.#best + this.#leastGain;
    this.#level = level;
    this.#peak = Math.max(this.#peak, level);
    const isCounted = step >= this.#countsFrom;
    if (isGain || !isCounted) this.#best = Math.max(this.#best, level);
    if (!isCounted) return;
    // What was not seen may have been without a gain: a success has needed so many steps at most.
    this.#longest = Math.max(this.#longest, step - this.#gainedAt - (isGain ? 1 : 0));
    this.#steps = isGain ? 0 : this.#steps + 1;
    if (isGain) this.#gainedAt = step;
  }

  /** Without a gain, as far as was seen. */
  get steps(): number {
    return this.#steps;
  }

  /** The newest measure; `undefined` before the first of the episode. */
  get level(): number | undefined {
    return this.#level;
  }

  /** The best measure of the episode. */
  get peak(): number {
    return this.#peak;
  }

  /** `afterSteps`, or one step more than a success has needed. */
  threshold(afterSteps: number): number {
    return Math.max(afterSteps, 1 + Math.max(0, ...this.#validated));
  }

  /** The episode has succeeded without help, at `lastStep`. Gives its longest time without a gain, steps, where anything was seen of it. */
  validate(lastStep: number): number | undefined {
    if (this.#level === undefined) return undefined;
    const longest = Math.max(this.#longest, lastStep - this.#gainedAt);
    this.#validated.push(longest);
    if (this.#validated.length > VALIDATED) this.#validated.shift();
    return longest;
  }
}
