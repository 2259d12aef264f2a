/** The states of a lifecycle node and what leads from one to another, as ROS 2 defines them. */
import { ReinError } from '../../core/index.ts';
import type { FaultDesk, LifecycleHooks, LifecycleResult, LifecycleState, LifecycleTransition } from '../port/index.ts';

interface Step {
  readonly from: readonly LifecycleState[];
  readonly success: LifecycleState;
  /** Where a failure leads; without it, back to where it was. */
  readonly failure?: LifecycleState;
}

const STEPS: Readonly<Record<LifecycleTransition, Step>> = {
  configure: { from: ['unconfigured'], success: 'inactive' },
  activate: { from: ['inactive'], success: 'active' },
  deactivate: { from: ['active'], success: 'inactive' },
  cleanup: { from: ['inactive'], success: 'unconfigured' },
  shutdown: { from: ['unconfigured', 'inactive', 'active'], success: 'finalized', failure: 'finalized' },
};

const DEFAULT_HOOKS: LifecycleHooks = {
  configure: () => 'success',
  activate: () => 'success',
  deactivate: () => 'success',
  cleanup: () => 'success',
  shutdown: () => 'success',
  error: () => 'success',
};

export class LifecycleMachine {
  state: LifecycleState = 'unconfigured';
  hooks: LifecycleHooks = DEFAULT_HOOKS;
  readonly #desk: FaultDesk;

  constructor(desk: FaultDesk) {
    this.#desk = desk;
  }

  /** Transitions that are possible now. */
  available(): readonly LifecycleTransition[] {
    return (Object.keys(STEPS) as LifecycleTransition[]).filter((name) => STEPS[name].from.includes(this.state));
  }

  /** Takes it, or throws `ReinError('environment', …)` where it is not possible from here. */
  take(transition: LifecycleTransition): LifecycleResult {
    const step = STEPS[transition];
    if (!step.from.includes(this.state))
      throw new ReinError('environment', `the node is ${this.state}, it cannot ${transition} now`);
    const before = this.state;
    const result = this.#call(transition);
    if (result === 'success') this.state = step.success;
    else if (result === 'failure') this.state = step.failure ?? before;
    else this.#processError();
    return result;
  }

  #processError(): void {
    this.state = 'errorProcessing';
    this.state = this.#call('error') === 'success' ? 'unconfigured' : 'finalized';
  }

  #call(hook: keyof LifecycleHooks): LifecycleResult {
    return this.#desk.run(hook, () => this.hooks[hook]()) ?? 'error';
  }
}
