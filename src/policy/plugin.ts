/** Custom policies: the plugin contract of the kind `policy`. */
import { checkGiven, openedOrClosed, openPlugin, type PluginBase, type PluginReference } from '../host/index.ts';
import { type ActionSpec, checkAction, err, type ObservationSpec, observationSize, ReinError } from '../model/index.ts';
import type { OnnxPolicy } from './onnx/onnx-policy.ts';
import type { Policy, PolicyNoise } from './policy.ts';

/** Context passed to `open`. */
export interface PolicyContext<O = unknown> {
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  readonly policyHz: number;
  /** `policyPlugin.options` of the task's file, as returned by the plugin's own check. */
  readonly options: O;
}

/** A kind of policy. Its module is loaded in the node process; the guard runs no policy. */
export interface PolicyPlugin<O = unknown> extends PluginBase<O> {
  /** Opens the policy. Slow initialisation belongs here: nothing moves yet. */
  open(context: PolicyContext<O>): Policy | Promise<Policy>;
}

/** The policy that a session runs; its weights, if any, may be exchanged. */
export type ActingPolicy = Policy &
  Pick<OnnxPolicy, 'swap' | 'rollback'> & {
    /** The policy has no exchangeable weights; none need be offered. */
    readonly isFixed?: true;
  };

/**
 * Opens the custom policy that `reference` names. Its actions are checked like a network's outputs: an action that is not
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

/** Checks the policy that the plugin `name` returned. Throws `ReinError('policy')` if a node cannot use it. */
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
