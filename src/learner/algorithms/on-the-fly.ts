/**
 * EXPO's policy: proposes several actions, edits some of them, and takes the one with the highest critic value (Dong et al.,
 * https://arxiv.org/abs/2507.07986, section 4). Used for acting, evaluation and the critics' target.
 */

import type { Tensor } from '../engine/graph.ts';
import type { Parameters } from '../engine/parameters.ts';
import { gaussianActor, sampleTanhGaussian } from '../networks/actor.ts';
import { critics } from '../networks/critic.ts';
import { type ActionModel, repeated } from '../networks/denoiser.ts';
import { diffusion } from '../networks/diffusion.ts';
import { flow } from '../networks/flow.ts';
import { add, clip, mul, sub } from '../ops/elements.ts';
import { argmaxOneHot, atOneHot, reduceMax, reduceMin } from '../ops/reduce.ts';
import { concat, permute, reduceSum, reshape, slice } from '../ops/shape.ts';
import type { PolicyDef } from '../update/algorithm.ts';
import type { LearnerSpec } from '../update/spec.ts';

/** Networks that propose actions. */
export interface Proposers {
  readonly base: Parameters;
  readonly edit: Parameters;
}

/** Action model of the base policy. */
export function baseModel({ config, actionSize }: LearnerSpec): ActionModel {
  const { model, steps } = config.expo;
  return model === 'flow' ? flow(actionSize, steps) : diffusion(actionSize, steps);
}

/** Numbers ~ N(0, 1) for all proposals of one decision: those of base actions first, then those of edits. */
export function proposalNoiseSize(spec: LearnerSpec): number {
  const { candidates, edited } = spec.config.expo;
  return candidates * baseModel(spec).noiseSize + edited * spec.actionSize;
}

/**
 * Proposals at `input` [B, inputs]: base actions a_b ~ π_b(s), then edits of the first of them, [B, candidates + edited, A].
 * `noise` [B, proposalNoiseSize].
 */
export function propose(spec: LearnerSpec, { base, edit }: Proposers, input: Tensor, noise: Tensor): Tensor {
  const { candidates, edited, editScale } = spec.config.expo;
  const [rows, A] = [input.shape[0]!, spec.actionSize];
  const model = baseModel(spec);
  const end = candidates * model.noiseSize;
  const drawn = reshape(slice(noise, -1, 0, end), [rows * candidates, model.noiseSize]);
  const proposed = reshape(model.act(base, repeated(input, candidates), drawn), [rows, candidates, A]);
  if (edited === 0) return proposed;
  const taken = reshape(slice(proposed, 1, 0, edited), [rows * edited, A]);
  const forEdits = reshape(slice(noise, -1, end, end + edited * A), [rows * edited, A]);
  const { edit: e } = drawEdit(edit, repeated(input, edited), taken, forEdits);
  return concat([proposed, reshape(editedAction(taken, e, editScale), [rows, edited, A])], 1);
}

/** An edit e ~ π_e(s, a) in (−1, 1) with its log-density [B, 1]. `input`, `action` and `noise` have B rows. */
export function drawEdit(
  parameters: Parameters,
  input: Tensor,
  action: Tensor,
  noise: Tensor,
): { edit: Tensor; logProbability: Tensor } {
  const { mean, logStd } = gaussianActor(parameters, concat([input, action], -1));
  const { action: edit, logProbability } = sampleTanhGaussian(mean, logStd, noise);
  return { edit, logProbability };
}

/** a_e = clip(a + β·e, −1, 1). */
export function editedAction(action: Tensor, edit: Tensor, scale: number): Tensor {
  return clip(add(action, mul(edit, scale)), -1, 1);
}

/** Q of every proposal [B, J, A], in one call of the critics: [critics, B·J, 1]. `input` [B, `criticInputSize`]. */
export function proposalValues(parameters: Parameters, input: Tensor, proposals: Tensor): Tensor {
  const [rows, count, A] = proposals.shape as [number, number, number];
  return critics(parameters, repeated(input, count), reshape(proposals, [rows * count, A]));
}

/** Result of `choose`: the action [B, A], its value [B, 1], the chosen proposal [B, J] as one-hot, and all values [B, J]. */
export interface Choice {
  readonly action: Tensor;
  readonly value: Tensor;
  readonly chosen: Tensor;
  readonly values: Tensor;
}

/** a* = argmax over the `proposals` [B, J, A] of the minimum of the critics' `values` [critics, B·J, 1]; the first if tied. */
export function choose(proposals: Tensor, values: Tensor): Choice {
  const [rows, count, A] = proposals.shape as [number, number, number];
  const least = reshape(reduceMin(values, 0), [rows, count]);
  const chosen = argmaxOneHot(least);
  const action = reduceSum(mul(proposals, reshape(chosen, [rows, count, 1])), [1]);
  return { action: reshape(action, [rows, A]), value: reduceMax(least, -1), chosen, values: least };
}

/**
 * The policy as a graph. It chooses with the critics' slow copies, a random subset for every decision as in training. With images
 * the slow copies would need the encoder's slow copy, but a policy has the current encoder only: it then chooses with the current
 * critics.
 */
export function onTheFlyPolicy(spec: LearnerSpec): PolicyDef {
  const { critics: members, criticSubset, expo } = spec.config;
  const base = expo.baseCopy === 'current' ? 'base' : 'base_target';
  const judges = spec.parts.image === undefined ? 'critic_target' : 'critic';
  const size = proposalNoiseSize(spec);
  const ranks = criticSubset < members ? members : 0;
  return {
    networks: [base, 'edit', judges],
    noiseSize: size + ranks,
    noise: 'always',
    build: (parameters, input, noise) => {
      const proposers = { base: parameters[base]!, edit: parameters['edit']! };
      const proposals = propose(spec, proposers, input, slice(noise!, -1, 0, size));
      const values = proposalValues(parameters[judges]!, input, proposals);
      const heard = ranks === 0 ? values : drawMembers(values, slice(noise!, -1, size, size + ranks), criticSubset);
      return { action: choose(proposals, heard).action };
    },
  };
}

/** Selects `count` of the critics' `values` [critics, J, 1], those with the largest `ranks` [1, critics]: [count, J, 1]. */
export function drawMembers(values: Tensor, ranks: Tensor, count: number): Tensor {
  const byProposal = permute(values, [2, 1, 0]);
  const picked: Tensor[] = [];
  let left = ranks;
  for (let i = 0; i < count; i++) {
    const chosen = argmaxOneHot(left);
    picked.push(atOneHot(byProposal, chosen));
    // Far below any normally distributed number.
    left = sub(left, mul(chosen, 1e6));
  }
  return concat(picked, 0);
}
