/**
 * Selects the policy that acts at a step: the base policy until the critical phase begins, the learned policy from there to the end of the
 * episode. It never goes back within an episode, so that no step of the learned policy leads to one of the base policy.
 */
import type { GuardFrame } from '../rows/index.ts';

export interface PhaseSwitchOptions {
  /** True if the rules hold in a frame. */
  readonly isCritical: (frame: GuardFrame) => boolean;
  /** Number of consecutive steps for which they have to hold, ≥ 1. */
  readonly forSteps: number;
}

/** Trigger of the critical phase. */
export type PhaseCause = 'rule' | 'button';

export class PhaseSwitch {
  readonly #options: PhaseSwitchOptions;
  #heldSteps = 0;
  #cause: PhaseCause | undefined;

  constructor(options: PhaseSwitchOptions) {
    this.#options = options;
  }

  /** True while the base policy acts, unless a person does. */
  get isBase(): boolean {
    return this.#cause === undefined;
  }

  /** Trigger of the critical phase; `undefined` before it. */
  get cause(): PhaseCause | undefined {
    return this.#cause;
  }

  /** Called when an episode begins at `frame`. */
  begin(frame: GuardFrame): void {
    this.#cause = undefined;
    this.#heldSteps = 0;
    this.see(frame);
  }

  /** Called after a step that ended at `frame`. */
  see(frame: GuardFrame): void {
    this.#heldSteps = this.#options.isCritical(frame) ? this.#heldSteps + 1 : 0;
    if (this.#heldSteps >= this.#options.forSteps) this.#cause ??= 'rule';
  }

  /** Begins the critical phase at a person's request, from the next step on. False if it has begun already. */
  press(): boolean {
    if (this.#cause !== undefined) return false;
    this.#cause = 'button';
    return true;
  }
}
