/** What has to agree between a task and its robot: nothing is asked that the robot's limits forbid. */
import { ArmKinematics, DampedLeastSquares, taskRows } from '../../core/index.ts';
import { type Finding, round } from './robot-checks.ts';
import type { LearnerSettings, RobotConfig, TaskConfig } from './schema/index.ts';

const CARTESIAN = ['x', 'y', 'z', 'yaw'] as const;
const AXES = ['x', 'y', 'z'] as const;

/** All disagreements between `task` and `robot`; paths are those of the task. */
export function checkTask(task: TaskConfig, robot: RobotConfig): readonly Finding[] {
  const region = checkRegion(task, robot);
  const findings = [...checkTiming(task, robot), ...checkPeg(task), ...region];
  // A region outside the box is reported as that only.
  if (region.length === 0) findings.push(...checkReach(task, robot));
  const action = task.action.kind === 'cartesian' ? checkCartesian(task, robot) : checkJoints(task, robot);
  // A misspelt axis is reported as that only.
  return [...findings, ...(action.length === 0 ? checkOperator(task) : action)];
}

/** Disagreements within the learner's settings; paths are those of the learner. */
export function checkLearner(learner: LearnerSettings): readonly Finding[] {
  const findings: Finding[] = [];
  if (learner.criticSubset > learner.critics) {
    findings.push({
      path: ['criticSubset'],
      message: `criticSubset is ${learner.criticSubset}, but there are only ${learner.critics} critics`,
    });
  }
  if (learner.initialTemperature < learner.minTemperature) {
    findings.push({
      path: ['initialTemperature'],
      message: `initialTemperature is ${learner.initialTemperature}, below minTemperature`,
    });
  }
  if (learner.replayCapacity < learner.batchSize) {
    findings.push({
      path: ['replayCapacity'],
      message: `replayCapacity is ${learner.replayCapacity}, below batchSize (${learner.batchSize})`,
    });
  }
  return findings;
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

function checkPeg(task: TaskConfig): Finding[] {
  const findings: Finding[] = [];
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

/** Everything the tool point visits on its way must lie in the workspace box. */
function checkRegion(task: TaskConfig, robot: RobotConfig): Finding[] {
  const { minM, maxM } = robot.workspace;
  const { originM, spreadM, depthM } = task.hole;
  const findings: Finding[] = [];
  const outside = (path: Finding['path'], what: string, axis: number, low: number, high: number): void => {
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

/** How far the tool at home may be off straight down. */
const UPRIGHT_COSINE = Math.cos(0.02);

/** The arm must point the peg down, and get it to every corner of where it starts and of the hole. */
function checkReach(task: TaskConfig, robot: RobotConfig): Finding[] {
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

/** Demonstrations come from the scripted operator, whose hand moves all of these (`PegInserter`). */
function checkOperator(task: TaskConfig): Finding[] {
  const needs = `the scripted operator of peg insertion needs cartesian actions with ${CARTESIAN.join(', ')}`;
  const { kind, dimensions } = task.action;
  if (kind !== 'cartesian') return [{ path: ['action', 'kind'], message: `action.kind is ${kind}, ${needs}` }];
  const missing = CARTESIAN.filter((axis) => !dimensions.some(({ name }) => name === axis));
  if (missing.length === 0) return [];
  return [{ path: ['action', 'dimensions'], message: `there is no ${missing.join(', no ')}: ${needs}` }];
}

function checkCartesian(task: TaskConfig, robot: RobotConfig): Finding[] {
  const findings = checkNames(task, CARTESIAN, 'cartesian actions have');
  for (const [i, dimension] of task.action.dimensions.entries()) {
    const axis = CARTESIAN.indexOf(dimension.name as (typeof CARTESIAN)[number]);
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

/** One full action per policy step, held for ever, must not need more speed than a joint has, at the home pose. */
function checkSpeed(task: TaskConfig, robot: RobotConfig, dimension: number, axis: number): Finding[] {
  const { name, scale, unit } = task.action.dimensions[dimension]!;
  const twist = [0, 0, 0, 0, 0, 0];
  twist[axis === 3 ? 5 : axis] = scale * task.policyHz;
  const speeds = jointSpeedsFor(robot, twist);
  let worst = 0;
  for (const [i, joint] of robot.joints.entries()) {
    if (
      Math.abs(speeds[i]!) / joint.velocityMaxRadPerS >
      Math.abs(speeds[worst]!) / robot.joints[worst]!.velocityMaxRadPerS
    )
      worst = i;
  }
  const joint = robot.joints[worst]!;
  const ratio = Math.abs(speeds[worst]!) / joint.velocityMaxRadPerS;
  if (ratio <= 1) return [];
  const message =
    `${scale} ${unit} of ${name} in each of ${task.policyHz} steps a second needs ${round(ratio * joint.velocityMaxRadPerS)} rad/s of joint "${joint.name}", ` +
    `its velocityMaxRadPerS is ${joint.velocityMaxRadPerS}: scale must be ≤ ${round(scale / ratio)}`;
  return [{ path: ['action', 'dimensions', dimension, 'scale'], message }];
}

/** Joint speeds (rad/s) that move the tool with `twist` (m/s, rad/s; base frame) at the home pose. */
function jointSpeedsFor(robot: RobotConfig, twist: readonly number[]): Float64Array {
  const kinematics = new ArmKinematics(robot);
  const speeds = new Float64Array(kinematics.joints);
  new DampedLeastSquares(kinematics.joints, taskRows(kinematics.joints)).solve(speeds, kinematics.jacobian(), twist, 0);
  return speeds;
}

function checkJoints(task: TaskConfig, robot: RobotConfig): Finding[] {
  const names = robot.joints.map((joint) => joint.name);
  const findings = checkNames(task, names, `robot "${robot.name}" has the joints`);
  for (const [i, dimension] of task.action.dimensions.entries()) {
    const joint = robot.joints[names.indexOf(dimension.name)];
    if (joint === undefined) continue;
    const path = ['action', 'dimensions', i] as const;
    const fastest = joint.velocityMaxRadPerS / task.policyHz;
    if (dimension.unit !== 'rad') {
      findings.push({
        path: [...path, 'unit'],
        message: `joint "${joint.name}" is given in ${dimension.unit}, it must be rad`,
      });
    } else if (dimension.scale > fastest) {
      const message = `scale is ${dimension.scale}, joint "${joint.name}" turns ${round(fastest)} rad in one step at most`;
      findings.push({ path: [...path, 'scale'], message });
    }
  }
  return findings;
}

function checkNames(task: TaskConfig, allowed: readonly string[], has: string): Finding[] {
  const seen = new Set<string>();
  return task.action.dimensions.flatMap(({ name }, i) => {
    const path = ['action', 'dimensions', i, 'name'] as const;
    if (seen.has(name)) return [{ path, message: `"${name}" stands twice among the action's dimensions` }];
    seen.add(name);
    return allowed.includes(name) ? [] : [{ path, message: `there is no "${name}", ${has} ${allowed.join(', ')}` }];
  });
}
