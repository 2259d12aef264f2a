/** One operator at a time: who holds control, and since when. */

/** The single token. Pure but for its memory; time is an argument. */
export class OperatorLease {
  #holder: string | undefined;
  #takenAtS = 0;

  /** Who has control; undefined when nobody took it. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /**
   * Gives control to `operator` at `nowS`, whoever had it: taking over is always explicit, and the last one counts.
   * Returns who lost it, so that they can be told.
   */
  takeOver(operator: string, nowS: number): string | undefined {
    const lost = this.#holder === operator ? undefined : this.#holder;
    if (this.#holder !== operator) this.#takenAtS = nowS;
    this.#holder = operator;
    return lost;
  }

  /** Ends control. False, and nothing happens, where `operator` is not the holder. */
  giveBack(operator: string): boolean {
    if (this.#holder !== operator) return false;
    this.#holder = undefined;
    return true;
  }

  /** Seconds since control was taken; 0 without a holder. */
  heldForS(nowS: number): number {
    return this.#holder === undefined ? 0 : nowS - this.#takenAtS;
  }
}
