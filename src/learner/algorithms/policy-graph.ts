/** The trained policy as an ONNX file of its own, with its weights inside or as inputs. */
import { Graph, type Parameters } from '../engine/index.ts';
import { actor, actorLayout, type NetworkSpec } from './networks.ts';

/** The weights of the actor as one array with the place of each tensor in it. */
export interface NamedWeights {
  readonly names: readonly string[];
  /** In the order of `names`; the tensors follow each other in `data`. */
  readonly shapes: readonly (readonly number[])[];
  readonly data: Float32Array;
}

/** Names and shapes of the policy's weights. */
export function policyWeights(spec: NetworkSpec, data: Float32Array): NamedWeights {
  const { entries } = actorLayout(spec);
  return { names: entries.map((entry) => `actor.${entry.name}`), shapes: entries.map((entry) => entry.shape), data };
}

/**
 * The bytes of a model with input `observation` [1, O] and outputs `mean` and `log_std` [1, A], before tanh. Without
 * `weights` every weight is an input of its own, so that new weights need no new session.
 */
export function buildPolicy(
  spec: NetworkSpec,
  weights?: Float32Array,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const g = new Graph('policy');
  const observation = g.input('observation', [1, spec.observationSize]);
  const parameters: Parameters = Object.fromEntries(
    actorLayout(spec).entries.map(({ name, shape, offset, size }) => [
      name,
      weights === undefined
        ? g.input(`actor.${name}`, shape)
        : g.constant(weights.subarray(offset, offset + size), shape),
    ]),
  );
  const { mean, logStd } = actor(parameters, spec, observation);
  g.output('mean', mean);
  g.output('log_std', logStd);
  return g.serialize(metadata);
}
