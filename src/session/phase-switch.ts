/**
 * Who acts by itself at a step: the base policy until the critical phase begins, the learned policy from there to the end of the episode. It never
 * goes back within an episode, so that no step of the learned policy leads to one of the base's.
 */
import type { GuardFrame } from '../core/index.ts';

export interface PhaseSwitchOptions {
  /** Whether the rules hold in a frame. */
  readonly isCritical: (frame: GuardFrame) => boolean;
  /** So many steps in a row, ≥ 1. */
  readonly forSteps: number;
}

/** What began the critical phase. */
export type PhaseCause = 'rule' | 'button';

export class PhaseSwitch {
  readonly #options: PhaseSwitchOptions;
  #heldSteps = 0;
  #cause: PhaseCause | undefined;

  constructor(options: PhaseSwitchOptions) {
    this.#options = options;
  }

  /** The base policy acts, unless a person does. */
  get isBase(): boolean {
    return this.#cause === undefined;
  }

  /** What began the critical phase; `undefined` before it. */
  get cause(): PhaseCause | undefined {
    return this.#cause;
  }

  /** An episode begins where `frame` says. */
  begin(frame: GuardFrame): void {
    this.#cause = undefined;
    this.#heldSteps = 0;
    this.see(frame);
  }

  /** A step ended in `frame`. */
  see(frame: GuardFrame): void {
    this.#heldSteps = this.#options.isCritical(frame) ? this.#heldSteps + 1 : 0;
    if (this.#heldSteps >= this.#options.forSteps) this.#cause ??= 'rule';
  }

  /** A person begins the critical phase, from the next step on. False where it goes on already. */
  press(): boolean {
    if (this.#cause !== undefined) return false;
    this.#cause = 'button';
    return true;
  }
}
