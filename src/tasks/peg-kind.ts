/** Peg insertion as a kind of task: consistency checks of file and robot, its scene, and its scripted operator. */

import { worldOf } from '../drivers/index.ts';
import { ArmKinematics, significant } from '../model/index.ts';
import { type OperatorContext, PegInserter, ScriptedOperator, type TeleopSource } from '../teleop/index.ts';
import { PegInsertion, type PegTaskConfig, pegTaskSchema } from './peg-insertion.ts';
import type { TaskKind, TaskProblem, TaskRobot } from './task-kind.ts';

export const pegKind: TaskKind<PegTaskConfig> = {
  kind: 'pegInsertion',
  schema: pegTaskSchema,
  create: (config, robot) => new PegInsertion(config, robot),
  problems: checkPegTask,
  operator: (config, context) => {
    const inserter = createInserter(config, context);
    if (context.role === 'demonstrator') return demonstrator(inserter);
    return new ScriptedOperator(inserter, config.operator, context.observation, context.seed + 1);
  },
  scene: ({ peg, hole, success }) => ({
    pegWidthM: peg.widthM,
    pegLengthM: peg.lengthM,
    clearanceM: hole.clearanceM,
    chamferM: hole.chamferM,
    depthM: hole.depthM,
    mouthRadiusM: success.lateralM,
  }),
  successDepthM: ({ success }) => success.depthM,
};

/** Inserter of the scripted operator, fitted to the task's dimensions. */
export function createInserter(
  { hole, estimate }: PegTaskConfig,
  { observation, action, seed }: Pick<OperatorContext, 'observation' | 'action' | 'seed'>,
): PegInserter {
  return new PegInserter({
    observation,
    action,
    spiralPitchM: 0.0015,
    searchStepM: hole.clearanceM < 0.0004 ? 0.002 : 0.003,
    searchRadiusM: 1.5 * estimate.errorM,
    tremor: 0.05,
    seed,
  });
}

/** The inserter as an operator that is always in control: demonstrations. */
function demonstrator(inserter: PegInserter): TeleopSource {
  return {
    name: 'demonstrator',
    decidedBy: 'scripted',
    reset: () => inserter.begin('above'),
    close: () => undefined,
    poll: (observation, _nowS, out) => {
      out.active = true;
      out.phase = 'correct';
      inserter.act(observation, out.action);
    },
  };
}

/** Four significant digits, for messages. */
const round = (value: number): string => significant(value, 4);

const CARTESIAN = ['x', 'y', 'z', 'yaw'] as const;
const AXES = ['x', 'y', 'z'] as const;

/** Problems of `task`; those of the scripted operator only if the action itself is valid. */
function checkPegTask(task: PegTaskConfig, robot: TaskRobot, isActionRight: boolean): readonly TaskProblem[] {
  if (robot.base !== undefined) {
    return [{ path: ['robot'], message: `robot "${robot.name}" is a mobile base, and peg insertion needs an arm` }];
  }
  if (worldOf(robot.driver) === 'empty') {
    const message = `robot "${robot.name}" is simulated without surroundings (driver.model), and peg insertion needs the scene peg-insertion`;
    return [{ path: ['robot'], message }];
  }
  const region = checkRegion(task, robot);
  const findings = [...checkPeg(task), ...region];
  // If a region lies outside the box, only that is reported.
  if (region.length === 0) findings.push(...checkReach(task, robot));
  // If an axis is misspelt, only that is reported.
  return isActionRight ? [...findings, ...checkOperator(task)] : findings;
}

function checkPeg(task: PegTaskConfig): TaskProblem[] {
  const findings: TaskProblem[] = [];
  const deepest = Math.min(task.hole.depthM, task.peg.lengthM);
  if (task.success.depthM > deepest) {
    const message = `success.depthM is ${task.success.depthM}, the peg can go in ${deepest} m at most (hole.depthM, peg.lengthM)`;
    findings.push({ path: ['success', 'depthM'], message });
  }
  if (task.hole.chamferM >= task.hole.depthM) {
    findings.push({
      path: ['hole', 'chamferM'],
      message: `hole.chamferM is ${task.hole.chamferM}, it must be below hole.depthM`,
    });
  }
  if (task.start.heightSpreadM >= task.start.heightM) {
    findings.push({
      path: ['start', 'heightSpreadM'],
      message: `start.heightSpreadM is ${task.start.heightSpreadM}, it must be below start.heightM, or the peg starts in the plate`,
    });
  }
  const widest = 0.06 - task.hole.chamferM;
  if (task.peg.widthM / 2 + task.hole.clearanceM >= widest) {
    findings.push({
      path: ['peg', 'widthM'],
      message: `peg.widthM is ${task.peg.widthM}, the plate with the hole is 0.12 m wide`,
    });
  }
  return findings;
}

/** Checks that the whole path of the tool point lies in the workspace box. */
function checkRegion(task: PegTaskConfig, robot: TaskRobot): TaskProblem[] {
  const { minM, maxM } = robot.workspace;
  const { originM, spreadM, depthM } = task.hole;
  const findings: TaskProblem[] = [];
  const outside = (path: TaskProblem['path'], what: string, axis: number, low: number, high: number): void => {
    if (low >= minM[axis]! && high <= maxM[axis]!) return;
    const message = `${what} reaches from ${round(low)} to ${round(high)} m in ${AXES[axis]}, the robot's workspace from ${minM[axis]} to ${maxM[axis]} m`;
    findings.push({ path, message });
  };
  for (const axis of [0, 1]) {
    const centre = originM[axis]!;
    const start = task.start.spreadM;
    if (centre - spreadM < minM[axis]! || centre + spreadM > maxM[axis]!) {
      outside(['hole', 'originM', axis], 'the region of the hole', axis, centre - spreadM, centre + spreadM);
    } else outside(['start', 'spreadM'], 'the region of the start', axis, centre - start, centre + start);
  }
  outside(['hole', 'originM', 2], 'the hole', 2, originM[2] - depthM, originM[2]);
  outside(['start', 'heightM'], 'the start', 2, originM[2], originM[2] + task.start.heightM + task.start.heightSpreadM);
  return findings;
}

/** Cosine of the largest tilt of the tool at home from straight down. */
const UPRIGHT_COSINE = Math.cos(0.02);

/** Checks that the arm points the peg down, and reaches every corner of the start region and of the hole. */
function checkReach(task: PegTaskConfig, robot: TaskRobot): TaskProblem[] {
  const arm = new ArmKinematics(robot);
  const lean = -arm.tcpRotation[8]!;
  if (lean < UPRIGHT_COSINE) {
    const degrees = round((Math.acos(Math.max(-1, lean)) * 180) / Math.PI);
    return [{ path: ['robot'], message: `at home the tool of robot "${robot.name}" is ${degrees}° off straight down` }];
  }
  const pose = [0, 0, 0, ...arm.tcpQuaternion];
  const joints = new Float64Array(arm.joints);
  const [x, y, z] = task.hole.originM;
  const wide = Math.max(task.hole.spreadM, task.start.spreadM);
  const heights = [z - task.hole.depthM, z + task.start.heightM + task.start.heightSpreadM];
  for (const height of heights) {
    for (const [dx, dy] of [
      [-1, -1],
      [-1, 1],
      [1, -1],
      [1, 1],
    ] as const) {
      pose.splice(0, 3, x + dx * wide, y + dy * wide, height);
      if (arm.inverse(pose, robot.homeRad, joints)) continue;
      const place = pose.slice(0, 3).map(round).join(', ');
      return [
        {
          path: ['hole', 'originM'],
          message: `robot "${robot.name}" cannot bring its tool to ${place} (m), which the task needs`,
        },
      ];
    }
  }
  return [];
}

/** Checks the axes for demonstrations: the scripted operator (`PegInserter`) moves all of these. */
function checkOperator(task: PegTaskConfig): TaskProblem[] {
  const needs = `the scripted operator of peg insertion needs cartesian actions with ${CARTESIAN.join(', ')}`;
  const { kind, dimensions } = task.action;
  if (kind !== 'cartesian') return [{ path: ['action', 'kind'], message: `action.kind is ${kind}, ${needs}` }];
  const missing = CARTESIAN.filter((axis) => !dimensions.some(({ name }) => name === axis));
  if (missing.length === 0) return [];
  return [{ path: ['action', 'dimensions'], message: `there is no ${missing.join(', no ')}: ${needs}` }];
}
