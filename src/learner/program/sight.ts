/** What policies and critics see of an observation vector: normalised, and without what is not for them. */
import { policyObservationSize, totalObservationSize } from '../../core/index.ts';
import { clip, mul, slice, sub, type Tensor } from '../engine/index.ts';
import type { LearnerSpec } from './algorithm.ts';
import type { Step } from './step.ts';

/** Whose encoder turns images into features: the one in training, or its slow copy. */
export type Encoding = 'online' | 'target';

/** Normalised observations are limited to this many standard deviations. */
const OUTLIER = 10;

/** Names of the state's parts that normalise observations, [O] each: (o − mean)·scale. */
export const STATISTICS = { mean: 'observation_mean', scale: 'observation_scale' } as const;

/** Numbers that a critic sees. */
export function criticInputSize({ parts }: LearnerSpec): number {
  return totalObservationSize(parts);
}

/** Numbers that a policy sees. */
export function policyInputSize({ parts }: LearnerSpec): number {
  return policyObservationSize(parts);
}

export function criticSight(step: Step, of: 'observation' | 'next_observation', _encoding: Encoding): Tensor {
  return normalised(step, of);
}

export function policySight(step: Step, of: 'observation' | 'next_observation'): Tensor {
  const whole = normalised(step, of);
  const size = policyInputSize(step.spec);
  return size === whole.shape.at(-1) ? whole : slice(whole, -1, 0, size);
}

/** `observation` [B, O] as standard deviations from the mean, ±10 at most; as it is where nothing is normalised. */
export function normalise(spec: LearnerSpec, observation: Tensor, mean: Tensor, scale: Tensor): Tensor {
  if (!spec.config.normaliseObservations) return observation;
  return clip(mul(sub(observation, mean), scale), -OUTLIER, OUTLIER);
}

function normalised(step: Step, of: 'observation' | 'next_observation'): Tensor {
  const observation = step.column(of, totalObservationSize(step.spec.parts));
  if (!step.spec.config.normaliseObservations) return observation;
  return normalise(step.spec, observation, step.part(STATISTICS.mean), step.part(STATISTICS.scale));
}
