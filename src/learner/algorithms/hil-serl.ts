/**
 * HIL-SERL (Luo et al., https://arxiv.org/abs/2410.21845; the authors' code is https://github.com/rail-berkeley/hil-serl): RLPD
 * with operator interventions, and grippers controlled by a critic of their own. Intervention steps are in both buffers, see
 * `Replay`; this file adds the grippers. The action is [continuous numbers | grippers]; a gripper's number means close, hold
 * or open. Actor, critics and temperature use the continuous numbers only.
 */

import type { Tensor } from '../engine/graph.ts';
import { matmul } from '../engine/linear.ts';
import type { Parameters } from '../engine/parameters.ts';
import { gaussianActor, sampleTanhGaussian } from '../networks/actor.ts';
import { dense, hidden, mlpLayout } from '../networks/mlp.ts';
import { add, less, mul, square, stopGradient, sub } from '../ops/elements.ts';
import { argmaxOneHot, atOneHot, reduceMean } from '../ops/reduce.ts';
import { concat, reduceSum, reshape, slice } from '../ops/shape.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import type { Algorithm, PolicyDef } from '../update/algorithm.ts';
import { policyInputSize } from '../update/network-inputs.ts';
import type { LearnerSpec, NetworkDef } from '../update/spec.ts';
import type { Step } from '../update/step.ts';
import { cloneGaussian } from './bc.ts';
import {
  criticNetwork,
  criticOptimiser,
  followValues,
  gaussianActorNetwork,
  gaussianPolicy,
  meanValue,
  nextDraw,
  policyPart,
  temperatureNetwork,
  updateActor,
} from './sac.ts';

/** Gripper commands, as numbers of the action: close, hold, open. */
const COMMANDS: readonly number[] = [-1, 0, 1];

/** HIL-SERL. */
export const hilSerl: Algorithm = {
  name: 'hil-serl',
  networks: (spec) => [
    gaussianActorNetwork(continuousSpec(spec)),
    criticNetwork(continuousSpec(spec)),
    temperatureNetwork(spec.config),
    ...(grippers(spec) > 0 ? [graspNetwork(spec)] : []),
  ],
  update: { inner: updateCritics, outer: (step) => updateActor(step, continuous(step.spec, step.action)) },
  // Continuous numbers only: values cannot be cloned, and grippers learn from rewards.
  cloning: { inner: (step) => cloneGaussian(step, continuous(step.spec, step.action)) },
  policy: (spec) => (grippers(spec) === 0 ? gaussianPolicy(spec) : hybridPolicy(spec)),
  value: {
    network: 'critic',
    build: (parameters, observation, action, spec) => meanValue(parameters, observation, continuous(spec, action)),
  },
  unfit,
};

/** n: number of grippers, the last numbers of the action. */
function grippers({ config }: LearnerSpec): number {
  return config.hilSerl.gripperObservations.length;
}

/** Spec with the continuous numbers as the whole action. */
function continuousSpec(spec: LearnerSpec): LearnerSpec {
  return { ...spec, actionSize: spec.actionSize - grippers(spec) };
}

function continuous(spec: LearnerSpec, action: Tensor): Tensor {
  return slice(action, -1, 0, spec.actionSize - grippers(spec));
}

/** Values of all joint commands of the grippers: 3 for one, 9 for two. Its input is the policy's, of which it is a part. */
function graspNetwork(spec: LearnerSpec): NetworkDef {
  const { criticHidden, layerNorm, activation } = spec.config;
  const heads = { value: COMMANDS.length ** grippers(spec) };
  const layout = mlpLayout(policyInputSize(spec), criticHidden, heads, layerNorm, activation);
  return { name: 'grasp', layout, hasTarget: true };
}

/** Q_g(s, ·) [B, 3ⁿ]. */
function graspValues(parameters: Parameters, input: Tensor): Tensor {
  return input.graph.layer('grasp', () => dense(parameters, 'value', hidden(parameters, input)));
}

/** One update of all critics: those of the continuous numbers as in SAC, then the grippers'. */
function updateCritics(step: Step): void {
  const { spec } = step;
  followValues(step, nextDraw(step, spec.actionSize - grippers(spec)), continuous(spec, step.action));
  if (grippers(spec) > 0) updateGraspCritic(step);
}

/** One update of the grippers' critic towards its double Q-learning target, then of its slow copy. */
function updateGraspCritic(step: Step): void {
  const { spec } = step;
  const { config } = spec;
  const command = slice(step.action, -1, spec.actionSize - grippers(spec), spec.actionSize);
  const penalty = togglePenalty(command, gripperPlaces(step), config.hilSerl);
  const next = graspValues(step.online('grasp'), step.policyInput('next_observation'));
  const nextSlow = graspValues(step.target('grasp'), step.policyInput('next_observation', 'target'));
  const y = graspTarget(step.reward, penalty, step.discount, next, nextSlow);
  const values = graspValues(step.online('grasp'), step.policyInput('observation'));
  const loss = graspLoss(values, chosenCommand(command, config.hilSerl.commandThreshold), y);
  step.minimise('grasp', loss, { ...criticOptimiser(config), trainsEncoder: false });
  step.follow('grasp');
  step.report('graspLoss', loss);
  step.report('graspQMean', reduceMean(values));
  step.report('togglePenalty', reduceMean(penalty));
}

/** [B, n] observed gripper positions, in the observation's own unit. */
function gripperPlaces(step: Step): Tensor {
  const { gripperObservations } = step.spec.config.hilSerl;
  const at = (index: number) => slice(step.storedObservation, -1, index, index + 1);
  return concat(gripperObservations.map(at), -1);
}

/**
 * y = r − p + d·Q̄_g(s′, argmax Q_g(s′, ·)), [B, 1], with d = γ·m: the online critic selects the command, the slow copy evaluates
 * it (van Hasselt et al., https://arxiv.org/abs/1509.06461). `next` and `nextSlow` [B, 3ⁿ], the others [B, 1].
 */
export function graspTarget(reward: Tensor, penalty: Tensor, discount: Tensor, next: Tensor, nextSlow: Tensor): Tensor {
  const value = atOneHot(nextSlow, argmaxOneHot(next));
  return stopGradient(add(sub(reward, penalty), mul(discount, value)));
}

/** L_g = mean of (Q_g(s, g) − y)², over the batch. `values` and `chosen` (one-hot) [B, 3ⁿ], `target` [B, 1]. */
export function graspLoss(values: Tensor, chosen: Tensor, target: Tensor): Tensor {
  return reduceMean(square(sub(atOneHot(values, chosen), target)));
}

/**
 * p [B, 1]: the penalty for every gripper whose `command` [B, n] reverses its state; a gripper is open where its `place` [B, n]
 * exceeds `openAbove`. Commanding the present state costs nothing.
 */
export function togglePenalty(
  command: Tensor,
  place: Tensor,
  { openAbove, commandThreshold, togglePenalty: penalty }: LearnerConfig['hilSerl'],
): Tensor {
  const isOpen = less(openAbove, place);
  const closes = mul(less(command, -commandThreshold), isOpen);
  const opens = mul(less(commandThreshold, command), sub(1, isOpen));
  return mul(reduceSum(add(closes, opens), [-1]), penalty);
}

/**
 * Joint command of `command` [B, n] in [−1, 1], one-hot [B, 3ⁿ], the first gripper most significant. Intermediate numbers, such
 * as an operator's 0.95 for 1, are quantised at ±`threshold`.
 */
export function chosenCommand(command: Tensor, threshold: number): Tensor {
  const [rows, count] = command.shape as [number, number];
  const each = Array.from({ length: count }, (_, i) => {
    const number = slice(command, -1, i, i + 1);
    const [closes, opens] = [less(number, -threshold), less(threshold, number)];
    return concat([closes, sub(sub(1, closes), opens), opens], -1);
  });
  return each.reduce((joint, one) => {
    const product = mul(reshape(joint, [rows, joint.size / rows, 1]), reshape(one, [rows, 1, COMMANDS.length]));
    return reshape(product, [rows, product.size / rows]);
  });
}

/** Action numbers [B, n] of the joint command with the largest of `values` [B, 3ⁿ]. */
export function bestCommand(values: Tensor): Tensor {
  const joint = values.shape.at(-1)!;
  const count = Math.round(Math.log(joint) / Math.log(COMMANDS.length));
  const table = Array.from({ length: joint }, (_, index) =>
    Array.from(
      { length: count },
      (__, i) => COMMANDS[Math.floor(index / COMMANDS.length ** (count - 1 - i)) % COMMANDS.length]!,
    ),
  );
  return matmul(argmaxOneHot(values), values.graph.constant(table.flat(), [joint, count]));
}

/** Continuous numbers sampled from the Gaussian with the robot's noise, and the grippers' best command, without random exploration. */
function hybridPolicy(spec: LearnerSpec): PolicyDef {
  const part = policyPart(spec.config);
  return {
    networks: [part, 'grasp'],
    noiseSize: spec.actionSize - grippers(spec),
    noise: 'exploration',
    build: (parameters, observation, noise) => {
      const { mean, logStd } = gaussianActor(parameters[part]!, observation);
      const { action } = sampleTanhGaussian(mean, logStd, noise!);
      return { action: concat([action, bestCommand(graspValues(parameters['grasp']!, observation))], -1) };
    },
  };
}

function unfit({ parts, actionSize, config }: LearnerSpec): string | undefined {
  const { gripperObservations } = config.hilSerl;
  const beyond = gripperObservations.find(
    (index) => !(Number.isInteger(index) && index >= 0 && index < parts.stateSize),
  );
  if (beyond !== undefined) {
    return `hilSerl.gripperObservations has the index ${beyond}, the observation's state has ${parts.stateSize} numbers`;
  }
  if (gripperObservations.length < actionSize) return undefined;
  return `hilSerl.gripperObservations makes ${gripperObservations.length} of the action's ${actionSize} numbers grippers; one at least must be left to move`;
}
