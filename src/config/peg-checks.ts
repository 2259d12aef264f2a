/** What has to agree between a peg insertion task and its robot. */
import { ArmKinematics } from '../core/index.ts';
import { worldOf } from '../drivers/index.ts';
import type { PegTaskConfig } from '../tasks/index.ts';
import { type Finding, round } from './finding.ts';
import type { RobotConfig } from './schema/robot.ts';

const CARTESIAN = ['x', 'y', 'z', 'yaw'] as const;
const AXES = ['x', 'y', 'z'] as const;

/** Disagreements of `task`; what the scripted operator lacks only where the action itself is right. */
export function checkPegTask(task: PegTaskConfig, robot: RobotConfig, isActionRight: boolean): readonly Finding[] {
  if (robot.base !== undefined) {
    return [{ path: ['robot'], message: `robot "${robot.name}" is a mobile base, and peg insertion needs an arm` }];
  }
  if (worldOf(robot.driver) === 'empty') {
    const message = `robot "${robot.name}" is simulated without surroundings (driver.model), and peg insertion needs the scene peg-insertion`;
    return [{ path: ['robot'], message }];
  }
  const region = checkRegion(task, robot);
  const findings = [...checkPeg(task), ...region];
  // A region outside the box is reported as that only.
  if (region.length === 0) findings.push(...checkReach(task, robot));
  // A misspelt axis is reported as that only.
  return isActionRight ? [...findings, ...checkOperator(task)] : findings;
}

function checkPeg(task: PegTaskConfig): Finding[] {
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
function checkRegion(task: PegTaskConfig, robot: RobotConfig): Finding[] {
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
function checkReach(task: PegTaskConfig, robot: RobotConfig): Finding[] {
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
function checkOperator(task: PegTaskConfig): Finding[] {
  const needs = `the scripted operator of peg insertion needs cartesian actions with ${CARTESIAN.join(', ')}`;
  const { kind, dimensions } = task.action;
  if (kind !== 'cartesian') return [{ path: ['action', 'kind'], message: `action.kind is ${kind}, ${needs}` }];
  const missing = CARTESIAN.filter((axis) => !dimensions.some(({ name }) => name === axis));
  if (missing.length === 0) return [];
  return [{ path: ['action', 'dimensions'], message: `there is no ${missing.join(', no ')}: ${needs}` }];
}
