/** Consistency checks between a task and its robot: the task requests nothing that the robot's limits forbid. */

import { type LearnerConfig, learnerProblems } from '../learner/options.ts';
import {
  ArmKinematics,
  DampedLeastSquares,
  type JointModel,
  jointActionUnit,
  observationProblem,
  TOOL_AXES,
} from '../model/index.ts';
import { START_NEAR_M, START_NEAR_RAD } from '../safety/index.ts';
import { phaseSwitchProblemsOf, type TaskConfig, taskKind } from '../tasks/index.ts';
import { type Finding, round } from './finding.ts';
import { checkOrder } from './order-checks.ts';
import { checkRobot } from './robot-checks.ts';
import type { RobotConfig } from './schema/robot.ts';

/** Returns all inconsistencies between `task` and `robot`; paths are those of the task. */
export function checkTask(task: TaskConfig, robot: RobotConfig): readonly Finding[] {
  const swapped = checkOrder(task);
  if (swapped.length > 0) return swapped;
  const action = task.action.kind === 'cartesian' ? checkCartesian(task, robot) : checkJoints(task, robot);
  const own = taskKind(task).problems(task, robot, action.length === 0);
  const used = own.length > 0 ? robot : narrowedBy(task, robot);
  // Problems of the robot alone were reported before.
  const atStart = used === robot ? [] : checkRobot(used);
  const start = atStart.map(({ message }) => ({
    path: ['start'],
    message: message.replace('at home', 'at its start'),
  }));
  return [
    ...checkTiming(task, robot),
    ...checkGoal(task),
    ...checkToolSpeed(task, robot),
    ...checkBasePolicy(task),
    ...phaseSwitchProblemsOf(task, robot),
    ...own,
    ...start,
    ...action,
    ...(action.length === 0 ? checkFirstStep(task, robot) : []),
  ];
}

/** Refuses an observation too large to record. All else must have passed; a third-party task is checked once loaded, in `createSetup`. */
export function checkRecord(task: TaskConfig, robot: RobotConfig): readonly Finding[] {
  if (task.kind === 'plugin') return [];
  const message = observationProblem(taskKind(task).create(task, robot).observation);
  return message === undefined ? [] : [{ path: ['observation'], message }];
}

/** A task without a success criterion gives a learner no reward, and keeps no demonstration. */
export function checkJudged(task: TaskConfig): readonly Finding[] {
  if (task.kind !== 'operatorJudged' || task.isJudged || task.rewardClassifier !== undefined) return [];
  const message =
    'isJudged is false: no episode would be a success, which a learner and demonstrations need: leave it out, or drive without them (rein teleop)';
  return [{ path: ['isJudged'], message }];
}

/** Returns `robot` as the task uses it: with the task's workspace and tool speed limit, and its start pose as home. */
export function narrowedBy(task: TaskConfig, robot: RobotConfig): RobotConfig {
  const own = taskKind(task).narrowed?.(task, robot) ?? robot;
  const { toolSpeedMaxMPerS } = task;
  return toolSpeedMaxMPerS === undefined ? own : { ...own, toolSpeedMaxMPerS };
}

/** Returns inconsistencies within the learner's settings; paths are those of the learner. */
export function checkLearner(learner: LearnerConfig): readonly Finding[] {
  return learnerProblems(learner).map(({ key, message }) => ({ path: [key], message }));
}

/** Checks the task's keys only; the base policy's file is checked when it is opened. */
function checkBasePolicy({ basePolicy, policyHz }: TaskConfig): Finding[] {
  if (basePolicy === undefined) return [];
  const { rateHz, chunk, executeSteps } = basePolicy;
  const findings: Finding[] = [];
  if (rateHz !== undefined && Math.abs(rateHz - policyHz) > 1e-9) {
    const message = `basePolicy.rateHz is ${rateHz}, the task's policyHz is ${policyHz}: its actions are for steps of another length; set policyHz to ${rateHz}, or take a base policy of ${policyHz} Hz`;
    findings.push({ path: ['basePolicy', 'rateHz'], message });
  }
  if (chunk !== undefined && executeSteps !== undefined && executeSteps > chunk) {
    const message = `basePolicy.executeSteps is ${executeSteps}, but a chunk has ${chunk} actions: write ${chunk} at most`;
    findings.push({ path: ['basePolicy', 'executeSteps'], message });
  }
  return findings;
}

/** Training ends by a test that tells a good policy from one that just misses the target, so there must be a gap between the two. */
function checkGoal({ training, target }: TaskConfig): Finding[] {
  const { stopAtValidation } = training;
  if (stopAtValidation > target.successRate || stopAtValidation === 1) return [];
  const message = `training.stopAtValidation is ${stopAtValidation}, not above target.successRate (${target.successRate}): training would end by policies that miss the target; write more, up to 1`;
  return [{ path: ['training', 'stopAtValidation'], message }];
}

function checkToolSpeed({ toolSpeedMaxMPerS: ofTask }: TaskConfig, robot: RobotConfig): Finding[] {
  if (ofTask === undefined) return [];
  const path = ['toolSpeedMaxMPerS'];
  if (robot.base !== undefined)
    return [{ path, message: `${robot.name} is a mobile base, which has no tool: leave toolSpeedMaxMPerS out` }];
  const ofRobot = robot.toolSpeedMaxMPerS ?? Number.POSITIVE_INFINITY;
  if (ofTask <= ofRobot) return [];
  const message = `toolSpeedMaxMPerS is ${ofTask}, and ${robot.name} allows ${ofRobot} m/s: a task can only lower it`;
  return [{ path, message }];
}

/** Explains why joint `name` cannot be a separate dimension of a cartesian action; empty if it is no joint. */
function whyNotBeside(
  { joints, name: robot, tool: { link = joints.at(-1)!.name } }: RobotConfig,
  name: string,
): string {
  if (!joints.some((joint) => joint.name === name)) return '';
  return `: joint "${name}" carries the tool, which these move. Where it is a gripper, tool.link of robot "${robot}" (${link}) has to be the joint before it`;
}

function checkTiming(task: TaskConfig, robot: RobotConfig): Finding[] {
  const ticks = robot.controlHz / task.policyHz;
  if (Math.abs(ticks - Math.round(ticks)) < 1e-9 && ticks >= 1) return [];
  return [
    {
      path: ['policyHz'],
      message: `policyHz is ${task.policyHz}, the robot's controlHz (${robot.controlHz}) must be a whole multiple of it`,
    },
  ];
}

function checkCartesian(task: TaskConfig, robot: RobotConfig): Finding[] {
  if (robot.base !== undefined) {
    const message = `action.kind is cartesian, but "${robot.name}" is a mobile base and has no tool: write joint`;
    return [{ path: ['action', 'kind'], message }];
  }
  const { topology } = new ArmKinematics(robot);
  const besides = robot.joints.filter((_, i) => !topology.carriesTool(i));
  const names = [...TOOL_AXES, ...besides.map(({ name }) => name)];
  const findings = checkNames(task, names, 'cartesian actions have', (name) => whyNotBeside(robot, name));
  for (const [i, dimension] of task.action.dimensions.entries()) {
    const axis = TOOL_AXES.indexOf(dimension.name);
    const joint = axis < 0 ? besides.find(({ name }) => name === dimension.name) : undefined;
    if (joint !== undefined) findings.push(...checkJoint(task, i, joint, `joint "${joint.name}"`));
    if (axis < 0) continue;
    const unit = axis === 3 ? 'rad' : 'm';
    const path = ['action', 'dimensions', i] as const;
    if (dimension.unit !== unit) {
      findings.push({
        path: [...path, 'unit'],
        message: `${dimension.name} is given in ${dimension.unit}, it must be ${unit}`,
      });
    } else findings.push(...checkSpeed(task, robot, i, axis));
  }
  return findings;
}

/** The start guard limits the distance of an episode's first target from the measured pose; the leash bounds it too. */
function checkFirstStep({ action }: TaskConfig, robot: RobotConfig): Finding[] {
  const { leashM, leashRad } = robot;
  if (robot.base !== undefined) return [];
  const isTool = ({ name }: { readonly name: string }): boolean =>
    action.kind === 'cartesian' && TOOL_AXES.includes(name);
  const jointFindings = action.dimensions.flatMap((dimension, i) => {
    const leash = dimension.unit === 'm' ? leashM : leashRad;
    if (isTool(dimension) || Math.min(dimension.scale, leash) <= START_NEAR_RAD) return [];
    const message = `scale is ${dimension.scale} ${dimension.unit}: the first target of an episode may be ${START_NEAR_RAD} ${dimension.unit} from the measured pose at most, so scale must be ≤ ${START_NEAR_RAD}`;
    return [{ path: ['action', 'dimensions', i, 'scale'], message }];
  });
  const axes = action.dimensions.filter((dimension) => isTool(dimension) && dimension.unit === 'm');
  const togetherM = Math.hypot(...axes.map(({ scale }) => scale));
  if (Math.min(togetherM, leashM) <= START_NEAR_M * (1 + 1e-9)) return jointFindings;
  const most = round((START_NEAR_M / togetherM) * Math.min(...axes.map(({ scale }) => scale)));
  const message = `full actions of ${axes.map(({ name }) => name).join(', ')} together ask for ${round(1000 * togetherM)} mm in the first step of an episode, where a target may be ${1000 * START_NEAR_M} mm from the measured tool at most: nothing would move. Each scale must be ≤ ${most}, or leashM of robot "${robot.name}" ≤ ${START_NEAR_M}`;
  return [...jointFindings, { path: ['action', 'dimensions', action.dimensions.indexOf(axes[0]!), 'scale'], message }];
}

/** A full action in every policy step must not require more than a joint's maximum velocity, at the home pose. */
function checkSpeed(task: TaskConfig, robot: RobotConfig, dimension: number, axis: number): Finding[] {
  const { name, scale, unit } = task.action.dimensions[dimension]!;
  const { joint, ratio } = neededSpeed(robot, axis, scale * task.policyHz);
  if (ratio <= 1) return [];
  const message =
    `${scale} ${unit} of ${name} in each of ${task.policyHz} steps a second needs ${round(ratio * joint.velocityMaxRadPerS)} rad/s of joint "${joint.name}", ` +
    `its velocityMaxRadPerS is ${joint.velocityMaxRadPerS}: scale must be ≤ ${round(scale / ratio)}`;
  return [{ path: ['action', 'dimensions', dimension, 'scale'], message }];
}

/**
 * The joint that a tool motion along `axis` of `TOOL_AXES` (m/s, rad/s) brings closest to its velocity limit at home, and the fraction of
 * that limit; above 1 it cannot keep up.
 */
export function neededSpeed(
  robot: RobotConfig,
  axis: number,
  speed: number,
): { readonly joint: JointModel; readonly ratio: number } {
  const twist = [0, 0, 0, 0, 0, 0];
  twist[axis === 3 ? 5 : axis] = speed;
  const speeds = jointSpeedsFor(robot, twist);
  const ratios = robot.joints.map(({ velocityMaxRadPerS }, i) => Math.abs(speeds[i]!) / velocityMaxRadPerS);
  const ratio = Math.max(...ratios);
  return { joint: robot.joints[ratios.indexOf(ratio)]!, ratio };
}

/** Joint velocities (rad/s) that move the tool with `twist` (m/s, rad/s; base frame) at the home pose. */
function jointSpeedsFor(robot: RobotConfig, twist: readonly number[]): Float64Array {
  const kinematics = new ArmKinematics(robot);
  const speeds = new Float64Array(kinematics.joints);
  new DampedLeastSquares(kinematics.joints, kinematics.taskRows).solve(speeds, kinematics.jacobian(), twist, 0);
  return speeds;
}

function checkJoints(task: TaskConfig, robot: RobotConfig): Finding[] {
  const names = robot.joints.map((joint) => joint.name);
  const what = robot.base === undefined ? 'joints' : 'axes';
  const findings = checkNames(task, names, `robot "${robot.name}" has the ${what}`);
  for (const [i, dimension] of task.action.dimensions.entries()) {
    const joint = robot.joints[names.indexOf(dimension.name)];
    if (joint === undefined) continue;
    findings.push(...checkJoint(task, i, joint, `${robot.base === undefined ? 'joint' : 'axis'} "${joint.name}"`));
  }
  return findings;
}

/** Checks dimension `i` of the action, which moves `joint` directly. */
function checkJoint({ action, policyHz }: TaskConfig, i: number, joint: JointModel, subject: string): Finding[] {
  const path = ['action', 'dimensions', i] as const;
  const dimension = action.dimensions[i]!;
  const fastest = joint.velocityMaxRadPerS / policyHz;
  const unit = jointActionUnit(joint);
  if (dimension.unit !== unit) {
    const message = `${subject} is given in ${dimension.unit}, it must be ${unit}`;
    return [{ path: [...path, 'unit'], message }];
  }
  if (dimension.scale <= fastest * (1 + 1e-9)) return [];
  const message = `scale is ${dimension.scale}, ${subject} ${unit === 'm' ? 'goes' : 'turns'} ${round(fastest)} ${unit} in one step at most`;
  return [{ path: [...path, 'scale'], message }];
}

function checkNames(
  task: TaskConfig,
  allowed: readonly string[],
  has: string,
  why: (name: string) => string = () => '',
): Finding[] {
  const seen = new Set<string>();
  return task.action.dimensions.flatMap(({ name }, i) => {
    const path = ['action', 'dimensions', i, 'name'] as const;
    if (seen.has(name)) return [{ path, message: `"${name}" stands twice among the action's dimensions` }];
    seen.add(name);
    return allowed.includes(name)
      ? []
      : [{ path, message: `there is no "${name}", ${has} ${allowed.join(', ')}${why(name)}` }];
  });
}
