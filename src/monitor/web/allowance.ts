/** Token bucket: a rate with bursts. Pure except for its state; time is an argument. */
export interface AllowanceOptions {
  readonly perS: number;
  /** Burst: amount available at once after a pause. */
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

  /** Takes `amount` if anything is left at `nowS`; an excess is paid back by waiting. Returns false if nothing was left. */
  take(nowS: number, amount = 1): boolean {
    const { perS, most } = this.#options;
    // A clock that jumps back adds nothing.
    const passedS = Math.max(0, nowS - (this.#atS ?? nowS));
    this.#atS = nowS;
    this.#left = Math.min(most, this.#left + perS * passedS);
    if (this.#left <= 0) return false;
    this.#left -= amount;
    return true;
  }

  /** Takes `amount` unconditionally; an excess is paid back by waiting. */
  charge(amount: number): void {
    this.#left -= amount;
  }
}
