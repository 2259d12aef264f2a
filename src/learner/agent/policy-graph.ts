/** The trained policy as a separate ONNX model, with its weights inside or as inputs. */

import {
  type ActionRange,
  centreOf,
  countNumbers,
  halfRangeOf,
  policyObservationSize,
  type TensorShape,
} from '../../model/index.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import { ParameterLayout, type Parameters } from '../engine/parameters.ts';
import type { ObservationEncoder } from '../imports/observation-encoder.ts';
import { convolve, type EncoderSpec, encoderLayout } from '../networks/encoder.ts';
import { add, clip, mul, tanh } from '../ops/elements.ts';
import { reshape, slice } from '../ops/shape.ts';
import type { Algorithm, PolicyDef } from '../update/algorithm.ts';
import { ENCODER, policyInput, STATISTICS } from '../update/network-inputs.ts';
import type { LearnerSpec, NetworkDef } from '../update/spec.ts';
import { networksOf } from '../update/state.ts';

/** Weights of the policy in one array, with the shapes of its tensors. */
export interface PolicyTensors {
  /** The tensors are stored consecutively in `data`. */
  readonly shapes: readonly TensorShape[];
  readonly data: Float32Array;
}

/** State parts that the policy consists of; with the network that defines its layout, if the part is a network. */
export function policyParts(algorithm: Algorithm, spec: LearnerSpec): { part: string; network?: NetworkDef }[] {
  const networks = networksOf(algorithm, spec);
  const trained = networks.some(({ name }) => name === ENCODER) ? [ENCODER] : [];
  const parts = [...algorithm.policy(spec).networks, ...trained].map((part) => {
    const network = networks.find(({ name, hasTarget }) => name === part || (hasTarget && `${name}_target` === part));
    if (network === undefined)
      throw new RangeError(`the policy needs "${part}", which ${algorithm.name} does not have`);
    return { part, network };
  });
  return spec.config.normaliseObservations ? [...parts, ...Object.values(STATISTICS).map((part) => ({ part }))] : parts;
}

/** Names and shapes of the policy's weights. The members of an ensemble form one tensor of all their parameters. */
function weightTensors(algorithm: Algorithm, spec: LearnerSpec): TensorShape[] {
  return policyParts(algorithm, spec).flatMap(({ part, network }): TensorShape[] => {
    if (network === undefined) return [{ name: part, shape: [policyObservationSize(spec.parts)] }];
    const { members, layout } = network;
    if (members !== undefined) return [{ name: part, shape: [members, layout.size] }];
    return layout.entries.map(({ name, shape }) => ({ name: `${part}.${name}`, shape }));
  });
}

/** Copies the policy's weights out of the state; `part` returns a state part. */
export function policyWeights(
  algorithm: Algorithm,
  spec: LearnerSpec,
  part: (name: string) => Float32Array,
): PolicyTensors {
  const shapes = weightTensors(algorithm, spec);
  const data = new Float32Array(countNumbers(shapes));
  let offset = 0;
  for (const { part: name, network } of policyParts(algorithm, spec)) {
    const values = network === undefined ? part(name).subarray(0, policyObservationSize(spec.parts)) : part(name);
    data.set(values, offset);
    offset += values.length;
  }
  return { shapes, data };
}

/** Content of a policy model. */
export interface PolicyContent {
  /** As `policyWeights` returns them. Absent: every weight is an input, so that new weights need no new session. */
  readonly weights?: Float32Array;
  /** The observation is the task's; a node stands for the frozen encoder, until `encoder.inline`. */
  readonly encoder?: ObservationEncoder | undefined;
  /** [A] Adds the output `command`: the action in these units, which the metadata `command` lists. */
  readonly ranges?: readonly ActionRange[];
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * Returns the bytes of a model with input `observation` [1, O] and either outputs `mean` and `log_std` before tanh, or input
 * `noise` [1, Z] and output `action`; all [1, A]. With `ranges` it also has the outputs `action` (for a Gaussian, that of the
 * mean) and `command` [1, A].
 */
export function buildPolicy(
  algorithm: Algorithm,
  spec: LearnerSpec,
  { weights, encoder, ranges, metadata = {} }: PolicyContent = {},
): Uint8Array {
  const g = new Graph('policy');
  const definition = algorithm.policy(spec);
  const raw = g.input('observation', [1, encoder?.policySize ?? policyObservationSize(spec.parts)]);
  const observation = encoder?.emit(raw) ?? raw;
  const tensors = weightTensorsOf(g, algorithm, spec, weights);
  const parameters = Object.fromEntries(
    policyParts(algorithm, spec).flatMap(({ part, network }) =>
      network === undefined ? [] : [[part, parametersOf(tensors, part, network)]],
    ),
  );
  const { noiseSize, noise } = definition;
  const drawn = noiseSize === 0 ? undefined : g.input('noise', [1, noiseSize]);
  const seen = policyInput(spec, observation, {
    mean: tensors.get(STATISTICS.mean),
    scale: tensors.get(STATISTICS.scale),
    encoder: parameters[ENCODER],
  });
  const head = definition.build(parameters, seen, drawn);
  if ('action' in head) g.output('action', head.action);
  else {
    g.output('mean', head.mean);
    g.output('log_std', head.logStd);
  }
  if (ranges !== undefined) emitCommand(g, head, ranges);
  const digest = encoder === undefined ? {} : { encoder: encoder.digest };
  const command = ranges === undefined ? {} : { command: JSON.stringify(ranges) };
  return g.serialize({ ...(noise === 'always' ? { noise } : {}), ...digest, ...command, ...metadata });
}

/** command = centre + half range × action, with the action clipped to [−1, 1] as robots do. */
function emitCommand(g: Graph, head: ReturnType<PolicyDef['build']>, ranges: readonly ActionRange[]): void {
  const shape = [1, ranges.length];
  const action = 'action' in head ? head.action : tanh(head.mean);
  if (!('action' in head)) g.output('action', action);
  const half = g.constant(ranges.map(halfRangeOf), shape);
  const centre = g.constant(ranges.map(centreOf), shape);
  g.output('command', add(mul(clip(action, -1, 1), half), centre));
}

function weightTensorsOf(
  g: Graph,
  algorithm: Algorithm,
  spec: LearnerSpec,
  weights: Float32Array | undefined,
): Map<string, Tensor> {
  return new Map(
    new ParameterLayout(weightTensors(algorithm, spec)).entries.map(({ name, shape, offset, size }) => {
      const own = weights?.subarray(offset, offset + size);
      return [name, own === undefined ? g.input(name, shape) : g.constant(own, shape)];
    }),
  );
}

function parametersOf(tensors: ReadonlyMap<string, Tensor>, part: string, network: NetworkDef): Parameters {
  const { layout, members } = network;
  if (members === undefined) {
    return Object.fromEntries(layout.entries.map(({ name }) => [name, tensors.get(`${part}.${name}`)!]));
  }
  const flat = tensors.get(part)!;
  return Object.fromEntries(
    layout.entries.map(({ name, shape, offset, size }) => [
      name,
      reshape(slice(flat, 1, offset, offset + size), [members, ...shape]),
    ]),
  );
}

/** Returns the model `pixels` [1, channels, height, width] → `features`, with `weights` of `encoderLayout(spec)` inside. */
export function buildEncoder(spec: EncoderSpec, weights: Float32Array): Uint8Array {
  const g = new Graph('encoder');
  const { channels, height, width } = spec.image;
  const parameters = Object.fromEntries(
    encoderLayout(spec).entries.map(({ name, shape, offset, size }) => [
      name,
      g.constant(weights.subarray(offset, offset + size), shape),
    ]),
  );
  g.output('features', convolve(parameters, spec, g.input('pixels', [1, channels, height, width])));
  return g.serialize();
}
