/**
 * WSRL: a policy trained offline continues online without its data (Zhou et al., https://arxiv.org/abs/2412.07762). Offline it
 * is Cal-QL (Nakamoto et al., https://arxiv.org/abs/2303.05479); then the policy acts for `warmupSteps` steps without learning,
 * so that replay contains its behaviour; from there on it is soft actor-critic on those and later steps only (`demoFraction: 0`).
 * The warm-up keeps the critics from forgetting what lies outside their new data.
 */

import type { Tensor } from '../engine/graph.ts';
import type { Parameters } from '../engine/parameters.ts';
import { gaussianActor, sampleTanhGaussian } from '../networks/actor.ts';
import { critics } from '../networks/critic.ts';
import { add, maximum, mul, sub } from '../ops/elements.ts';
import { logSumExp, reduceMean } from '../ops/reduce.ts';
import { concat, expand, reshape, slice } from '../ops/shape.ts';
import type { Algorithm } from '../update/algorithm.ts';
import type { Step } from '../update/step.ts';
import { criticLoss, criticOptimiser, criticTarget, nextDraw, reportCritics, sac, updateActor } from './sac.ts';

/** WSRL. */
export const wsrl: Algorithm = {
  ...sac,
  name: 'wsrl',
  offline: { inner: updateCriticsOffline, outer: (step) => updateActor(step) },
  needsReturns: true,
};

/** One update of every critic on the temporal difference + α_c·conservative loss, and of their slow copies. */
function updateCriticsOffline(step: Step): void {
  const { config } = step.spec;
  const members = step.targetSubset('critic', config.criticSubset);
  const nextValues = critics(members, step.criticInput('next_observation', 'target'), nextDraw(step).action);
  const y = criticTarget(step.reward, step.discount, nextValues);

  const values = critics(step.online('critic'), step.criticInput('observation'), step.action);
  const { loss, absoluteError } = criticLoss(values, y);
  const gap = conservativeLoss(sampledValues(step), values);
  const total = add(loss, mul(gap, config.wsrl.conservatism));
  step.minimise('critic', total, criticOptimiser(config));
  step.follow('critic');
  reportCritics(step, { loss, values, y, absoluteError });
  step.report('conservativeLoss', gap);
}

/**
 * E_s[ log Σ_a eˣ ] − E_D[ Q(s, a) ] over critics and batch: lowers values of sampled actions and raises those of the data.
 * `sampled` x [critics, N, B], as `sampledValues` returns it; `values` [critics, B, 1].
 */
export function conservativeLoss(sampled: Tensor, values: Tensor): Tensor {
  return sub(reduceMean(logSumExp(sampled, 1)), reduceMean(values));
}

/**
 * Q(s, a) − log p(a) of the drawn actions, [critics, 3n, B]: n from π(·|s), n from π(·|s′), n uniform. Importance-weighted by
 * their density, they represent the whole range of actions.
 */
function sampledValues(step: Step): Tensor {
  const { config, actionSize } = step.spec;
  const n = config.wsrl.actionSamples;
  const [here, next] = (['observation', 'next_observation'] as const).map((of) => policyDraws(step, of, n)) as [
    Draws,
    Draws,
  ];
  const uniform = sub(mul(step.uniform('uniform_action', [n, step.batchSize, actionSize]), 2), 1);
  const actions = concat([here.action, next.action, uniform], 0);
  const values = valuesOf(step.online('critic'), step.criticInput('observation'), actions);
  const returns = step.column('monte_carlo_return', 1);
  const fromPolicy = slice(values, 1, 0, 2 * n);
  return concat(
    [
      sub(
        config.wsrl.isCalibrated ? calibrated(fromPolicy, returns) : fromPolicy,
        concat([here.logProbability, next.logProbability], 0),
      ),
      // The density of the uniform draws is 2⁻ᴬ.
      add(slice(values, 1, 2 * n, 3 * n), actionSize * Math.LN2),
    ],
    1,
  );
}

/** max(Q, V_mc): a value is not pushed below the return of the data. `values` [critics, N, B], `returns` [B, 1]. */
export function calibrated(values: Tensor, returns: Tensor): Tensor {
  return maximum(values, reshape(returns, [returns.size]));
}

interface Draws {
  /** [n, B, A] */
  readonly action: Tensor;
  /** [n, B] */
  readonly logProbability: Tensor;
}

function policyDraws(step: Step, of: 'observation' | 'next_observation', n: number): Draws {
  const { mean, logStd } = gaussianActor(step.online('actor'), step.policyInput(of));
  const noise = step.normal(`${of}_sample_noise`, [n, step.batchSize, step.spec.actionSize]);
  const { action, logProbability } = sampleTanhGaussian(mean, logStd, noise);
  return { action, logProbability: reshape(logProbability, [n, step.batchSize]) };
}

/** Q of every critic for N actions at each observation: `input` [B, size], `actions` [N, B, A] give [critics, N, B]. */
function valuesOf(parameters: Parameters, input: Tensor, actions: Tensor): Tensor {
  const [n, rows, actionSize] = actions.shape as [number, number, number];
  const size = input.shape.at(-1)!;
  const repeated = reshape(expand(reshape(input, [1, rows, size]), [n, rows, size]), [n * rows, size]);
  const values = critics(parameters, repeated, reshape(actions, [n * rows, actionSize]));
  return reshape(values, [values.shape[0]!, n, rows]);
}
