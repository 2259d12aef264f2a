/**
 * DSAC-T: soft actor-critic whose critics learn the distribution of the return, with three refinements (Duan et al.,
 * https://arxiv.org/abs/2310.05858; the authors' code is https://github.com/Jingliang-Duan/DSAC-v2). Actor, temperature and
 * all slow copies move once a call: with `updatesPerCall` 2, at every second critic update.
 */

import type { Tensor } from '../engine/graph.ts';
import { gaussianActor, sampleTanhGaussian } from '../networks/actor.ts';
import { returnCriticLayout, returnCritics } from '../networks/critic.ts';
import {
  abs,
  add,
  clip,
  div,
  huber,
  less,
  maximum,
  minimum,
  mul,
  neg,
  square,
  stopGradient,
  sub,
} from '../ops/elements.ts';
import { argmaxOneHot, atOneHot, reduceMean, reduceMin, where } from '../ops/reduce.ts';
import { permute, reshape } from '../ops/shape.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import type { Algorithm } from '../update/algorithm.ts';
import { criticInputSize } from '../update/network-inputs.ts';
import type { LearnerSpec, NetworkDef } from '../update/spec.ts';
import type { Step } from '../update/step.ts';
import { cloneGaussian } from './bc.ts';
import {
  alphaOf,
  criticNetwork,
  criticOptimiser,
  criticTarget,
  gaussianActorNetwork,
  gaussianPolicy,
  meanValue,
  reportCritics,
  temperatureNetwork,
  updateActor,
} from './sac.ts';

/** A sampled return is limited to ± this many standard deviations. */
const SAMPLE_LIMIT = 3;

/** DSAC-T. */
export const dsact: Algorithm = {
  name: 'dsact',
  networks: (spec) => [
    { ...gaussianActorNetwork(spec), hasTarget: true },
    returnCriticNetwork(spec),
    temperatureNetwork(spec.config),
  ],
  // b of each critic. Negative: not yet initialised.
  numbers: ({ config }) => [{ name: 'spread', initial: new Array<number>(config.critics).fill(-1) }],
  update: { inner: updateCritics, outer: updateActorAndCopies },
  cloning: { inner: clone },
  policy: gaussianPolicy,
  value: { network: 'critic', build: meanValue },
};

function returnCriticNetwork(spec: LearnerSpec): NetworkDef {
  const { criticHidden, layerNorm, activation } = spec.config;
  const layout = returnCriticLayout(criticInputSize(spec), spec.actionSize, criticHidden, layerNorm, activation);
  return { ...criticNetwork(spec), layout };
}

/**
 * One update of all critics towards the distribution of the return. Their slow copies do not move here; that of an image encoder
 * follows at once, see `Step.minimise`.
 */
function updateCritics(step: Step): void {
  const { config, actionSize } = step.spec;
  // The slow actor uses the encoder's slow copy, as the slow critics do.
  const { mean, logStd } = gaussianActor(step.target('actor'), step.policyInput('next_observation', 'target'));
  const next = sampleTanhGaussian(mean, logStd, step.normal('next_noise', [config.batchSize, actionSize]));
  const members = step.targetSubset('critic', config.criticSubset);
  const future = returnCritics(members, step.criticInput('next_observation', 'target'), next.action);
  const sample = sampledReturn(future, step.normal('return_noise', [config.batchSize, 1]));
  const bonus = { temperature: alphaOf(step), logProbability: next.logProbability };
  const entropy = config.entropyInTarget ? bonus : undefined;
  const y = criticTarget(step.reward, step.discount, future.mean, entropy);
  const yz = criticTarget(step.reward, step.discount, sample, entropy);

  const now = returnCritics(step.online('critic'), step.criticInput('observation'), step.action);
  const b = meanSpread(step.part('spread'), now.spread, config.dsact.spreadRate);
  step.assign('spread', b);
  const { loss, weight, isBounded } = returnLoss(now, y, yz, b, config.dsact);
  step.minimise('critic', loss, criticOptimiser(config));
  const absoluteError = reduceMean(abs(sub(now.mean, y)));
  reportCritics(step, { loss, values: now.mean, y, absoluteError });
  step.report('spreadMean', reduceMean(b));
  step.report('weightMean', reduceMean(weight));
  step.report('boundedShare', reduceMean(isBounded));
}

/** One update of the actor and the temperature, as in SAC; then all slow copies follow. */
function updateActorAndCopies(step: Step): void {
  updateActor(step);
  step.follow('actor');
  step.follow('critic');
}

/** Behaviour cloning. The slow copy is set to the actor, or the first targets would come from the untrained actor. */
function clone(step: Step): void {
  cloneGaussian(step);
  step.follow('actor', 1);
}

/** A Gaussian return distribution per critic and row: [critics, B, 1] each. */
interface Returns {
  readonly mean: Tensor;
  readonly spread: Tensor;
}

/**
 * Z = q̄ᵢ + z·σ̄ᵢ, [1, B, 1], of the critic i with the smallest mean in each row (twin value distributions). `noise` ~ N(0, 1),
 * [B, 1]; z is limited to ±3.
 */
export function sampledReturn({ mean, spread }: Returns, noise: Tensor): Tensor {
  // Critics as the last axis, on which argmax works.
  const [q, sigma] = [mean, spread].map((x) => permute(x, [1, 2, 0])) as [Tensor, Tensor];
  const chosen = atOneHot(sigma, argmaxOneHot(neg(q)));
  const z = clip(noise, -SAMPLE_LIMIT, SAMPLE_LIMIT);
  return add(reduceMin(mean, 0), mul(z, reshape(chosen, z.shape)));
}

/** b ← (1 − τ_b)·b + τ_b·mean σ, [critics, 1, 1]: running mean of each critic's spread; the mean itself while `before` < 0. */
export function meanSpread(before: Tensor, spread: Tensor, rate: number): Tensor {
  const now = reduceMean(stopGradient(spread), [1]);
  const old = reshape(before, now.shape);
  return where(less(old, 0), now, add(old, mul(sub(now, old), rate)));
}

/**
 * L = mean over critics and batch of ω·[ H(q, y) + σ·(σ̃² − c·H(q̃, y_c)) / (σ̃ + ε) ], where ~ stops gradients,
 *
 *   y_c = q̃ + clip(y_z − q̃, ±ξb)            ω = clip(b² / (σ̃² + ε), least, most)
 *
 * and H is Huber's function. The mean learns from the expected return `y` [B, 1] (expected-value substitution), the spread from
 * the sampled return `sample`, limited by the running mean b of the spread; ω equalises the steps of critics with different
 * spreads (variance-based adjustment). c is 1, or 2 with the correction. δ and ε are multiples of a unit of return, see the settings.
 */
export function returnLoss(
  { mean, spread }: Returns,
  y: Tensor,
  sample: Tensor,
  runningSpread: Tensor,
  settings: LearnerConfig['dsact'],
): { loss: Tensor; weight: Tensor; isBounded: Tensor } {
  const { boundSpreads, huberDelta, bias, minWeight, maxWeight, valueScale, huberCorrection } = settings;
  const b = stopGradient(runningSpread);
  const unit = valueScale === 0 ? b : mean.graph.constant(valueScale);
  const distance = (error: Tensor) => mul(square(unit), huber(div(error, unit), huberDelta));
  const [q, sigma] = [stopGradient(mean), stopGradient(spread)];

  const deviation = sub(sample, q);
  const bound = mul(b, boundSpreads);
  const bounded = maximum(minimum(deviation, bound), neg(bound));
  const excess = sub(square(sigma), mul(distance(bounded), huberCorrection ? 2 : 1));
  const spreadTerm = mul(spread, div(excess, add(sigma, mul(unit, bias))));

  const weight = clip(div(square(b), add(square(sigma), mul(square(unit), bias))), minWeight, maxWeight);
  const loss = reduceMean(mul(weight, add(distance(sub(mean, y)), spreadTerm)));
  return { loss, weight, isBounded: less(bound, abs(deviation)) };
}
