/** Behaviour cloning: regresses the policy's noise-free action onto the demonstrated one. */

import type { Tensor } from '../engine/graph.ts';
import type { Parameters } from '../engine/parameters.ts';
import { gaussianActor } from '../networks/actor.ts';
import { critics } from '../networks/critic.ts';
import { add, clip, div, maximum, mul, square, stopGradient, sub, tanh } from '../ops/elements.ts';
import { reduceMean } from '../ops/reduce.ts';
import { reduceSum, reshape } from '../ops/shape.ts';
import { criticOnlyUpdates, isAveraged, type LearnerConfig } from '../options/learner-config.ts';
import type { Step } from '../update/step.ts';

/** Slope that turns a ramp into a step: an advantage of 1e-6 counts fully. */
const STEEP = 1e6;

/**
 * L_BC = mean over the chosen rows of mean over dimensions of (tanh μ(s) − a)². `mean` and `action` [B, A];
 * `chosen` [B, 1] is 1 for rows that come from demonstrations and 0 elsewhere; default: all rows.
 */
export function cloningLoss(mean: Tensor, action: Tensor, chosen?: Tensor): Tensor {
  const errors = reduceMean(square(sub(tanh(mean), action)), [-1]);
  return chosen === undefined ? reduceMean(errors) : meanOfChosen(errors, chosen);
}

/** Mean of `errors` [B, 1] over the rows where `chosen` [B, 1] is 1; 0 if there are none. */
export function meanOfChosen(errors: Tensor, chosen: Tensor): Tensor {
  return div(reduceSum(mul(errors, chosen)), maximum(reduceSum(chosen), 1));
}

/**
 * One update of the actor towards the batch's actions, without `weightDecay`, which applies to reward-based updates only.
 * `meanOf`: the actor's action before tanh. `action`: the target action.
 */
export function cloneActor(
  step: Step,
  meanOf: (parameters: Parameters, input: Tensor) => Tensor,
  action: Tensor = step.action,
): void {
  const { config } = step.spec;
  const loss = cloningLoss(meanOf(step.online('actor'), step.policyInput('observation', 'trainsEncoder')), action);
  // This loss does not involve the spread: its head keeps its initial values. The layers below are trained, so the spread moves.
  const frozen = ['logStd.weight', 'logStd.bias'];
  step.minimise('actor', loss, {
    rate: config.learningRateBc,
    clip: config.gradientClip,
    frozen,
    trainsEncoder: true,
  });
  step.report('cloningLoss', loss);
}

/** `cloneActor` for a Gaussian policy: clones its mean. */
export function cloneGaussian(step: Step, action: Tensor = step.action): void {
  cloneActor(step, (parameters, input) => gaussianActor(parameters, input).mean, action);
  if (isAveraged(step.spec.config)) step.follow('actor', 1);
}

/** Inputs of the auxiliary cloning loss. */
export interface Cloning {
  /** [B, A] the policy's action before tanh. */
  readonly mean: Tensor;
  /** [critics, B, 1] critic values of the policy's action. */
  readonly values: Tensor;
  /** [B, A] target of the policy's action; default: the batch's actions. */
  readonly action?: Tensor;
  /** [B, n] the batch's actions as the critics take them; default: `action`. */
  readonly executed?: Tensor;
}

/** Adds the auxiliary cloning loss to the actor's `loss`, if configured. */
export function addCloning(step: Step, loss: Tensor, cloning: Cloning): Tensor {
  const { config } = step.spec;
  if (config.bcAuxWeight === 0) return loss;
  const { mean, values, action = step.action, executed = action } = cloning;
  const { isDemo } = step;
  const chosen = config.bcAuxRows === 'better' ? maximum(isDemo, isBetter(step, executed, values)) : isDemo;
  const drawn = cloningLoss(mean, action, chosen);
  step.report('cloningLoss', drawn);
  const weight = step.planned('cloning_weight', (updates) => cloningWeight(config, updates));
  return add(loss, mul(drawn, weight));
}

/**
 * [B, 1] 1 where the critics prefer `action` [B, n] to the policy's action, whose `values` [critics, B, 1] they gave: the binary
 * filter of CRR (Wang et al., https://arxiv.org/abs/2006.15134). An actor that maximises critics drifts to untried actions;
 * cloning executed actions that were better keeps it near the data. No gradient.
 */
export function isBetter(step: Step, action: Tensor, values: Tensor): Tensor {
  const shown = critics(step.online('critic'), step.criticInput('observation'), action);
  const advantage = reshape(sub(reduceMean(shown, [0]), reduceMean(values, [0])), [step.batchSize, 1]);
  return stopGradient(clip(mul(advantage, STEEP), 0, 1));
}

/**
 * Weight of the auxiliary cloning loss after `updates` critic updates: halved every `bcAuxHalvingUpdates` from the actor's
 * first update on.
 */
export function cloningWeight(config: LearnerConfig, updates: number): number {
  const { bcAuxWeight, bcAuxHalvingUpdates } = config;
  const since = Math.max(0, updates - criticOnlyUpdates(config));
  return bcAuxHalvingUpdates === 0 ? bcAuxWeight : bcAuxWeight * 0.5 ** (since / bcAuxHalvingUpdates);
}
