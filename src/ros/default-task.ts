/** Default task of a robot that is started without one, so that its own file suffices to begin. */
import { loadRobotFile } from '../config/index.ts';
import { isMujoco, isRos } from '../drivers/index.ts';
import { ReinError } from '../model/index.ts';

/** Task if neither task nor robot is given. */
const INSERTION = 'insert';

/**
 * `task`, or if empty a task that `robot` (name or path; '' for the task's) can do: peg insertion if its scene is
 * available, otherwise an operator-judged one. Errors in a robot's file are reported together with the task's.
 */
export function taskOf(task: string, robot: string): string {
  if (task !== '' || robot === '') return task || INSERTION;
  try {
    const { base, driver } = loadRobotFile(robot).robot;
    if (base !== undefined) return base.kind === 'ackermann' ? 'drive-car-judged' : 'drive-judged';
    const hasScene = (isMujoco(driver) || isRos(driver)) && driver.scene !== undefined;
    return hasScene ? INSERTION : 'reach-judged';
  } catch (error) {
    if (!(error instanceof ReinError)) throw error;
    return INSERTION;
  }
}
