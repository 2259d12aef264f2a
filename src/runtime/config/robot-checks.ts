/** What has to agree within one robot's file, beyond the range of each number. */
import type { RobotConfig } from './schema/index.ts';
import type { TreePath } from './text/index.ts';

/** Something that is wrong at `path` of a file; `message` is a sentence without its full stop. */
export interface Finding {
  readonly path: TreePath;
  readonly message: string;
}

/** All disagreements in `robot`. */
export function checkRobot(robot: RobotConfig): readonly Finding[] {
  return [...checkDriver(robot), ...checkJoints(robot), ...checkHome(robot), ...checkWorkspace(robot)];
}

function checkDriver({ driver }: RobotConfig): Finding[] {
  if (driver.kind !== 'mujoco' || (driver.scene === undefined) !== (driver.model === undefined)) return [];
  const both = driver.scene === undefined ? 'neither' : 'both';
  const message = `driver has ${both} of scene and model, the simulator needs one: surroundings that bring a robot along, or the robot's own file`;
  return [{ path: ['driver'], message }];
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
    const free = joint.positionMaxRad - joint.positionMinRad - 2 * robot.limitMarginRad;
    if (!(free > 0)) {
      const message = `joints[${i}] has nowhere to go: positionMinRad + limitMarginRad must be below positionMaxRad − limitMarginRad`;
      findings.push({ path: ['joints', i, 'positionMaxRad'], message });
    }
  }
  return findings;
}

function checkHome(robot: RobotConfig): Finding[] {
  if (robot.homeRad.length !== robot.joints.length) {
    const message = `homeRad has ${robot.homeRad.length} numbers, the robot has ${robot.joints.length} joints`;
    return [{ path: ['homeRad'], message }];
  }
  const findings: Finding[] = [];
  for (const [i, joint] of robot.joints.entries()) {
    const low = joint.positionMinRad + robot.limitMarginRad;
    const high = joint.positionMaxRad - robot.limitMarginRad;
    const home = robot.homeRad[i]!;
    if (low < high && !(home >= low && home <= high)) {
      const message = `homeRad[${i}] is ${home}, joint "${joint.name}" may be from ${round(low)} to ${round(high)} (rad)`;
      findings.push({ path: ['homeRad', i], message });
    }
  }
  return findings;
}

function checkWorkspace({ workspace }: RobotConfig): Finding[] {
  return [0, 1, 2].flatMap((axis) => {
    const low = workspace.minM[axis]!;
    if (workspace.maxM[axis]! > low) return [];
    return [
      {
        path: ['workspace', 'maxM', axis],
        message: `workspace.maxM[${axis}] must be above workspace.minM[${axis}], ${low} (m)`,
      },
    ];
  });
}

/** Four significant digits, for messages. */
export function round(value: number): string {
  return String(Number(value.toPrecision(4)));
}
