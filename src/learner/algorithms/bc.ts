/** Behaviour cloning: the policy's noiseless action is drawn to the demonstrated one. */
import { criticOnlyUpdates, type LearnerConfig } from '../config/index.ts';
import {
  add,
  div,
  maximum,
  mul,
  type Parameters,
  reduceMean,
  reduceSum,
  square,
  sub,
  type Tensor,
  tanh,
} from '../engine/index.ts';
import type { Step } from '../program/index.ts';

/**
 * L_BC = mean over the chosen rows of mean over dimensions of (tanh μ(s) − a)². `mean` and `action` [B, A];
 * `chosen` [B, 1] is 1 for rows that come from demonstrations and 0 elsewhere; all rows where left out.
 */
export function cloningLoss(mean: Tensor, action: Tensor, chosen?: Tensor): Tensor {
  const errors = reduceMean(square(sub(tanh(mean), action)), [-1]);
  return chosen === undefined ? reduceMean(errors) : meanOfChosen(errors, chosen);
}

/** The mean of `errors` [B, 1] over the rows where `chosen` [B, 1] is 1; 0 where there are none. */
export function meanOfChosen(errors: Tensor, chosen: Tensor): Tensor {
  return div(reduceSum(mul(errors, chosen)), maximum(reduceSum(chosen), 1));
}

/**
 * One update of the actor towards the batch's actions, without `weightDecay`, which is that of updates by reward. `meanOf`: its action
 * before tanh. `action`: the numbers that it gives.
 */
export function cloneActor(
  step: Step,
  meanOf: (parameters: Parameters, sight: Tensor) => Tensor,
  action: Tensor = step.action,
): void {
  const { config } = step.spec;
  const loss = cloningLoss(meanOf(step.online('actor'), step.policySight('observation', 'trainsEncoder')), action);
  // The spread has no part in this loss: its head keeps its first values. What lies below it is trained, so the spread moves.
  const frozen = ['logStd.weight', 'logStd.bias'];
  step.minimise('actor', loss, {
    ...{ rate: config.learningRateBc, clip: config.gradientClip, frozen },
    trainsEncoder: true,
  });
  step.report('cloningLoss', loss);
}

/** `loss` of the actor with that of cloning beside it, where the configuration asks for it. `mean` as in `cloningLoss`. */
export function addCloning(step: Step, loss: Tensor, mean: Tensor, action: Tensor = step.action): Tensor {
  const { config } = step.spec;
  if (config.bcAuxWeight === 0) return loss;
  const cloning = cloningLoss(mean, action, step.isDemo);
  step.report('cloningLoss', cloning);
  return add(
    loss,
    mul(
      cloning,
      step.planned('cloning_weight', (updates) => cloningWeight(config, updates)),
    ),
  );
}

/**
 * Weight of the cloning loss beside the actor's after `updates` critic updates: halved every `bcAuxHalvingUpdates` from the actor's
 * first one on.
 */
export function cloningWeight(config: LearnerConfig, updates: number): number {
  const { bcAuxWeight, bcAuxHalvingUpdates } = config;
  const since = Math.max(0, updates - criticOnlyUpdates(config));
  return bcAuxHalvingUpdates === 0 ? bcAuxWeight : bcAuxWeight * 0.5 ** (since / bcAuxHalvingUpdates);
}
