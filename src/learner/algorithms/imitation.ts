/**
 * Behaviour cloning only: the baseline for all other algorithms. All updates of a call imitate their batch: with `demoFraction` 1
 * its demonstrations and interventions, with less also the policy's own steps.
 */
import type { Algorithm, PolicyDef } from '../update/algorithm.ts';
import type { LearnerSpec } from '../update/spec.ts';
import type { Step } from '../update/step.ts';
import { cloneGaussian } from './bc.ts';
import { baseNetwork, cloneBase } from './expo.ts';
import { baseModel } from './on-the-fly.ts';
import { gaussianActorNetwork, gaussianPolicy } from './sac.ts';

/** Behaviour cloning. */
export const bc: Algorithm = {
  name: 'bc',
  networks: (spec) => [isGaussian(spec) ? gaussianActorNetwork(spec) : baseNetwork(spec)],
  update: { inner: imitate },
  cloning: { inner: imitate },
  policy: (spec) => (isGaussian(spec) ? gaussianPolicy(spec) : basePolicy(spec)),
};

function imitate(step: Step): void {
  if (isGaussian(step.spec)) cloneGaussian(step);
  else cloneBase(step);
}

/** The base policy of EXPO alone: one proposal, no edit, no choice. */
function basePolicy(spec: LearnerSpec): PolicyDef {
  const model = baseModel(spec);
  return {
    networks: ['base'],
    noiseSize: model.noiseSize,
    noise: 'always',
    build: (parameters, input, noise) => ({ action: model.act(parameters['base']!, input, noise!) }),
  };
}

function isGaussian({ config }: LearnerSpec): boolean {
  return config.bc.policy === 'gaussian';
}
