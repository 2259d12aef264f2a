/**
 * Soft actor-critic with automatic temperature: Haarnoja et al., https://arxiv.org/abs/1812.05905, with the
 * ensemble target of REDQ (Chen et al., https://arxiv.org/abs/2101.05982). Each function is one equation.
 */

import type { Tensor } from '../engine/graph.ts';
import { ParameterLayout, type Parameters } from '../engine/parameters.ts';
import { gaussianActor, gaussianActorLayout, sampleTanhGaussian } from '../networks/actor.ts';
import { criticLayout, critics } from '../networks/critic.ts';
import { abs, add, clip, exp, mul, neg, square, stopGradient, sub } from '../ops/elements.ts';
import { reduceMean, reduceMin } from '../ops/reduce.ts';
import { reshape } from '../ops/shape.ts';
import { criticOnlyUpdates, isAveraged, type LearnerConfig, updatesPerCall } from '../options/learner-config.ts';
import type { Algorithm, PolicyDef } from '../update/algorithm.ts';
import { criticInputSize, policyInputSize } from '../update/network-inputs.ts';
import type { LearnerSpec, NetworkDef } from '../update/spec.ts';
import type { MinimiseOptions, Step } from '../update/step.ts';
import { addCloning, cloneGaussian } from './bc.ts';

/** SAC. */
export const sac: Algorithm = {
  name: 'sac',
  networks: (spec) => [gaussianActorNetwork(spec), criticNetwork(spec), temperatureNetwork(spec.config)],
  update: { inner: updateCritics, outer: updateActor },
  cloning: { inner: (step) => cloneGaussian(step) },
  policy: gaussianPolicy,
  value: { network: 'critic', build: meanValue },
};

/** The policy: a Gaussian squashed by tanh. */
export function gaussianActorNetwork(spec: LearnerSpec): NetworkDef {
  const { config, actionSize } = spec;
  const { actorHidden, activation } = config;
  const layout = gaussianActorLayout(policyInputSize(spec), actorHidden, actionSize, activation);
  return { name: 'actor', layout, hasTarget: isAveraged(config) };
}

/** State part with the parameters that robots get. */
export function policyPart(config: LearnerConfig): 'actor' | 'actor_target' {
  return isAveraged(config) ? 'actor_target' : 'actor';
}

/** The ensemble of critics, with its slow copy. */
export function criticNetwork(spec: LearnerSpec): NetworkDef {
  const { config, actionSize } = spec;
  const { criticHidden, layerNorm, activation } = config;
  const layout = criticLayout(criticInputSize(spec), actionSize, criticHidden, layerNorm, activation);
  return { name: 'critic', layout, members: config.critics, hasTarget: true };
}

/** log α. */
export function temperatureNetwork({ initialTemperature }: LearnerConfig): NetworkDef {
  return {
    name: 'temperature',
    layout: new ParameterLayout([{ name: 'log', shape: [1] }]),
    initialise: (_, __, out) => out.fill(Math.log(initialTemperature)),
  };
}

/** One update of all critics towards the soft Bellman target, and of their slow copies. */
export function updateCritics(step: Step): void {
  followValues(step, nextDraw(step));
}

/** A policy action and its log-density: [B, A] and [B, 1]. */
export interface Drawn {
  readonly action: Tensor;
  readonly logProbability: Tensor;
}

/** a′ ~ π(s′) of `size` numbers. */
export function nextDraw(step: Step, size: number = step.spec.actionSize): Drawn {
  return step.ahead((all) => {
    const noise = all.normal('next_noise', [all.batchSize, size]);
    const { mean, logStd } = gaussianActor(all.online('actor'), all.policyInput('next_observation'));
    return { ...sampleTanhGaussian(mean, logStd, noise) };
  });
}

/** One update of all critics on `action`, with the next action `next` in the target, and of their slow copies. */
export function followValues(step: Step, next: Drawn, action: Tensor = step.action): void {
  const { config } = step.spec;
  const members = step.targetSubset('critic', config.criticSubset);
  const targetValues = critics(members, step.criticInput('next_observation', 'target'), next.action);
  const entropy = { temperature: alphaOf(step), logProbability: next.logProbability };
  const y = criticTarget(step.reward, step.discount, targetValues, config.entropyInTarget ? entropy : undefined);
  learnCritics(step, y, action);
}

/** One update of all critics on `action` towards y [B, 1], and of their slow copies. */
export function learnCritics(step: Step, y: Tensor, action: Tensor = step.action): void {
  const values = critics(step.online('critic'), step.criticInput('observation'), action);
  const { loss, absoluteError } = criticLoss(values, y);
  step.minimise('critic', loss, criticOptimiser(step.spec.config));
  step.follow('critic');
  reportCritics(step, { loss, values, y, absoluteError });
}

/** Reports a critic update: `values` [critics, B, 1] before it, `y` [B, 1], the others of one element. */
export function reportCritics(
  step: Step,
  { loss, values, y, absoluteError }: Readonly<Record<'loss' | 'values' | 'y' | 'absoluteError', Tensor>>,
): void {
  step.report('criticLoss', loss);
  step.report('qMean', reduceMean(values));
  step.report('targetMean', reduceMean(y));
  step.report('tdErrorAbs', absoluteError);
}

/**
 * One update of the actor to increase the critics' values, and of the temperature towards the target entropy. `action`: the
 * batch's action in the dimensions of the Gaussian policy; default: all.
 */
export function updateActor(step: Step, action: Tensor = step.action): void {
  const { config } = step.spec;
  const size = action.shape.at(-1)!;
  const { mean, logStd } = gaussianActor(step.online('actor'), step.policyInput('observation'));
  const drawn = sampleTanhGaussian(mean, logStd, step.normal('noise', [step.batchSize, size]));
  const values = critics(step.online('critic'), stopGradient(step.criticInput('observation')), drawn.action);
  const alpha = alphaOf(step);
  const { loss, value } = actorLoss(drawn.logProbability, values, alpha, config.criticAggregation);
  step.minimise('actor', addCloning(step, loss, { mean, values, action }), actorOptimiser(config));
  if (isAveraged(config)) step.follow('actor', config.policyRate);
  const entropy = entropyOf(drawn.logProbability);
  updateTemperature(step, entropy, size);
  reportActor(step, { loss, entropy, alpha, value });
}

/** Reports an update of a stochastic policy, each value of one element: `alpha` as used in this update. */
export function reportActor(
  step: Step,
  { loss, entropy, alpha, value }: Readonly<Record<'loss' | 'entropy' | 'alpha' | 'value', Tensor>>,
): void {
  step.report('actorLoss', loss);
  step.report('entropy', entropy);
  step.report('temperature', alpha);
  step.report('policyValue', value);
}

/** One update of log α towards the target entropy for `dimensions` numbers of the action; α stays at or above its floor. */
export function updateTemperature(step: Step, entropy: Tensor, dimensions: number = step.spec.actionSize): void {
  const { config } = step.spec;
  const logAlpha = step.online('temperature')['log']!;
  const loss = temperatureLoss(logAlpha, entropy, config.targetEntropyPerDimension * dimensions);
  // While the actor is not updated its entropy is fixed, and α would diverge.
  step.minimise('temperature', loss, { rate: config.learningRateTemperature, after: criticOnlyCalls(config) });
  step.assign('temperature', floorTemperature(step.part('temperature'), config.minTemperature));
}

/** Current α, [1]. */
export function alphaOf(step: Step): Tensor {
  return temperature(step.online('temperature')['log']!);
}

/**
 * Optimiser settings of critics: they train the encoder, but not before the policy is updated, since a cloned policy that uses
 * the encoder would unlearn.
 */
export function criticOptimiser(config: LearnerConfig): MinimiseOptions {
  const { learningRateCritic: rate, weightDecay, gradientClip: clip } = config;
  return {
    rate,
    weightDecay,
    clip,
    trainsEncoder: true,
    encoderAfter: criticOnlyCalls(config) * updatesPerCall(config),
  };
}

/** Optimiser settings of a policy: it uses the encoder without training it. */
export function actorOptimiser(config: LearnerConfig): MinimiseOptions {
  const { learningRateActor, weightDecay, gradientClip: clip } = config;
  return { rate: learningRateActor, weightDecay, clip, after: criticOnlyCalls(config) };
}

/** Training calls in which only critics learn, rounded up, since the policy is updated once a call. */
function criticOnlyCalls(config: LearnerConfig): number {
  return Math.ceil(criticOnlyUpdates(config) / updatesPerCall(config));
}

/** The policy's Gaussian before tanh; the robot samples from it. */
export function gaussianPolicy({ config }: LearnerSpec): PolicyDef {
  const part = policyPart(config);
  return {
    networks: [part],
    noiseSize: 0,
    noise: 'exploration',
    build: (parameters, observation) => gaussianActor(parameters[part]!, observation),
  };
}

/** Q(s, a), the mean over the ensemble, [B, 1]. */
export function meanValue(parameters: Parameters, observation: Tensor, action: Tensor): Tensor {
  const values = reduceMean(critics(parameters, observation, action), [0]);
  return reshape(values, values.shape.slice(1));
}

/**
 * y = r + d·( min over the subset of Q̄(s′, a′) − α·log π(a′|s′) ), [B, 1], with d = γ·m and m = 0 only where the
 * task itself terminated the episode. Without `entropy` the last term is omitted; with it, d multiplies it too.
 * `targetValues` [subset, B, 1].
 */
export function criticTarget(
  reward: Tensor,
  discount: Tensor,
  targetValues: Tensor,
  entropy?: { readonly temperature: Tensor; readonly logProbability: Tensor },
): Tensor {
  const least = reshape(reduceMin(targetValues, 0), targetValues.shape.slice(1));
  const value = entropy === undefined ? least : sub(least, mul(entropy.temperature, entropy.logProbability));
  return stopGradient(add(reward, mul(discount, value)));
}

/** L_Q = mean over critics and batch of (Q_j(s, a) − y)². `values` [critics, B, 1], `target` [B, 1]. */
export function criticLoss(values: Tensor, target: Tensor): { loss: Tensor; absoluteError: Tensor } {
  const error = sub(values, target);
  return { loss: reduceMean(square(error)), absoluteError: reduceMean(abs(error)) };
}

/** L_π = mean of α·log π(a|s) − Q(s, a), Q aggregated over the critics. α is held fixed. */
export function actorLoss(
  logProbability: Tensor,
  values: Tensor,
  temperature: Tensor,
  aggregation: 'mean' | 'min',
): { loss: Tensor; value: Tensor } {
  const value = aggregation === 'mean' ? reduceMean(values, [0]) : reduceMin(values, 0);
  const perSample = sub(mul(stopGradient(temperature), logProbability), reshape(value, logProbability.shape));
  return { loss: reduceMean(perSample), value: reduceMean(value) };
}

/** α = eᵖ. */
export function temperature(logTemperature: Tensor): Tensor {
  return exp(logTemperature);
}

/** L_α = α·(H − H*), with the entropy H = −mean log π held fixed: α rises while the entropy is below its target. */
export function temperatureLoss(logTemperature: Tensor, entropy: Tensor, targetEntropy: number): Tensor {
  return reduceMean(mul(temperature(logTemperature), sub(stopGradient(entropy), targetEntropy)));
}

/** H = −mean log π, nats, summed over action dimensions. */
export function entropyOf(logProbability: Tensor): Tensor {
  return neg(reduceMean(logProbability));
}

/** Keeps log α at or above log of `minTemperature`. */
export function floorTemperature(logTemperature: Tensor, minTemperature: number): Tensor {
  return clip(logTemperature, Math.log(minTemperature), 10);
}
