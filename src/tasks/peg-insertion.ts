/**
 * Insertion of a square peg into a chamfered hole at an uncertain position: the error of the hole's estimate is constant during
 * an episode, so contact must provide the rest. The reward is sparse: 1 when the peg is in.
 */
import { z } from 'zod';
import type { ActionSpec, ObservationSpec, Rng, RobotModel } from '../model/index.ts';
import type { GuardFrame, SceneLayout } from '../rows/index.ts';
import { actionSchema, agreed, type Configured, mayDiffer, num, triple, whole } from '../schema/index.ts';
import { StartPose } from './start-pose.ts';
import type { Task, Verdict } from './task.ts';
import { goalKeys, maxStepsOf, onceFields, taskIdentity, taskKeys } from './task-options.ts';

const peg = z.strictObject({
  widthM: num('m', { above: 0, max: 0.2 }, 'Side of the square cross-section.'),
  lengthM: num('m', { above: 0, max: 0.5 }, 'Length below the gripper.'),
});

const hole = z.strictObject({
  originM: triple('m', "Middle of where the hole's mouth may be, base frame."),
  clearanceM: num('m', { above: 0, max: 0.02 }, 'Gap between peg and wall on each side.'),
  chamferM: num('m', { min: 0, max: 0.02 }, 'Width of the chamfer on each side.'),
  depthM: num('m', { above: 0, max: 0.5 }, 'Depth of the hole.'),
  spreadM: mayDiffer(num('m', { min: 0, max: 0.2 }, 'The mouth is drawn within ± this in x and y, once an episode.')),
  yawSpreadRad: mayDiffer(num('rad', { min: 0, max: 0.8 }, 'The hole is turned within ± this, once an episode.')),
});

const estimate = z.strictObject({
  errorM: num(
    'm',
    { min: 0, max: 0.05 },
    'Error of the hole estimate in x and y, uniform within ±, fixed in an episode.',
  ),
  heightErrorM: num('m', { min: 0, max: 0.02 }, 'The same for the height of the mouth.'),
  yawErrorRad: num('rad', { min: 0, max: 0.8 }, 'The same for yaw.'),
});

const start = z.strictObject({
  spreadM: num('m', { min: 0, max: 0.3 }, 'The peg starts within ± this of `hole.originM` in x and y.'),
  heightM: num('m', { above: 0, max: 0.5 }, "Height of the peg's lower end above the mouth, in the middle."),
  heightSpreadM: num('m', { min: 0, max: 0.3 }, 'The height is drawn within ± this.'),
  yawSpreadRad: num('rad', { min: 0, max: 0.8 }, 'The peg is turned within ± this against the hole.'),
});

const success = z.strictObject({
  depthM: num('m', { above: 0, max: 0.5 }, 'How deep the peg must be.'),
  lateralM: num('m', { above: 0, max: 0.05 }, "Greatest distance from the hole's axis that still counts."),
});

const operator = z.strictObject({
  initialRate: num(
    '1',
    { min: 0, max: 1 },
    'Probability that the operator may take over in an episode, at first.',
  ).default(1),
  finalRate: num('1', { min: 0, max: 1 }, 'The same in the end.').default(0),
  halvingSteps: whole(
    'steps',
    { min: 1, max: 1e7 },
    'Steps in which the distance between the two rates halves.',
  ).default(500),
  stuckSteps: whole(
    'steps',
    { min: 1, max: 10_000 },
    'Steps without progress after which the policy counts as stuck.',
  ).default(15),
  handBackSteps: whole('steps', { min: 1, max: 10_000 }, 'Steps that an intervention lasts at most.').default(20),
});

export const pegTaskSchema = z
  .strictObject({
    ...taskIdentity('pegInsertion', 'Rules of reward, reset and success: `pegInsertion`.'),
    ...taskKeys,
    learner: taskKeys.learner.removeDefault(),
    maxSteps: maxStepsOf('An episode is cut (not failed) after this many steps.', 80),
    action: actionSchema,
    peg: agreed(peg.meta({ description: "Square peg; the robot's tool point is the centre of its lower end." })),
    hole: agreed(hole.meta({ description: 'Square, chamfered hole with a vertical axis.' })),
    estimate: estimate.meta({ description: 'What policy and operator believe about the hole, and how wrong it is.' }),
    start: start.meta({ description: 'Where an episode starts.' }),
    success: agreed(success.meta({ description: 'When the task is done.' })),
    demonstrations: whole(
      'episodes',
      { min: 0, max: 10_000 },
      'Episodes that the operator shows before training.',
    ).default(20),
    operator: operator.meta({ description: 'When the scripted operator takes over from the policy, and hands back.' }),
    ...goalKeys,
  })
  .meta({
    title: 'Task: peg insertion',
    description: 'A task: geometry, episode rules, operator, training and target.',
  });

/** Configuration of the peg insertion task. */
export type PegTaskConfig = Configured<typeof pegTaskSchema>;

const mm = (metres: number): string => `${Number((1e3 * metres).toFixed(2))} mm`;

/** Scales that bring the observation to about [−1, 1]; `fine` ones resolve the last millimetres through tanh. */
const SCALE = {
  positionM: 0.03,
  finePositionM: 0.003,
  yawRad: 0.2,
  fineYawRad: 0.03,
  forceN: 10,
  torqueNm: 0.5,
} as const;

/** Signals of the scene, in order. */
const SIGNALS = ['depthM', 'holeXM', 'holeYM', 'holeZM', 'holeYawRad'] as const;

export class PegInsertion implements Task {
  readonly name: string;
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  readonly signalNames: readonly string[] = SIGNALS;
  readonly maxSteps: number;
  readonly observationDelaySteps: number;
  readonly #config: PegTaskConfig;
  readonly #start: StartPose;

  constructor(config: PegTaskConfig, model: RobotModel) {
    this.name = config.name;
    this.maxSteps = config.maxSteps;
    this.observationDelaySteps = config.observationDelaySteps;
    this.action = config.action;
    this.#config = config;
    this.#start = new StartPose(model, 'move hole.originM, or make start.spreadM smaller');
    this.observation = {
      frames: config.historyFrames,
      fields: [
        { name: 'hole_offset', size: 3, unit: `m / ${SCALE.positionM}`, frame: 'base' },
        { name: 'hole_offset_fine', size: 3, unit: `tanh(m / ${SCALE.finePositionM})`, frame: 'base' },
        { name: 'yaw_offset', size: 1, unit: `rad / ${SCALE.yawRad}`, frame: 'base' },
        { name: 'yaw_offset_fine', size: 1, unit: `tanh(rad / ${SCALE.fineYawRad})`, frame: 'base' },
        { name: 'force', size: 3, unit: `tanh(N / ${SCALE.forceN})`, frame: 'base' },
        { name: 'torque', size: 3, unit: `tanh(N*m / ${SCALE.torqueNm})`, frame: 'base' },
        { name: 'previous_executed', size: config.action.dimensions.length, unit: '1', frame: 'none' },
      ],
      ...onceFields(config, config.action),
    };
  }

  get goal(): string {
    const { hole, estimate, success } = this.#config;
    return `success is the peg ${mm(success.depthM)} deep in a hole whose place is known to ${mm(estimate.errorM)}, with ${mm(hole.clearanceM)} of clearance a side`;
  }

  drawLayout(rng: Rng): SceneLayout {
    const { hole, estimate, start } = this.#config;
    const spread = (range: number): number => rng.uniformIn(-range, range);
    const [cx, cy, cz] = hole.originM;
    const x = cx + spread(hole.spreadM);
    const y = cy + spread(hole.spreadM);
    const yaw = spread(hole.yawSpreadRad);
    const signals = {
      holeXM: x + spread(estimate.errorM),
      holeYM: y + spread(estimate.errorM),
      holeZM: cz + spread(estimate.heightErrorM),
      holeYawRad: yaw + spread(estimate.yawErrorRad),
    };
    const tip = [
      cx + spread(start.spreadM),
      cy + spread(start.spreadM),
      cz + start.heightM + spread(start.heightSpreadM),
    ] as const;
    return {
      jointsRad: this.#start.at(tip, spread(start.yawSpreadRad)),
      objects: { hole: [x, y, cz, yaw] },
      signals,
    };
  }

  observe(out: Float32Array, offset: number, frame: GuardFrame, previousExecuted: Float32Array): void {
    const { measuredTcp, robot } = frame;
    let at = offset;
    for (let k = 0; k < 3; k++) {
      const errorM = robot.signals[1 + k]! - measuredTcp[k]!;
      out[at + k] = errorM / SCALE.positionM;
      out[at + 3 + k] = Math.tanh(errorM / SCALE.finePositionM);
    }
    at += 6;
    const yawErrorRad = quarterTurn(robot.signals[4]! - toolYawRad(measuredTcp));
    out[at] = yawErrorRad / SCALE.yawRad;
    out[at + 1] = Math.tanh(yawErrorRad / SCALE.fineYawRad);
    at += 2;
    for (let k = 0; k < 3; k++) {
      out[at + k] = Math.tanh(robot.wrench[k]! / SCALE.forceN);
      out[at + 3 + k] = Math.tanh(robot.wrench[3 + k]! / SCALE.torqueNm);
    }
    at += 6;
    for (let k = 0; k < previousExecuted.length; k++) out[at + k] = previousExecuted[k]!;
  }

  offset(frame: GuardFrame, out: Float64Array): void {
    for (let k = 0; k < 3; k++) out[k] = frame.robot.signals[1 + k]! - frame.measuredTcp[k]!;
  }

  judge(frame: GuardFrame, out: Verdict): void {
    const inserted = frame.robot.signals[0]! >= this.#config.success.depthM;
    out.success = inserted;
    out.terminated = inserted;
    out.reward = inserted ? 1 : 0;
  }
}

/** Yaw of the tool's x axis about the base's z axis, rad. `pose` is x, y, z, then quaternion w, x, y, z. */
function toolYawRad(pose: Float64Array): number {
  const w = pose[3]!;
  const x = pose[4]!;
  const y = pose[5]!;
  const z = pose[6]!;
  return Math.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z));
}

/** Wraps the angle to ±π/4: a square peg fits at every quarter turn. */
function quarterTurn(angleRad: number): number {
  return angleRad - Math.round(angleRad / (Math.PI / 2)) * (Math.PI / 2);
}
