/**
 * HIL-SERL (Luo et al., https://arxiv.org/abs/2410.21845; the authors' code is https://github.com/rail-berkeley/hil-serl): RLPD
 * with a person who takes over, and grippers that open and close by a critic of their own. A person's steps are in both
 * buffers, see `Replay`; here are the grippers. The action is [continuous numbers | grippers]; a gripper's number says close, let be or
 * open. Actor, critics and temperature know the continuous numbers alone.
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

/** What a gripper can be commanded, as its number of the action: close, let be, open. */
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
  // Of the continuous numbers alone: values cannot be cloned, and grippers learn from rewards.
  cloning: { inner: (step) => cloneGaussian(step, continuous(step.spec, step.action)) },
  policy: (spec) => (grippers(spec) === 0 ? gaussianPolicy(spec) : hybridPolicy(spec)),
  value: {
    network: 'critic',
    build: (parameters, observation, action, spec) => meanValue(parameters, observation, continuous(spec, action)),
  },
  unfit,
};

/** n: how many of the action's last numbers are grippers. */
function grippers({ config }: LearnerSpec): number {
  return config.hilSerl.gripperObservations.length;
}

/** As if the continuous numbers were the whole action. */
function continuousSpec(spec: LearnerSpec): LearnerSpec {
  return { ...spec, actionSize: spec.actionSize - grippers(spec) };
}

function continuous(spec: LearnerSpec, action: Tensor): Tensor {
  return slice(action, -1, 0, spec.actionSize - grippers(spec));
}

/** The value of every joint command of the grippers: 3 of one, 9 of two. It sees what the policy sees, as it is part of it. */
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

/** One update of all critics: of those of the continuous numbers as in SAC, then of the grippers'. */
function updateCritics(step: Step): void {
  const { spec } = step;
  followValues(step, nextDraw(step, spec.actionSize - grippers(spec)), continuous(spec, step.action));
  if (grippers(spec) > 0) updateGraspCritic(step);
}

/** One update of the grippers' critic towards its double Q-learning target, and of its slow copy towards it. */
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

/** [B, n] where the grippers were observed to be, in the observation's own unit. */
function gripperPlaces(step: Step): Tensor {
  const { gripperObservations } = step.spec.config.hilSerl;
  const at = (index: number) => slice(step.storedObservation, -1, index, index + 1);
  return concat(gripperObservations.map(at), -1);
}

/**
 * y = r − p + d·Q̄_g(s′, argmax Q_g(s′, ·)), [B, 1], with d = γ·m: the online critic chooses, the slow one says what that is worth (van
 * Hasselt et al., https://arxiv.org/abs/1509.06461). `next` and `nextSlow` [B, 3ⁿ], the others [B, 1].
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
 * p [B, 1]: the penalty for every gripper whose `command` [B, n] turns its state round, open where its `place` [B, n] is above the
 * limit. What a gripper does already costs nothing.
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
 * The joint command that `command` [B, n] in [−1, 1] stands for, one-hot [B, 3ⁿ]: the first gripper counts most. A number in the middle,
 * and a person's 0.95 for 1, are the nearest of the three.
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

/** The numbers of the action, [B, n], that the joint command with the largest of `values` [B, 3ⁿ] stands for. */
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

/** Continuous numbers drawn from the Gaussian with the robot's noise, and the grippers' best command: those do not explore by chance. */
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
