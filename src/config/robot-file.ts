/** Loads one robot's file by itself, without a task. */
import { checkedValue, throwFindings } from './finding.ts';
import { openConfig } from './names.ts';
import { robotWithPaths } from './paths.ts';
import { checkRobot } from './robot-checks.ts';
import type { RobotConfig } from './schema/robot.ts';
import { checkRobotTree } from './schema/variants.ts';
import type { Place } from './text/place.ts';
import { type TreePath, valuePlaceOf } from './text/tree.ts';

/** A checked robot's file. */
export interface RobotFile {
  readonly robot: RobotConfig;
  /** Path of the file. */
  readonly file: string;
  /** The file's name in messages. */
  readonly shownAs: string;
  /** Position to report for `path` of the file. */
  place(path: TreePath): Place;
}

/** Loads the robot `name` in `config/robots/`, or the file at that path. Throws `ReinError` with all problems. */
export function loadRobotFile(name: string, from: string = process.cwd(), root?: string): RobotFile {
  const { path: file, shownAs, tree, problems } = openConfig('robot', name, from, { root });
  const robot = checkedValue(checkRobotTree(tree), problems);
  throwFindings(tree, checkRobot(robot));
  return {
    robot: robotWithPaths(robot, tree, file),
    file,
    shownAs,
    place: (path) => valuePlaceOf(tree, path),
  };
}
