/** Inputs of networks from an observation. */
import { expect, it } from 'vitest';
import { Graph } from '../engine/graph.ts';
import { Bindings, Session } from '../engine/session.ts';
import { DEFAULT_LEARNER_CONFIG } from '../options/learner-config.ts';
import { criticInput, policyInput } from './network-inputs.ts';
import type { LearnerSpec } from './spec.ts';

const spec: LearnerSpec = {
  parts: { stateSize: 3, baseActionSize: 1, privilegedSize: 1 },
  actionSize: 1,
  config: { ...DEFAULT_LEARNER_CONFIG, criticOnlySteps: 0, normaliseObservations: true },
};

it('is standard deviations from the mean, ten at most; the privileged number for critics alone', async () => {
  const g = new Graph('input');
  const observation = g.input('observation', [1, 5]);
  const given = {
    mean: g.constant([1, 0, 0, 0, 2], [5]),
    scale: g.constant([2, 1, 1, 1, 0.5], [5]),
    encoder: undefined,
  };
  g.output('policy', policyInput(spec, observation, given));
  g.output('critic', criticInput(spec, observation, given));
  const session = await Session.create(g.serialize());
  const bindings = new Bindings();
  bindings.set('observation', Float32Array.of(4, 9.5, -30, 0.25, 12), [1, 5]);
  const seen = await session.evaluate(bindings);
  expect(Array.from(seen['policy']!.data, Number)).toEqual([6, 9.5, -10, 0.25]);
  expect(Array.from(seen['critic']!.data, Number)).toEqual([6, 9.5, -10, 0.25, 5]);
  await session.close();
});
