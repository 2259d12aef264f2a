/** The task of a robot that is started without one, so that its own file is enough to begin with. */
import { loadRobotFile } from '../config/index.ts';
import { ReinError } from '../core/index.ts';
import { isMujoco, isRos } from '../drivers/index.ts';

/** What is learned where nothing is said. */
const INSERTION = 'insert';

/**
 * `task`, or where that is empty one that `robot` (a name or path; '' for the task's) can do: peg insertion where its scene is, else one
 * that people arrange and judge. A robot that cannot be read has its mistake told with the task's.
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
