/** Consistency checks within one robot's file, beyond the range of each number. */

import { driverKind } from '../drivers/index.ts';
import { counted, didYouMean, isFree, type JointModel, limitMarginOf, positionUnit } from '../model/index.ts';
import { type Finding, round } from './finding.ts';
import { checkOrder } from './order-checks.ts';
import { checkSafety } from './safety-checks.ts';
import type { RobotConfig } from './schema/robot.ts';
import { shown } from './text/shown.ts';

/** Returns all inconsistencies of `robot`. */
export function checkRobot(robot: RobotConfig): readonly Finding[] {
  const swapped = checkOrder(robot);
  if (swapped.length > 0) return swapped;
  const findings = [
    ...checkDriver(robot),
    ...checkJoints(robot),
    ...checkBranches(robot),
    ...checkStopping(robot),
    ...checkHome(robot),
  ];
  // Distances are meaningless before the arm itself is consistent.
  return findings.length > 0 ? findings : checkSafety(robot);
}

function checkDriver({ driver }: RobotConfig): Finding[] {
  const problems = driverKind(driver.kind).problems?.(driver) ?? [];
  return problems.map((message) => ({ path: ['driver'], message }));
}

function checkJoints(robot: RobotConfig): Finding[] {
  const findings: Finding[] = [];
  const names = new Set<string>();
  for (const [i, joint] of robot.joints.entries()) {
    if (names.has(joint.name))
      findings.push({ path: ['joints', i, 'name'], message: `there is already a joint "${joint.name}"` });
    names.add(joint.name);
    const length = Math.hypot(...joint.axis);
    if (Math.abs(length - 1) >= 1e-9) {
      findings.push({
        path: ['joints', i, 'axis'],
        message: `joints[${i}].axis has the length ${length}, an axis has the length 1`,
      });
    }
    const message = nowhereToGo(joint, limitMarginOf(joint, robot));
    if (message !== undefined) findings.push({ path: ['joints', i, 'positionMaxRad'], message });
  }
  return findings;
}

function nowhereToGo(
  { name, kind, positionMinRad: min, positionMaxRad: max }: JointModel,
  margin: number,
): string | undefined {
  if (max - min - 2 * margin > 0) return undefined;
  const unit = positionUnit({ kind });
  return `joint "${shown(name)}" has no travel: its range is ${round(min)} to ${round(max)} ${unit}, and limitMarginRad keeps ${round(margin)} ${unit} from both ends; limitMarginRad has to be less than ${round((max - min) / 2)} there; for rein safety check, list a model's joint that is not moved under fixed: [${shown(name)}]`;
}

/** Each link's parent has to be described before it. */
function checkBranches({ joints, tool }: RobotConfig): Finding[] {
  const findings: Finding[] = [];
  const names = joints.map(({ name }) => name);
  for (const [i, { parent }] of joints.entries()) {
    if (parent === undefined || parent === 'base' || names.slice(0, i).includes(parent)) continue;
    const before = ['base', ...names.slice(0, i)];
    const message = `joints[${i}].parent is "${shown(parent)}", before this joint there are ${before.join(', ')}${didYouMean(parent, before)}`;
    findings.push({ path: ['joints', i, 'parent'], message });
  }
  if (tool.link !== undefined && !names.includes(tool.link)) {
    const message = `tool.link is "${shown(tool.link)}", there are the joints ${names.join(', ')}${didYouMean(tool.link, names)}`;
    findings.push({ path: ['tool', 'link'], message });
  }
  return findings;
}

/** Limits contradict each other if a joint's stopping distance from full speed exceeds its range. */
function checkStopping(robot: RobotConfig): Finding[] {
  const { base, controlHz } = robot;
  return robot.joints.flatMap((joint, i) => {
    const { velocityMaxRadPerS: v, accelMaxRadPerS2: a, positionMinRad, positionMaxRad } = joint;
    const T = 1 / controlHz;
    // docs/safety-case.md, brake bound
    const pathRad = (v * v) / (2 * a) + (v * T) / 2 + (a * T * T) / 8;
    const roomRad = positionMaxRad - positionMinRad - 2 * limitMarginOf(joint, robot);
    if (isFree(joint) || pathRad <= roomRad || roomRad <= 0) return [];
    const message = `joint "${joint.name}" takes ${round(pathRad)} ${positionUnit(joint)} to stop from its full speed and has ${round(roomRad)} ${positionUnit(joint)} between its limits: it needs more acceleration or less speed`;
    return [
      { path: base === undefined ? ['joints', i, 'accelMaxRadPerS2'] : ['base', 'steeringAccelMaxRadPerS2'], message },
    ];
  });
}

function checkHome(robot: RobotConfig): Finding[] {
  if (robot.homeRad.length !== robot.joints.length) {
    const message = `homeRad has ${counted(robot.homeRad.length, 'number')}, the robot has ${counted(robot.joints.length, 'joint')}`;
    return [{ path: ['homeRad'], message }];
  }
  const findings: Finding[] = [];
  for (const [i, joint] of robot.joints.entries()) {
    const low = joint.positionMinRad + limitMarginOf(joint, robot);
    const high = joint.positionMaxRad - limitMarginOf(joint, robot);
    const home = robot.homeRad[i]!;
    if (low < high && !(home >= low && home <= high)) {
      const message = `homeRad[${i}] is ${home}, joint "${joint.name}" may be from ${round(low)} to ${round(high)} (${positionUnit(joint)})`;
      findings.push({ path: ['homeRad', i], message });
    }
  }
  return findings;
}
