/** Takes a lifecycle node through its states without ROS. */
import { ReinError } from '../../../src/model/index.ts';
import type { FaultReporter } from '../../../src/ros/port/fault-reporter.ts';
import { isPossible, refusalOf } from '../../../src/ros/port/lifecycle.ts';
import type {
  LifecycleHooks,
  LifecycleResult,
  LifecycleState,
  LifecycleTransition,
} from '../../../src/ros/port/ros-port.ts';

interface Step {
  readonly success: LifecycleState;
  /** Where a failure leads; without it, back to where it was. */
  readonly failure?: LifecycleState;
}

const STEPS: Readonly<Record<LifecycleTransition, Step>> = {
  configure: { success: 'inactive' },
  activate: { success: 'active' },
  deactivate: { success: 'inactive' },
  cleanup: { success: 'unconfigured' },
  shutdown: { success: 'finalized', failure: 'finalized' },
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
  readonly #faults: FaultReporter;

  constructor(faults: FaultReporter) {
    this.#faults = faults;
  }

  /** Takes it, or throws `ReinError('environment', …)` where it is not possible from here. */
  take(transition: LifecycleTransition): LifecycleResult {
    const step = STEPS[transition];
    if (!isPossible(transition, this.state)) throw new ReinError('environment', refusalOf(transition, this.state));
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
    return this.#faults.run(hook, () => this.hooks[hook]()) ?? 'error';
  }
}
