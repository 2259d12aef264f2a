/** Interface of an algorithm: networks, the losses that train them, and a policy. */
import type { PluginBase } from '../../host/index.ts';
import type { Rng } from '../../model/index.ts';
import type { Tensor } from '../engine/graph.ts';
import type { Parameters } from '../engine/parameters.ts';
import type { LearnerSpec, NetworkDef, NumbersDef } from './spec.ts';
import type { Step } from './step.ts';

/**
 * One kind of training call: `inner` is repeated for every critic update of the call, each on a batch of its own; then
 * `outer` runs once, on the last batch.
 */
export interface Phase {
  readonly inner: (step: Step) => void;
  readonly outer?: (step: Step) => void;
}

/** A policy as a separate graph. */
export interface PolicyDef {
  /** State parts with its parameters; a target network's as `name_target`. */
  readonly networks: readonly string[];
  /** Numbers ~ N(0, 1) consumed by one decision; 0 for the head `gaussian`, to which the robot adds the noise itself. */
  readonly noiseSize: number;
  /** `exploration`: noise only while exploring. `always`: noise is part of the policy, also in evaluation. */
  readonly noise: 'exploration' | 'always';
  /**
   * Maps the policy's input, [1, size], to `mean` and `logStd` before tanh, or to an `action` in [−1, 1]; all [1, A].
   * `noise` [1, noiseSize].
   */
  readonly build: (
    parameters: Readonly<Record<string, Parameters>>,
    observation: Tensor,
    noise: Tensor | undefined,
  ) => { readonly mean: Tensor; readonly logStd: Tensor } | { readonly action: Tensor };
}

/** An algorithm. All members are pure functions of the spec; state lives in the agent. */
export interface Algorithm {
  readonly name: string;
  /** In the order of a checkpoint. */
  readonly networks: (spec: LearnerSpec) => readonly NetworkDef[];
  readonly numbers?: (spec: LearnerSpec) => readonly NumbersDef[];
  /** The training call. */
  readonly update: Phase;
  /** Behaviour cloning of the actor on demonstrations, before the other phases. */
  readonly cloning?: Phase;
  /** Offline training on stored transitions, before there is a robot. */
  readonly offline?: Phase;
  readonly policy: (spec: LearnerSpec) => PolicyDef;
  /**
   * Writes to `out` [A] the action at `observation` before anything has been learned, drawn from `rng`; absent: uniform in the range.
   * `observation` [O], as the environment gives it.
   */
  readonly warmUp?: (spec: LearnerSpec, observation: Float32Array, out: Float32Array, rng: Rng) => void;
  /** Value of `action` [B, A] at `observation` [B, size] by the critics in `network`: [B, 1]; absent: there are no critics. */
  readonly value?: {
    readonly network: string;
    readonly build: (parameters: Parameters, observation: Tensor, action: Tensor, spec: LearnerSpec) => Tensor;
  };
  /** True if it reads the batch column `monte_carlo_return`: the return of each step to the end of its episode. */
  readonly needsReturns?: boolean;
  /** Reason why `spec` cannot work with this algorithm, or undefined. */
  readonly unfit?: (spec: LearnerSpec) => string | undefined;
}

/** Members of an algorithm that are training calls. */
export type PhaseName = 'update' | 'cloning' | 'offline';

/** Returns the phase `name` of `algorithm`. Throws `RangeError` if it has none. */
export function phaseOf(algorithm: Algorithm, name: PhaseName): Phase {
  const phase = algorithm[name];
  if (phase === undefined) throw new RangeError(`${algorithm.name} has no phase "${name}"`);
  return phase;
}

/** A kind of third-party algorithm. Its module is loaded by the learner's process and by the thread of its engine. */
export interface AlgorithmPlugin<O = unknown> extends PluginBase<O> {
  /** `options`: `algorithmPlugin.options` of the learner's file, as returned by the plugin's check. Pure: a function of its options. */
  create(options: O): Algorithm;
}
