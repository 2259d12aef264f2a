/** Steps of an episode without a gain in its measure, and the longest such times of successful episodes. */

/** Number of last unassisted successes that show how long a robot may go without a gain and still succeed. */
const VALIDATED = 20;

export class IdleSteps {
  readonly #leastGain: number;
  /** Longest times without a gain of the last unassisted successes, steps. */
  readonly #validated: number[];
  /** Measure at the last gain. */
  #best = Number.NEGATIVE_INFINITY;
  #peak = Number.NEGATIVE_INFINITY;
  #level: number | undefined;
  #gainedAt = -1;
  #countsFrom = 0;
  #steps = 0;
  #longest = 0;

  /** `validated`: results of `validate` in earlier starts of the run, oldest first. */
  constructor(leastGain: number, validated: readonly number[] = []) {
    this.#leastGain = leastGain;
    this.#validated = validated.slice(-VALIDATED);
  }

  /** Called when an episode begins. */
  begin(): void {
    this.#best = Number.NEGATIVE_INFINITY;
    this.#peak = Number.NEGATIVE_INFINITY;
    this.#level = undefined;
    this.#gainedAt = -1;
    this.#countsFrom = 0;
    this.#steps = 0;
    this.#longest = 0;
  }

  /** Called if the policy did not decide `step`: counting restarts after it, whatever arrives late for earlier steps. */
  passOver(step: number): void {
    this.#countsFrom = step + 1;
    this.#gainedAt = step;
    this.#steps = 0;
  }

  /** Takes the measure after `step`. Steps come in order; missing ones are not counted. */
  see(step: number, level: number): void {
    const isGain = level >= this.#best + this.#leastGain;
    this.#level = level;
    this.#peak = Math.max(this.#peak, level);
    const isCounted = step >= this.#countsFrom;
    if (isGain || !isCounted) this.#best = Math.max(this.#best, level);
    if (!isCounted) return;
    // Missing steps may have been without a gain: this is an upper bound of what a success has needed.
    this.#longest = Math.max(this.#longest, step - this.#gainedAt - (isGain ? 1 : 0));
    this.#steps = isGain ? 0 : this.#steps + 1;
    if (isGain) this.#gainedAt = step;
  }

  /** Steps without a gain, as far as seen. */
  get steps(): number {
    return this.#steps;
  }

  /** Newest measure; `undefined` before the first of the episode. */
  get level(): number | undefined {
    return this.#level;
  }

  /** Best measure of the episode. */
  get peak(): number {
    return this.#peak;
  }

  /** `afterSteps`, or one step more than a success has needed. */
  threshold(afterSteps: number): number {
    return Math.max(afterSteps, 1 + Math.max(0, ...this.#validated));
  }

  /** Called after a success without help, at `lastStep`. Returns its longest time without a gain, steps, if anything of it was seen. */
  validate(lastStep: number): number | undefined {
    if (this.#level === undefined) return undefined;
    const longest = Math.max(this.#longest, lastStep - this.#gainedAt);
    this.#validated.push(longest);
    if (this.#validated.length > VALIDATED) this.#validated.shift();
    return longest;
  }
}
