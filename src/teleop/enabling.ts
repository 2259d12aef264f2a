/**
 * The enabling switch, which decides whether an operator's motion may pass. Motion passes only after neutral was seen
 * with the switch held, and a command that has not changed for long counts as a stuck stick or a book on the keyboard.
 */

export interface EnablingOptions {
  /** Time after which an unchanged nonzero command is withdrawn until neutral is seen again, s. */
  readonly stuckAfterS: number;
}

export const DEFAULT_ENABLING: EnablingOptions = { stuckAfterS: 5 };

/** Pure but for its memory; time is an argument. */
export class Enabling {
  readonly #options: EnablingOptions;
  #isArmed = false;
  #last: Float32Array | undefined;
  #unchangedSinceS = 0;

  constructor(options: EnablingOptions = DEFAULT_ENABLING) {
    this.#options = options;
  }

  /**
   * Returns true if `action` ([A], normalised) may pass at `nowS`, given whether the switch is held. To be called once
   * per step with the raw command, before it is zeroed. A non-finite value never passes.
   */
  update(enablingSwitch: 'held' | 'released', action: Float32Array, nowS: number): boolean {
    if (enablingSwitch === 'released') {
      this.#isArmed = false;
      return false;
    }
    const isNeutral = action.every((value) => value === 0);
    if (this.#hasChanged(action)) this.#unchangedSinceS = nowS;
    if (isNeutral) this.#isArmed = true;
    else if (nowS - this.#unchangedSinceS >= this.#options.stuckAfterS) this.#isArmed = false;
    return this.#isArmed && action.every(Number.isFinite);
  }

  #hasChanged(action: Float32Array): boolean {
    if (this.#last?.length !== action.length) {
      this.#last = action.slice();
      return true;
    }
    const last = this.#last;
    const isEqual = action.every((value, i) => value === last[i]);
    if (!isEqual) last.set(action);
    return !isEqual;
  }
}
