/** With images, everything slow looks through the encoder's slow copy: LeRobot 0.6.2 shows targets to the current one. */
import { expect, it } from 'vitest';
import { Rng, totalObservationSize } from '../../core/index.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../config/index.ts';
import { type LearnerSpec, type Phase, stateParts } from '../program/index.ts';
import { ALGORITHM } from './index.ts';
import { callOnce } from './one-call.ts';

const A = 1;

function specOf(algorithm: LearnerConfig['algorithm']): LearnerSpec {
  const { encoder, expo, wsrl } = DEFAULT_LEARNER_CONFIG;
  const config: LearnerConfig = {
    ...DEFAULT_LEARNER_CONFIG,
    ...{ algorithm, batchSize: 2, critics: 2, criticSubset: 2, actorHidden: [3], criticHidden: [3] },
    // Else the slow copy would move towards the other within the update, before the second of two losses.
    targetRate: 0,
    encoder: { ...encoder, channels: [2], embeddings: 0, latent: 3 },
    expo: { ...expo, baseHidden: [3], candidates: 2, edited: 1, steps: 1 },
    wsrl: { ...wsrl, actionSamples: 1 },
  };
  const parts = { stateSize: 1, image: { channels: 1, height: 4, width: 4 } };
  return { parts: algorithm === 'residual' ? { ...parts, baseActionSize: A } : parts, actionSize: A, config };
}

/** The numbers `metrics` of the first update, as a function of the encoder; its slow copy stays. `silent` networks are all zeros. */
function metricsOf(spec: LearnerSpec, phase: Phase, silent: readonly string[], metrics: readonly string[]) {
  const algorithm = ALGORITHM[spec.config.algorithm];
  const parts = stateParts(algorithm, spec);
  const numbers = (name: string, value: (i: number) => number) => {
    const size = parts.find((part) => part.name === name)!.shape.reduce((product, n) => product * n, 1);
    return Array.from({ length: size }, (_, i) => value(i));
  };
  const size = spec.config.batchSize * totalObservationSize(spec.parts);
  // Base actions well within the range, so that a correction of them is not cut off.
  const next = Array.from({ length: size }, (_, i) => 0.5 * Math.sin(i));
  const zeros = Object.fromEntries(silent.map((name) => [name, numbers(name, () => 0)]));
  return (encoder: number) => {
    const own = numbers('encoder', (i) => Math.sin(i + encoder));
    const call = callOnce(algorithm, spec, phase, 1, new Rng(3), { ...zeros, encoder: own, next_observation: next });
    return call.then(({ metric }) => metrics.map((name) => metric(name, 0)));
  };
}

// Actors that act now look through the encoder in training, and say nothing here; slow ones are heard.
it.each([
  ['sac', 'update', ['actor'], 'targetMean'],
  ['wsrl', 'offline', ['actor'], 'targetMean'],
  // With critics that say 0, the loss is the mean square of the target.
  ['passive', 'update', ['actor', 'cost_critic'], 'costLoss'],
  ['expo', 'update', ['base', 'edit'], 'targetMean'],
  ['td3', 'update', [], 'targetMean'],
  ['residual', 'update', [], 'targetMean'],
  ['dsact', 'update', [], 'targetMean'],
] as const)('targets of %s do not see through the encoder in training', async (name, phase, silent, target) => {
  const at = metricsOf(specOf(name), ALGORITHM[name][phase]!, silent, [target, 'qMean']);
  const [before, after] = [await at(1), await at(5)];
  expect(after[0]).toBeCloseTo(before[0]!, 12);
  // The critics' values do.
  expect(Math.abs(after[1]! - before[1]!)).toBeGreaterThan(1e-4);
});
