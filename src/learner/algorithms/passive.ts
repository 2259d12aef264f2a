/**
 * Passivity-aware training: SAC that keeps the interventions of the safety chain within a budget. A second set of critics learns
 * the cost of actions, and a multiplier ν weighs it against reward: the Lagrangian of a constrained problem, with ν updated plainly
 * or by a PID controller (Stooke, Achiam and Abbeel, https://arxiv.org/abs/2007.03964). Using the energy of a passivity filter as
 * such a cost is the idea of PassiveRL (https://arxiv.org/abs/2503.00287), whose details are not public.
 */

import type { Tensor } from '../engine/graph.ts';
import type { Parameters } from '../engine/parameters.ts';
import { gaussianActor, sampleTanhGaussian } from '../networks/actor.ts';
import { critics } from '../networks/critic.ts';
import { add, clip, div, less, maximum, mul, stopGradient, sub } from '../ops/elements.ts';
import { reduceMax, reduceMean, where } from '../ops/reduce.ts';
import { concat, reshape, slice } from '../ops/shape.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import type { Algorithm } from '../update/algorithm.ts';
import type { Measure } from '../update/input-table.ts';
import type { LearnerSpec, NetworkDef } from '../update/spec.ts';
import type { Step } from '../update/step.ts';
import { addCloning } from './bc.ts';
import {
  actorLoss,
  actorOptimiser,
  alphaOf,
  criticLoss,
  criticNetwork,
  criticOptimiser,
  type Drawn,
  entropyOf,
  followValues,
  nextDraw,
  reportActor,
  sac,
  updateTemperature,
} from './sac.ts';

/** Placeholder for the last measured cost before the first measurement. */
const NONE = -1;

/** Passivity-aware soft actor-critic. */
export const passive: Algorithm = {
  ...sac,
  name: 'passive',
  networks: (spec) => [...sac.networks(spec), costNetwork(spec)],
  // ν, the integral, and the last measured cost.
  numbers: ({ config: { passive } }) => [
    { name: 'multiplier', initial: [passive.initialMultiplier, passive.initialMultiplier, NONE] },
  ],
  update: { inner: updateCritics, outer: updateActor },
};

function costNetwork(spec: LearnerSpec): NetworkDef {
  return { ...criticNetwork(spec), name: 'cost_critic', members: spec.config.passive.costCritics };
}

/** One update of the critics of reward and of cost, both on the same next action. */
function updateCritics(step: Step): void {
  const next = nextDraw(step);
  followValues(step, next);
  followCosts(step, next);
}

/** One update of the cost critics towards cost plus future cost under the action `next`, and of their slow copies. */
function followCosts(step: Step, next: Drawn): void {
  const { config } = step.spec;
  const { cost, costUnit } = config.passive;
  const paid = div(step.column(cost === 'cost' ? 'cost' : 'tank_drain_j', 1), costUnit);
  const future = critics(step.target('cost_critic'), step.criticInput('next_observation', 'target'), next.action);
  const y = costTarget(paid, step.discount, future);
  const values = critics(step.online('cost_critic'), stopGradient(step.criticInput('observation')), step.action);
  const { loss } = criticLoss(values, y);
  step.minimise('cost_critic', loss, { ...criticOptimiser(config), trainsEncoder: false });
  step.follow('cost_critic');
  step.report('costLoss', loss);
  step.report('costQMean', reduceMean(values));
}

/** One update of the multiplier, then one of the actor with it, and of the temperature. */
function updateActor(step: Step): void {
  const { config, actionSize } = step.spec;
  const measured = step.measured('measured_cost', meanCost(config.passive));
  const multiplier = nextMultiplier(step.part('multiplier'), measured, config.passive);
  step.assign('multiplier', multiplier);
  const nu = slice(multiplier, 0, 0, 1);

  const { mean, logStd } = gaussianActor(step.online('actor'), step.policyInput('observation'));
  const drawn = sampleTanhGaussian(mean, logStd, step.normal('noise', [step.batchSize, actionSize]));
  const input = stopGradient(step.criticInput('observation'));
  const valuesOf = (parameters: Parameters) => critics(parameters, input, drawn.action);
  const alpha = alphaOf(step);
  const values = valuesOf(step.online('critic'));
  const wanted = actorLoss(drawn.logProbability, values, alpha, config.criticAggregation);
  const loss = lagrangian(wanted.loss, valuesOf(step.online('cost_critic')), nu);
  step.minimise('actor', addCloning(step, loss, { mean, values }), actorOptimiser(config));
  const entropy = entropyOf(drawn.logProbability);
  updateTemperature(step, entropy);
  reportActor(step, { loss, entropy, alpha, value: wanted.value });
  step.report('measuredCost', measured);
  step.report('multiplier', nu);
}

/** J_c: mean over the newest visible online steps, in units of cost. */
function meanCost({ cost, costUnit, window }: LearnerConfig['passive']): Measure {
  return (replay, visibleCount) => {
    const { from, to } = replay.visible(visibleCount).online;
    return replay.online.meanCost({ from: Math.max(from, to - window), to }, cost) / costUnit;
  };
}

/** y_c = c + d·max over the critics of Q̄_c(s′, a′), [B, 1]: pessimistic. `future` [critics, B, 1], the others [B, 1]. */
export function costTarget(cost: Tensor, discount: Tensor, future: Tensor): Tensor {
  return stopGradient(add(cost, mul(discount, reshape(reduceMax(future, 0), cost.shape))));
}

/** L = ( mean of α·log π − Q + ν · mean of max Q_c ) / (1 + ν), with ν held fixed. `costs` [critics, B, 1]. */
export function lagrangian(loss: Tensor, costs: Tensor, multiplier: Tensor): Tensor {
  const nu = stopGradient(multiplier);
  return reshape(div(add(loss, mul(nu, reduceMean(reduceMax(costs, 0)))), add(nu, 1)), loss.shape);
}

/**
 * [ν, I, J] after measuring the cost J_c, with e = J_c − d and everything within [0, largest]:
 *
 *   plain: ν ← ν + rate·e
 *   pid:   I ← I + K_i·e,  ν ← K_p·e + I + K_d·[J_c − J]₊
 *
 * J becomes J_c. The derivative responds to increases only, and is 0 at the first call.
 */
export function nextMultiplier(before: Tensor, measured: Tensor, settings: LearnerConfig['passive']): Tensor {
  const { budget, maxMultiplier, rate, proportionalGain, integralGain, derivativeGain } = settings;
  const [nu, integral, last] = [0, 1, 2].map((i) => slice(before, 0, i, i + 1)) as [Tensor, Tensor, Tensor];
  const now = reshape(measured, [1]);
  const limited = (x: Tensor) => clip(x, 0, maxMultiplier);
  const excess = sub(now, budget);
  if (settings.multiplier === 'plain') return concat([limited(add(nu, mul(excess, rate))), integral, now], 0);
  const sum = limited(add(integral, mul(excess, integralGain)));
  const rise = where(less(last, 0), 0, maximum(sub(now, last), 0));
  const next = limited(add(add(mul(excess, proportionalGain), sum), mul(rise, derivativeGain)));
  return concat([next, sum, now], 0);
}
