/**
 * A residual on a frozen base policy: ResFiT (Ankile et al., https://arxiv.org/abs/2509.19301). The observation contains the
 * base's action a_b; the actor adds a bounded correction to it,
 *
 *   a_r = c·tanh f(s, a_b),   a = clip(a_b + a_r, −1, 1),
 *
 * which starts as zero. Critics take the whole action a, and replay holds the executed action, after the clip. Where a_b + a_r
 * leaves the range, that number of the action has no gradient, as published.
 */
import { clamp, policyObservationSize, type Rng } from '../../model/index.ts';
import type { Tensor } from '../engine/graph.ts';
import type { ParameterLayout, Parameters } from '../engine/parameters.ts';
import { deterministicActor } from '../networks/actor.ts';
import { critics } from '../networks/critic.ts';
import { initialise } from '../networks/mlp.ts';
import { add, clip, mul, sqrt, square, stopGradient, sub } from '../ops/elements.ts';
import { reduceMean } from '../ops/reduce.ts';
import { reduceSum, slice } from '../ops/shape.ts';
import type { Algorithm, PolicyDef } from '../update/algorithm.ts';
import type { LearnerSpec, NetworkDef } from '../update/spec.ts';
import type { Step } from '../update/step.ts';
import { addCloning } from './bc.ts';
import { actorOptimiser, criticNetwork, meanValue } from './sac.ts';
import { beforeTanh, deterministicActorLoss, deterministicActorNetwork, learnValues, smoothed } from './td3.ts';

/** The residual on a base policy. */
export const residual: Algorithm = {
  name: 'residual',
  networks: (spec) => [residualNetwork(spec), criticNetwork(spec)],
  update: { inner: updateCritics, outer: updateActor },
  policy: correctedPolicy,
  warmUp: aroundBase,
  value: { network: 'critic', build: meanValue },
  unfit,
};

/** f, with its slow copy. Its last layer is initialised to zero, so that the policy starts as the base. */
function residualNetwork(spec: LearnerSpec): NetworkDef {
  return { ...deterministicActorNetwork(spec), initialise: initialiseAsZero };
}

function initialiseAsZero(layout: ParameterLayout, rng: Rng, out: Float32Array): void {
  initialise(layout, rng, out);
  for (const { name, offset, size } of layout.entries) {
    if (name.startsWith('mean.')) out.fill(0, offset, offset + size);
  }
}

/** One update of every critic towards y = r + γⁿm·min Q̄(s′, a′), and of their slow copies. */
function updateCritics(step: Step): void {
  const { config, actionSize } = step.spec;
  const { targetNoise, targetNoiseClip } = config.residual;
  // The slow copy of f uses the encoder's slow copy; the base action is the same for both.
  const input = step.policyInput('next_observation', 'target');
  const planned = add(baseAction(step.spec, input), correction(step.spec, step.target('actor'), input));
  const noise = step.normal('next_noise', [config.batchSize, actionSize]);
  learnValues(step, smoothed(planned, noise, targetNoise, targetNoiseClip));
}

/** One update of the actor on L_π = −mean Q(s, a) + w·|a_r|², and of its slow copy. */
function updateActor(step: Step): void {
  const { spec } = step;
  const { config } = spec;
  const input = step.policyInput('observation');
  const a_r = correction(spec, step.online('actor'), input);
  const action = clip(add(baseAction(spec, input), a_r), -1, 1);
  const values = critics(step.online('critic'), stopGradient(step.criticInput('observation')), action);
  const { loss, value } = deterministicActorLoss(values, config.criticAggregation);
  const squaredLength = correctionSize(a_r);
  const penalised = add(loss, mul(squaredLength, config.residual.penalty));
  const total = addCloning(step, penalised, {
    mean: beforeTanh(step.online('actor'), input),
    values,
    action: shownCorrection(step, input),
    executed: step.action,
  });
  // No decay: the correction stays near its initial zero until the critics give a reason to correct.
  step.minimise('actor', total, { ...actorOptimiser(config), weightDecay: 0 });
  step.follow('actor');
  step.report('actorLoss', loss);
  step.report('residualRms', sqrt(squaredLength));
  step.report('policyValue', value);
}

/** An operator's correction of the base as a fraction of c, the cloning target of tanh f: clip((a − a_b)/c, ±1). */
function shownCorrection({ spec, action }: Step, input: Tensor): Tensor {
  return clip(mul(sub(action, baseAction(spec, input)), 1 / spec.config.residual.scale), -1, 1);
}

/** a_b: the last numbers of the policy's input, [B, A]. */
function baseAction({ actionSize }: LearnerSpec, input: Tensor): Tensor {
  const size = input.shape.at(-1)!;
  return slice(input, -1, size - actionSize, size);
}

/** a_r = c·tanh f(s, a_b), [B, A]. */
function correction({ config }: LearnerSpec, actor: Parameters, input: Tensor): Tensor {
  return mul(deterministicActor(actor, input), config.residual.scale);
}

/** mean |a_r|² of corrections a_r [B, A]: the quantity weighted by `penalty`. */
export function correctionSize(a_r: Tensor): Tensor {
  return reduceMean(reduceSum(square(a_r), [-1]));
}

/** The corrected action, with noise while the robot explores. */
function correctedPolicy(spec: LearnerSpec): PolicyDef {
  const { explorationNoise, targetNoiseClip } = spec.config.residual;
  return {
    networks: ['actor'],
    noiseSize: spec.actionSize,
    noise: 'exploration',
    build: (parameters, input, noise) => {
      const planned = add(baseAction(spec, input), correction(spec, parameters['actor']!, input));
      return { action: smoothed(planned, noise!, explorationNoise, targetNoiseClip) };
    },
  };
}

/** The base's action plus a draw from U(−w, w), clipped to the range. */
function aroundBase({ parts, config }: LearnerSpec, observation: Float32Array, out: Float32Array, rng: Rng): void {
  const { warmupNoise } = config.residual;
  const at = policyObservationSize(parts) - out.length;
  for (let i = 0; i < out.length; i++) {
    out[i] = clamp(observation[at + i]! + rng.uniformIn(-warmupNoise, warmupNoise), -1, 1);
  }
}

function unfit({ parts, actionSize, config }: LearnerSpec): string | undefined {
  const size = parts.baseActionSize ?? 0;
  if (size !== actionSize) {
    const found = size === 0 ? 'observations without one' : `a base action of ${size} numbers in the observations`;
    return (
      `residual corrects a base policy's action of ${actionSize} numbers, and was given ${found}; ` +
      'give the task a base policy of this robot, or choose another algorithm'
    );
  }
  const { warmupNoise, scale } = config.residual;
  if (warmupNoise <= scale) return undefined;
  return (
    `residual.warmupNoise (${warmupNoise}) exceeds residual.scale (${scale}), so that the warm-up does what the policy ` +
    'never can; lower the noise or raise the scale'
  );
}
