/** Policies of others: the plugin contract of the kind `policy`. */
import {
  type ActionSpec,
  checkAction,
  checkGiven,
  err,
  type ObservationSpec,
  observationSize,
  openedOrClosed,
  openPlugin,
  type PluginBase,
  type PluginReference,
  ReinError,
} from '../core/index.ts';
import type { OnnxPolicy } from './onnx/onnx-policy.ts';
import type { Policy, PolicyNoise } from './policy.ts';

/** What a policy is opened for. */
export interface PolicyContext<O = unknown> {
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  readonly policyHz: number;
  /** `policyPlugin.options` of the task's file, as the plugin's own check gives them. */
  readonly options: O;
}

/** A kind of policy. Its module is loaded in the node's process; the guard runs no policy. */
export interface PolicyPlugin<O = unknown> extends PluginBase<O> {
  /** Opens it; what takes long is done here, before anything moves. */
  open(context: PolicyContext<O>): Policy | Promise<Policy>;
}

/** A policy in use by a session: its weights may be exchanged, where it has any. */
export type ActingPolicy = Policy &
  Pick<OnnxPolicy, 'swap' | 'rollback'> & {
    /** It takes no weights, and need not be offered any. */
    readonly isFixed?: true;
  };

/**
 * Opens the policy of others that `reference` names. What it decides is checked as a network's output is: an action that is not
 * finite or lies outside [−1, 1] rejects and never reaches the guard. It takes no weights. Throws `ReinError`.
 */
export async function openPluginPolicy(
  reference: PluginReference,
  context: Omit<PolicyContext, 'options'>,
): Promise<ActingPolicy> {
  const { plugin, options } = openPlugin<PolicyPlugin>('policy', reference);
  const opened: unknown = await plugin.open({ ...context, options });
  const sizes = { observationSize: observationSize(context.observation), actionSize: context.action.dimensions.length };
  return openedOrClosed([() => (opened as Partial<Policy> | null)?.close?.()], async () => {
    checkPolicy(opened, plugin.name, sizes);
    return new PluginPolicy(plugin.name, opened);
  });
}

class PluginPolicy implements ActingPolicy {
  readonly isFixed = true;
  readonly #name: string;
  readonly #policy: Policy;

  constructor(name: string, policy: Policy) {
    this.#name = name;
    this.#policy = policy;
  }

  get observationSize(): number {
    return this.#policy.observationSize;
  }

  get actionSize(): number {
    return this.#policy.actionSize;
  }

  get version(): number {
    return this.#policy.version;
  }

  async decide(observation: Float32Array, noise: PolicyNoise, out: Float32Array): Promise<void> {
    await this.#policy.decide(observation, noise, out);
    checkAction('policy', `The policy ${this.#name}`, out, this.#policy.actionSize);
  }

  async swap(): Promise<ReturnType<typeof err<ReinError>>> {
    return err(new ReinError('policy', `The policy ${this.#name} takes no weights.`));
  }

  rollback(): ReturnType<typeof err<ReinError>> {
    return err(new ReinError('policy', `The policy ${this.#name} has no earlier weights to go back to.`));
  }

  close(): Promise<void> {
    return this.#policy.close();
  }
}

/** Refuses what a plugin called `name` gave for a policy where a node could not use it. Throws `ReinError('policy')`. */
function checkPolicy(
  policy: unknown,
  name: string,
  sizes: { readonly observationSize: number; readonly actionSize: number },
): asserts policy is Policy {
  const refuse = checkGiven('policy', name, policy);
  const given = policy as Partial<Policy>;
  for (const key of ['observationSize', 'actionSize'] as const) {
    if (given[key] !== sizes[key]) return refuse(`its ${key} is ${String(given[key])}, the task has ${sizes[key]}`);
  }
  if (!Number.isSafeInteger(given.version) || (given.version as number) < 1)
    return refuse('its version is no whole number above 0');
}
