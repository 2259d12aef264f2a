/**
 * EXPO: an expressive base policy trained by imitation only, a small edit of its actions that maximises the critics, and a choice
 * among base and edited actions by the critics themselves (Dong et al., https://arxiv.org/abs/2507.07986). Each function is one
 * equation of its section 4; the choice is in `on-the-fly.ts`.
 */

import type { Tensor } from '../engine/graph.ts';
import { gaussianActorLayout } from '../networks/actor.ts';
import { critics } from '../networks/critic.ts';
import { denoiserLayout } from '../networks/denoiser.ts';
import { mul, stopGradient, sub } from '../ops/elements.ts';
import { reduceMean } from '../ops/reduce.ts';
import { reduceSum, reshape, slice } from '../ops/shape.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import type { Algorithm } from '../update/algorithm.ts';
import { policyInputSize } from '../update/network-inputs.ts';
import type { LearnerSpec, NetworkDef } from '../update/spec.ts';
import type { MinimiseOptions, Step } from '../update/step.ts';
import { meanOfChosen } from './bc.ts';
import {
  baseModel,
  choose,
  drawEdit,
  editedAction,
  onTheFlyPolicy,
  proposalNoiseSize,
  proposalValues,
  propose,
} from './on-the-fly.ts';
import {
  actorLoss,
  actorOptimiser,
  alphaOf,
  criticNetwork,
  criticTarget,
  entropyOf,
  learnCritics,
  meanValue,
  reportActor,
  temperatureNetwork,
  updateTemperature,
} from './sac.ts';

/** EXPO. */
export const expo: Algorithm = {
  name: 'expo',
  networks: (spec) => [baseNetwork(spec), editNetwork(spec), criticNetwork(spec), temperatureNetwork(spec.config)],
  update: { inner: updateCritics, outer: updatePolicies },
  cloning: { inner: cloneBase },
  policy: onTheFlyPolicy,
  value: { network: 'critic', build: meanValue },
  unfit,
};

/** π_b: generates an action from noise. */
export function baseNetwork(spec: LearnerSpec): NetworkDef {
  const { expo: settings, activation } = spec.config;
  const layout = denoiserLayout(policyInputSize(spec), settings.baseHidden, spec.actionSize, activation);
  return { name: 'base', layout, hasTarget: settings.baseCopy === 'slow' };
}

/** π_e: takes the observation and the action to edit. */
function editNetwork(spec: LearnerSpec): NetworkDef {
  const { actorHidden, activation } = spec.config;
  const inputs = policyInputSize(spec) + spec.actionSize;
  return { name: 'edit', layout: gaussianActorLayout(inputs, actorHidden, spec.actionSize, activation) };
}

/** One update of all critics towards y = r + d·min Q̄(s′, a*), a* chosen on the fly with the same critics, and of their slow copies. */
function updateCritics(step: Step): void {
  const { spec, batchSize } = step;
  const { config } = spec;
  const proposers = { base: baseOf(step), edit: step.online('edit') };
  const noise = step.normal('next_noise', [batchSize, proposalNoiseSize(spec)]);
  const proposals = propose(spec, proposers, step.policyInput('next_observation'), noise);
  const members = step.targetSubset('critic', config.criticSubset);
  const next = choose(proposals, proposalValues(members, step.criticInput('next_observation', 'target'), proposals));
  const y = criticTarget(step.reward, step.discount, reshape(next.value, [1, batchSize, 1]));
  learnCritics(step, y);
  step.report('chosenValue', reduceMean(next.value));
  step.report('choiceGain', reduceMean(sub(next.value, reduceMean(next.values, [-1]))));
  step.report('editShare', editShare(next.chosen, config.expo));
}

/** One update of the base policy, of the edit policy and of the temperature. */
function updatePolicies(step: Step): void {
  const { config } = step.spec;
  // The base policy imitates, and does not wait for critics.
  const options = { ...actorOptimiser(config), after: 0 };
  step.report('baseLoss', updateBase(step, step.policyInput('observation'), options));
  if (config.expo.edited > 0) updateEdit(step);
}

/** Imitation only, without `weightDecay`: trains the base policy on the demonstrations, before anything else. */
export function cloneBase(step: Step): void {
  const { learningRateBc: rate, gradientClip: clip } = step.spec.config;
  const input = step.policyInput('observation', 'trainsEncoder');
  step.report('cloningLoss', updateBase(step, input, { rate, clip, trainsEncoder: true }));
  if (step.spec.config.expo.baseCopy === 'slow') step.follow('base', 1);
}

/** L_b: the model's own loss on the actions of the batch, or of its demonstrations. Independent of the critics. */
function updateBase(step: Step, observation: Tensor, options: MinimiseOptions): Tensor {
  const { spec, batchSize, action } = step;
  const { baseData, baseCopy, baseCopyRate } = spec.config.expo;
  const noise = step.normal('base_noise', [batchSize, spec.actionSize]);
  const time = step.uniform('base_time', [batchSize, 1]);
  const errors = baseModel(spec).loss(step.online('base'), { observation, action }, noise, time);
  const loss = baseData === 'all' ? reduceMean(errors) : meanOfChosen(errors, step.isDemo);
  step.minimise('base', loss, options);
  if (baseCopy === 'slow') step.follow('base', baseCopyRate);
  return loss;
}

/** One update of the edit policy, with the batch's action as base action, and of the temperature. */
function updateEdit(step: Step): void {
  const { spec, batchSize, action } = step;
  const { config, actionSize } = spec;
  const { editScale, entropyInEditUnits } = config.expo;
  const noise = step.normal('edit_noise', [batchSize, actionSize]);
  const drawn = drawEdit(step.online('edit'), step.policyInput('observation'), action, noise);
  const input = stopGradient(step.criticInput('observation'));
  const alpha = alphaOf(step);
  const valuesOf = (edited: Tensor) => critics(step.online('critic'), input, edited);
  const { loss, value, logProbability } = editLoss(drawn, action, valuesOf, alpha, config);
  step.minimise('edit', loss, actorOptimiser(config));
  const entropy = entropyOf(logProbability);
  // Comparing H with H* + A·log β equals comparing the edit's own entropy with H*.
  updateTemperature(step, entropyInEditUnits ? sub(entropy, actionSize * Math.log(editScale)) : entropy);
  reportActor(step, { loss, entropy, alpha, value });
}

/**
 * L_e = mean of α·log π(a_e|s, a) − Q(s, a_e), where a_e is the edit of `action` [B, A]; and log π(a_e|s, a), [B, 1]. `valuesOf`
 * returns the critics' values [critics, B, 1] of actions; α is held fixed.
 */
export function editLoss(
  drawn: { readonly edit: Tensor; readonly logProbability: Tensor },
  action: Tensor,
  valuesOf: (action: Tensor) => Tensor,
  alpha: Tensor,
  { expo: { editScale }, criticAggregation }: LearnerConfig,
): { loss: Tensor; value: Tensor; logProbability: Tensor } {
  const logProbability = editedLogProbability(drawn.logProbability, editScale, action.shape.at(-1)!);
  const values = valuesOf(editedAction(action, drawn.edit, editScale));
  return { ...actorLoss(logProbability, values, alpha, criticAggregation), logProbability };
}

/** log π(a_e) = log π(e) − A·log β: an edit is scaled by β, which raises its density accordingly. */
export function editedLogProbability(logProbability: Tensor, scale: number, actionSize: number): Tensor {
  return sub(logProbability, actionSize * Math.log(scale));
}

/** Fraction of rows where the choice [B, candidates + edited] is an edited action. */
export function editShare(chosen: Tensor, { candidates, edited }: LearnerConfig['expo']): Tensor {
  if (edited === 0) return mul(reduceMean(chosen), 0);
  return reduceMean(reduceSum(slice(chosen, -1, candidates, candidates + edited), [-1]));
}

function baseOf(step: Step) {
  return step.spec.config.expo.baseCopy === 'current' ? step.online('base') : step.target('base');
}

function unfit({ parts, config }: LearnerSpec): string | undefined {
  const { candidates, edited, editScale, entropyInEditUnits, baseData } = config.expo;
  if ((parts.privilegedSize ?? 0) > 0) {
    return 'expo chooses actions with its critics on the robot too, where privileged numbers are not known';
  }
  if (edited > candidates)
    return `expo edits ${edited} of ${candidates} candidates: expo.edited must not exceed expo.candidates`;
  if (baseData === 'demonstrations' && config.demoFraction === 0 && config.bcInitSteps === 0) {
    return "expo's base policy imitates demonstrations alone, and demoFraction and bcInitSteps are 0: it would never learn";
  }
  const [aim, most] = [config.targetEntropyPerDimension, Math.log(2 * editScale)];
  if (!entropyInEditUnits && aim > most) {
    return `edits of ±${editScale} reach an entropy of ${most.toFixed(2)} per number of the action, targetEntropyPerDimension is ${aim}: the temperature would grow without end`;
  }
  return undefined;
}
