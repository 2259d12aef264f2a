/** So much a second, and some at once. Pure but for its memory; time is an argument. */
export interface AllowanceOptions {
  readonly perS: number;
  /** What may be taken at once after a pause. */
  readonly most: number;
}

export class Allowance {
  readonly #options: AllowanceOptions;
  #left: number;
  #atS: number | undefined;

  constructor(options: AllowanceOptions) {
    this.#options = options;
    this.#left = options.most;
  }

  /** Takes `amount` while anything is left at `nowS`; what it takes beyond that is paid back by waiting. */
  take(nowS: number, amount = 1): boolean {
    const { perS, most } = this.#options;
    // A clock that jumps back gives nothing.
    const passedS = Math.max(0, nowS - (this.#atS ?? nowS));
    this.#atS = nowS;
    this.#left = Math.min(most, this.#left + perS * passedS);
    if (this.#left <= 0) return false;
    this.#left -= amount;
    return true;
  }

  /** What was taken besides, whether or not it was left: it is paid back by waiting. */
  charge(amount: number): void {
    this.#left -= amount;
  }
}
