/** With images, all slow copies use the encoder's slow copy: LeRobot 0.6.2 gives targets the current one. */
import { expect, it } from 'vitest';
import { openCall } from '../../../tests/support/learner/one-call.ts';
import { Rng, totalObservationSize } from '../../model/index.ts';
import { loadAlgorithm } from '../options/algorithms.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { stateParts } from '../update/state.ts';

const A = 1;

function specOf(algorithm: LearnerConfig['algorithm']): LearnerSpec {
  const { encoder, expo, wsrl } = DEFAULT_LEARNER_CONFIG;
  const config: LearnerConfig = {
    ...DEFAULT_LEARNER_CONFIG,
    criticOnlySteps: 0,
    algorithm,
    batchSize: 2,
    critics: 2,
    criticSubset: 2,
    actorHidden: [3],
    criticHidden: [3],
    // Otherwise the slow copy would move towards the other within the update, before the second of two losses.
    targetRate: 0,
    encoder: { ...encoder, channels: [2], embeddings: 0, latent: 3 },
    expo: { ...expo, baseHidden: [3], candidates: 2, edited: 1, steps: 1 },
    wsrl: { ...wsrl, actionSamples: 1 },
  };
  const parts = { stateSize: 1, image: { channels: 1, height: 4, width: 4 } };
  return { parts: algorithm === 'residual' ? { ...parts, baseActionSize: A } : parts, actionSize: A, config };
}

// Current actors use the trained encoder, and are silenced here (zero weights); slow ones are not.
it.each([
  ['sac', 'update', ['actor'], 'targetMean'],
  ['wsrl', 'offline', ['actor'], 'targetMean'],
  // With critics of value 0, the loss is the mean square of the target.
  ['passive', 'update', ['actor', 'cost_critic'], 'costLoss'],
  ['expo', 'update', ['base', 'edit'], 'targetMean'],
  ['td3', 'update', [], 'targetMean'],
  ['residual', 'update', [], 'targetMean'],
  ['dsact', 'update', [], 'targetMean'],
] as const)('targets of %s do not see through the encoder in training', async (name, phase, silent, target) => {
  const spec = specOf(name);
  const algorithm = await loadAlgorithm({ algorithm: name, algorithmPlugin: undefined });
  const parts = stateParts(algorithm, spec);
  const numbers = (part: string, value: (i: number) => number) => {
    const { shape } = parts.find((one) => one.name === part)!;
    return Array.from({ length: shape.reduce((product, n) => product * n, 1) }, (_, i) => value(i));
  };
  const zeros = Object.fromEntries(silent.map((part) => [part, numbers(part, () => 0)]));
  const size = spec.config.batchSize * totalObservationSize(spec.parts);
  // Base actions well within the range, so that corrected actions are not clipped.
  const next_observation = Array.from({ length: size }, (_, i) => 0.5 * Math.sin(i));
  const { call, close } = await openCall(algorithm, spec, algorithm[phase]!, 1);
  const [before, after] = await Promise.all(
    [1, 5].map((seed) => {
      const encoder = numbers('encoder', (i) => Math.sin(i + seed));
      return call(new Rng(3), { ...zeros, next_observation, encoder });
    }),
  );
  await close();
  expect(after!.metric(target, 0)).toBeCloseTo(before!.metric(target, 0), 12);
  // The critics' values do depend on it.
  expect(Math.abs(after!.metric('qMean', 0) - before!.metric('qMean', 0))).toBeGreaterThan(1e-4);
});
