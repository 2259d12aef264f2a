/** Lifecycle node: the port's hooks behind rclnodejs's state machine, with an answer also to impossible requests. */
import { ReinError } from '../../model/index.ts';
import type { FaultReporter } from '../port/fault-reporter.ts';
import { isPossible, LIFECYCLE_STATE_IDS, refusalOf, requestedTransition } from '../port/lifecycle.ts';
import type { LifecycleHooks, LifecycleResult, LifecycleState, LifecycleTransition } from '../port/ros-port.ts';
import type { Binding, BindingLifecycleNode } from './binding.ts';

export class NodeLifecycle {
  hooks: LifecycleHooks | undefined;
  readonly #node: BindingLifecycleNode;
  readonly #faults: FaultReporter;

  constructor(binding: Binding, node: BindingLifecycleNode, faults: FaultReporter) {
    this.#node = node;
    this.#faults = faults;
    const codes: Readonly<Record<LifecycleResult, number>> = {
      success: binding.lifecycle.CallbackReturnCode.SUCCESS,
      failure: binding.lifecycle.CallbackReturnCode.FAILURE,
      error: binding.lifecycle.CallbackReturnCode.ERROR,
    };
    const hook = (name: keyof LifecycleHooks) => (): number =>
      codes[this.hooks === undefined ? 'success' : (faults.run(name, () => this.hooks?.[name]()) ?? 'error')];
    node.registerOnConfigure(hook('configure'));
    node.registerOnActivate(hook('activate'));
    node.registerOnDeactivate(hook('deactivate'));
    node.registerOnCleanup(hook('cleanup'));
    node.registerOnShutdown(hook('shutdown'));
    node.registerOnError(hook('error'));
    this.#answerEverything(node);
  }

  get state(): LifecycleState {
    const { id } = this.#node.currentState;
    const states = Object.keys(LIFECYCLE_STATE_IDS) as LifecycleState[];
    return states.find((name) => LIFECYCLE_STATE_IDS[name] === id) ?? 'errorProcessing';
  }

  /** Throws `ReinError('environment', …)` if it is not possible in this state. */
  take(transition: LifecycleTransition): void {
    if (!isPossible(transition, this.state)) throw new ReinError('environment', refusalOf(transition, this.state));
    this.#node[transition]();
  }

  /**
   * Tools may request any transition at any time, also while the robot moves: an impossible one is refused and
   * reported, without other effect. rclnodejs would throw into native code, and the caller would wait for ever.
   */
  #answerEverything(node: BindingLifecycleNode): void {
    const change = node._onChangeState.bind(node);
    node._onChangeState = (request, response) => {
      const asked = requestedTransition(request.transition, this.state);
      if ('refusal' in asked) {
        this.#faults.report('refused', 'change_state', asked.refusal);
        response.send({ success: false });
        return;
      }
      const done = this.#faults.run('change_state', () => {
        change(request, response);
        return true;
      });
      if (done === undefined) response.send({ success: false });
    };
  }
}
