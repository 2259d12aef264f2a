/**
 * Inputs of policies and critics from an observation vector `[state | image | base action | privileged]`: normalised, with
 * the image as features, and without the parts that they must not see.
 */
import { imageSize, policyObservationSize, totalObservationSize } from '../../model/index.ts';
import type { Tensor } from '../engine/graph.ts';
import type { Parameters } from '../engine/parameters.ts';
import { type EncoderSpec, encode, encoderLayout, initialiseEncoder } from '../networks/encoder.ts';
import { clip, mul, sub } from '../ops/elements.ts';
import { concat, slice } from '../ops/shape.ts';
import { trainedChannels } from '../options/encoder.ts';
import type { LearnerSpec, NetworkDef } from './spec.ts';

/** Normalised observations are clipped to this many standard deviations. */
const OUTLIER = 10;

/** Names of the state's parts that normalise observations, [O] each: (o − mean)·scale. */
export const STATISTICS = { mean: 'observation_mean', scale: 'observation_scale' } as const;

/** Name of the network that maps images to features. Only critics train it; policies use it. */
export const ENCODER = 'encoder';

/** Parameters for encoding an observation: statistics, of matching size, and the parameters of the image encoder. */
export interface ObservationEncoding {
  readonly mean: Tensor | undefined;
  readonly scale: Tensor | undefined;
  readonly encoder: Parameters | undefined;
}

/** Size of a critic's input, without the action. */
export function criticInputSize(spec: LearnerSpec): number {
  return policyInputSize(spec) + (spec.parts.privilegedSize ?? 0);
}

/** Size of a policy's input. */
export function policyInputSize({ parts, config }: LearnerSpec): number {
  const { image, stateSize, baseActionSize } = parts;
  return stateSize + (image === undefined ? 0 : config.encoder.latent) + (baseActionSize ?? 0);
}

/** The encoder of the task's images, if there are any. */
export function encoderNetwork(spec: LearnerSpec): NetworkDef | undefined {
  const encoder = encoderSpec(spec);
  if (encoder === undefined) return undefined;
  return { name: ENCODER, layout: encoderLayout(encoder), hasTarget: true, initialise: initialiseEncoder };
}

/** Critic input for `observation` [B, O]: [B, `criticInputSize`]. */
export function criticInput(spec: LearnerSpec, observation: Tensor, encoding: ObservationEncoding): Tensor {
  return view(spec, observation, encoding, totalObservationSize(spec.parts));
}

/** Policy input for `observation` [B, ≥ `policyObservationSize`]: [B, `policyInputSize`]. */
export function policyInput(spec: LearnerSpec, observation: Tensor, encoding: ObservationEncoding): Tensor {
  return view(spec, observation, encoding, policyObservationSize(spec.parts));
}

function view(spec: LearnerSpec, observation: Tensor, encoding: ObservationEncoding, size: number): Tensor {
  const seen = normalise(part(observation, 0, size), encoding, size);
  const encoder = encoderSpec(spec);
  if (encoder === undefined) return seen;
  const { stateSize } = spec.parts;
  const end = stateSize + imageSize(encoder.image);
  const features = encode(encoding.encoder!, encoder, part(seen, stateSize, end));
  const around = [stateSize > 0 ? [part(seen, 0, stateSize)] : [], end < size ? [part(seen, end, size)] : []];
  return concat([...around[0]!, features, ...around[1]!], -1);
}

/** Deviations from the mean in standard deviations, ±10 at most; `observation` itself without normalisation. */
function normalise(observation: Tensor, { mean, scale }: ObservationEncoding, size: number): Tensor {
  if (mean === undefined || scale === undefined) return observation;
  const own = (statistic: Tensor) => (statistic.size === size ? statistic : slice(statistic, 0, 0, size));
  return clip(mul(sub(observation, own(mean)), own(scale)), -OUTLIER, OUTLIER);
}

function part(x: Tensor, from: number, to: number): Tensor {
  return from === 0 && to === x.shape.at(-1) ? x : slice(x, -1, from, to);
}

/** Sizes of the encoder of the task's images, if there are any. */
export function encoderSpec({ parts: { image }, config: { encoder } }: LearnerSpec): EncoderSpec | undefined {
  return image === undefined ? undefined : { ...encoder, channels: trainedChannels(encoder), image };
}
