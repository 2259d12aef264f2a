/**
 * TD3: a deterministic policy with twin critics, a smoothed target and delayed policy updates (Fujimoto et al.,
 * https://arxiv.org/abs/1802.09477). The delay is `updatesPerCall`, 2 in the paper: critic updates per update of the actor and
 * its slow copy. The critics' slow copy follows each of their updates, as in all algorithms of this learner.
 */

import type { Tensor } from '../engine/graph.ts';
import type { Parameters } from '../engine/parameters.ts';
import { deterministicActor, deterministicActorLayout } from '../networks/actor.ts';
import { critics } from '../networks/critic.ts';
import { dense, hidden } from '../networks/mlp.ts';
import { add, clip, mul, neg, square, stopGradient, tanh } from '../ops/elements.ts';
import { reduceMean, reduceMin } from '../ops/reduce.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import type { Algorithm, PolicyDef } from '../update/algorithm.ts';
import { policyInputSize } from '../update/network-inputs.ts';
import type { LearnerSpec, NetworkDef } from '../update/spec.ts';
import type { Step } from '../update/step.ts';
import { addCloning, cloneActor } from './bc.ts';
import { actorOptimiser, criticNetwork, criticTarget, learnCritics, meanValue } from './sac.ts';

/** TD3. */
export const td3: Algorithm = {
  name: 'td3',
  networks: (spec) => [deterministicActorNetwork(spec), criticNetwork(spec)],
  update: { inner: updateCritics, outer: updateActor },
  cloning: { inner: clone },
  policy: noisyPolicy,
  value: { network: 'critic', build: meanValue },
};

/** The policy, with its slow copy. */
export function deterministicActorNetwork(spec: LearnerSpec): NetworkDef {
  const { config, actionSize } = spec;
  const layout = deterministicActorLayout(policyInputSize(spec), config.actorHidden, actionSize, config.activation);
  return { name: 'actor', layout, hasTarget: true };
}

/** One update of every critic towards the smoothed target, and of their slow copies. */
function updateCritics(step: Step): void {
  const { config, actionSize } = step.spec;
  const { targetNoise, targetNoiseClip } = config.td3;
  // A slow copy uses the encoder's slow copy, with which it has moved.
  const planned = deterministicActor(step.target('actor'), step.policyInput('next_observation', 'target'));
  const noise = step.normal('next_noise', [config.batchSize, actionSize]);
  learnValues(step, smoothed(planned, noise, targetNoise, targetNoiseClip));
}

/** One update of the actor to increase the critics' values, and of its slow copy. */
function updateActor(step: Step): void {
  const { config } = step.spec;
  const beforehand = beforeTanh(step.online('actor'), step.policyInput('observation'));
  const values = critics(step.online('critic'), stopGradient(step.criticInput('observation')), tanh(beforehand));
  const { loss, value } = deterministicActorLoss(values, config.criticAggregation);
  const { saturationCost } = config.td3;
  const total = saturationCost > 0 ? add(loss, mul(saturation(beforehand), saturationCost)) : loss;
  step.minimise('actor', addCloning(step, total, { mean: beforehand, values }), actorOptimiser(config));
  step.follow('actor');
  step.report('actorLoss', loss);
  step.report('policyValue', value);
}

/** Behaviour cloning. The slow copy is set to the actor, or the first targets would come from the untrained actor. */
function clone(step: Step): void {
  cloneActor(step, beforeTanh);
  step.follow('actor', 1);
}

/** f(s): π(s) = tanh f(s), [B, A]. */
export function beforeTanh(parameters: Parameters, input: Tensor): Tensor {
  return dense(parameters, 'mean', hidden(parameters, input));
}

/** One update of every critic with the target's action a′ = `nextAction`, and of their slow copies. */
export function learnValues(step: Step, nextAction: Tensor): void {
  const { config } = step.spec;
  const members = step.targetSubset('critic', config.criticSubset);
  const nextValues = critics(members, step.criticInput('next_observation', 'target'), nextAction);
  learnCritics(step, criticTarget(step.reward, step.discount, nextValues));
}

/** a′ = clip(a + clip(σ·ε, ±limit), −1, 1). `action` and `noise` = ε ~ N(0, 1), [B, A]. */
export function smoothed(action: Tensor, noise: Tensor, sigma: number, limit: number): Tensor {
  return clip(add(action, clip(mul(noise, sigma), -limit, limit)), -1, 1);
}

/** L_π = −mean Q(s, π(s)), Q aggregated over the critics. `values` [critics, B, 1]. */
export function deterministicActorLoss(
  values: Tensor,
  aggregation: LearnerConfig['criticAggregation'],
): { loss: Tensor; value: Tensor } {
  const value = reduceMean(aggregation === 'mean' ? values : reduceMin(values, 0));
  return { loss: neg(value), value };
}

/** mean f(s)²: penalises actions before tanh, [B, A], that are far from 0. */
export function saturation(beforehand: Tensor): Tensor {
  return reduceMean(square(beforehand));
}

/** clip(π(s) + σ·ε, −1, 1), ε ~ N(0, 1) from the robot; with ε = 0 it is π(s). */
function noisyPolicy({ actionSize, config }: LearnerSpec): PolicyDef {
  const { explorationNoise } = config.td3;
  return {
    networks: ['actor'],
    noiseSize: actionSize,
    noise: 'exploration',
    build: (parameters, observation, noise) => {
      const action = deterministicActor(parameters['actor']!, observation);
      return { action: clip(add(action, mul(noise!, explorationNoise)), -1, 1) };
    },
  };
}
