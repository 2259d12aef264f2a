/** A lifecycle node: our hooks behind rclnodejs's state machine, with an answer also for what is not possible. */
import { ReinError } from '../../core/index.ts';
import type { FaultDesk, LifecycleHooks, LifecycleResult, LifecycleState, LifecycleTransition } from '../port/index.ts';
import type { Binding, BindingLifecycleNode } from './binding.ts';

/** Numbers of `lifecycle_msgs/msg/State`; those from 10 on are on the way, and synchronous here but for error processing. */
const STATES: Readonly<Record<number, LifecycleState>> = {
  1: 'unconfigured',
  2: 'inactive',
  3: 'active',
  4: 'finalized',
};

const POSSIBLE: Readonly<Record<LifecycleTransition, readonly LifecycleState[]>> = {
  configure: ['unconfigured'],
  activate: ['inactive'],
  deactivate: ['active'],
  cleanup: ['inactive'],
  shutdown: ['unconfigured', 'inactive', 'active'],
};

export class NodeLifecycle {
  hooks: LifecycleHooks | undefined;
  readonly #node: BindingLifecycleNode;
  readonly #desk: FaultDesk;

  constructor(binding: Binding, node: BindingLifecycleNode, desk: FaultDesk) {
    this.#node = node;
    this.#desk = desk;
    const codes: Readonly<Record<LifecycleResult, number>> = {
      success: binding.lifecycle.CallbackReturnCode.SUCCESS,
      failure: binding.lifecycle.CallbackReturnCode.FAILURE,
      error: binding.lifecycle.CallbackReturnCode.ERROR,
    };
    const hook = (name: keyof LifecycleHooks) => (): number =>
      codes[this.hooks === undefined ? 'success' : (desk.run(name, () => this.hooks?.[name]()) ?? 'error')];
    node.registerOnConfigure(hook('configure'));
    node.registerOnActivate(hook('activate'));
    node.registerOnDeactivate(hook('deactivate'));
    node.registerOnCleanup(hook('cleanup'));
    node.registerOnShutdown(hook('shutdown'));
    node.registerOnError(hook('error'));
    this.#answerEverything(node);
  }

  get state(): LifecycleState {
    return STATES[this.#node.currentState.id] ?? 'errorProcessing';
  }

  /** Throws `ReinError('environment', …)` where it is not possible from here. */
  take(transition: LifecycleTransition): void {
    if (!POSSIBLE[transition].includes(this.state))
      throw new ReinError('environment', `the node is ${this.state}, it cannot ${transition} now`);
    this.#node[transition]();
  }

  /** For a transition that is not possible it would throw into native code, and its caller would wait for ever. */
  #answerEverything(node: BindingLifecycleNode): void {
    const change = node._onChangeState.bind(node);
    node._onChangeState = (request, response) => {
      const done = this.#desk.run('change_state', () => {
        change(request, response);
        return true;
      });
      if (done === undefined) response.send({ success: false });
    };
  }
}
