/** What an algorithm is to the learner: networks, the losses that train them, and a policy. */
import type { PluginBase, Rng } from '../../core/index.ts';
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

/** A policy as a graph of its own. */
export interface PolicyDef {
  /** Whose parameters it needs; a target network's as `name_target`. */
  readonly networks: readonly string[];
  /** Numbers ~ N(0, 1) that one decision consumes; 0 for the head `gaussian`, whose noise the robot adds itself. */
  readonly noiseSize: number;
  /** Whether the noise is there only to explore, or is part of the policy also where it is evaluated. */
  readonly noise: 'exploration' | 'always';
  /**
   * From what the policy sees, [1, size], to `mean` and `logStd` before tanh, or to an `action` in [−1, 1]; all [1, A].
   * `noise` [1, noiseSize].
   */
  readonly build: (
    parameters: Readonly<Record<string, Parameters>>,
    observation: Tensor,
    noise: Tensor | undefined,
  ) => { readonly mean: Tensor; readonly logStd: Tensor } | { readonly action: Tensor };
}

/** An algorithm. Everything is a pure function of the spec; state lives in the agent. */
export interface Algorithm {
  readonly name: string;
  /** In the order in which a checkpoint stores them. */
  readonly networks: (spec: LearnerSpec) => readonly NetworkDef[];
  readonly numbers?: (spec: LearnerSpec) => readonly NumbersDef[];
  /** The training call. */
  readonly update: Phase;
  /** Behaviour cloning of the actor on demonstrations, before the rest. */
  readonly cloning?: Phase;
  /** Training on stored transitions before there is a robot. */
  readonly offline?: Phase;
  readonly policy: (spec: LearnerSpec) => PolicyDef;
  /**
   * Writes to `out` [A] what is done at `observation` while nothing is known yet, drawn from `rng`; absent: anything in the range,
   * evenly. `observation` [O], as the environment gives it.
   */
  readonly warmUp?: (spec: LearnerSpec, observation: Float32Array, out: Float32Array, rng: Rng) => void;
  /** What the critics in `network` think of `action` [B, A] at `observation` [B, size]: [B, 1]; absent: there are no critics. */
  readonly value?: {
    readonly network: string;
    readonly build: (parameters: Parameters, observation: Tensor, action: Tensor, spec: LearnerSpec) => Tensor;
  };
  /** Whether it reads the batch column `monte_carlo_return`: what followed each step to the end of its episode. */
  readonly needsReturns?: boolean;
  /** The message that says why `spec` cannot work with this algorithm, or nothing. */
  readonly unfit?: (spec: LearnerSpec) => string | undefined;
}

/** Those of an algorithm's members that are training calls. */
export type PhaseName = 'update' | 'cloning' | 'offline';

/** The phase `name` of `algorithm`. Throws `RangeError` where it has none. */
export function phaseOf(algorithm: Algorithm, name: PhaseName): Phase {
  const phase = algorithm[name];
  if (phase === undefined) throw new RangeError(`${algorithm.name} has no phase "${name}"`);
  return phase;
}

/** A kind of algorithm of others. Its module is loaded by the learner's process and the thread of its engine. */
export interface AlgorithmPlugin<O = unknown> extends PluginBase<O> {
  /** `options`: `algorithmPlugin.options` of the learner's file, as the plugin's own check gives them. Pure: the same options, the same algorithm. */
  create(options: O): Algorithm;
}
