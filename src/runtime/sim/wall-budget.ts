/** The time that a run may take until its training is over, without what it waited for a person's hand. */

export interface WallBudgetOptions {
  readonly budgetS: number;
  /** When the run began to work, with its demonstrations: seconds of `nowS`. */
  readonly startedS: number;
  /** Monotonic seconds. */
  readonly nowS: () => number;
}

export class WallBudget {
  readonly #options: WallBudgetOptions;
  #pacedS = 0;

  constructor(options: WallBudgetOptions) {
    this.#options = options;
  }

  /** Seconds that were waited so that a person could steer in real time; they cost nothing. */
  get pacedS(): number {
    return this.#pacedS;
  }

  /** What `training_wall_s` holds when training is over. */
  get usedS(): number {
    const { nowS, startedS } = this.#options;
    return nowS() - startedS - this.#pacedS;
  }

  get leftS(): number {
    return this.#options.budgetS - this.usedS;
  }

  pause(seconds: number): void {
    this.#pacedS += seconds;
  }

  /** Whether something that takes `seconds` ends within the budget. */
  fits(seconds: number): boolean {
    return this.leftS > 0 && seconds <= this.leftS;
  }
}
