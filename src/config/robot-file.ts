/** One robot's file by itself, without a task. */
import { resolve } from 'node:path';
import { ReinError } from '../core/index.ts';
import { driverKind } from '../drivers/index.ts';
import type { TaskConfig } from '../tasks/index.ts';
import { findConfig, folderOf } from './names.ts';
import { withPlugins } from './plugins.ts';
import { checkRobot } from './robot-checks.ts';
import { oneAPlace } from './schema/check.ts';
import type { RobotConfig } from './schema/robot.ts';
import { checkRobotTree } from './schema/variants.ts';
import { type Place, problemsError } from './text/place.ts';
import { readYaml } from './text/read-yaml.ts';
import { nodeAt, placeOf, type TreePath } from './text/tree.ts';

/** A checked robot's file. */
export interface RobotFile {
  readonly robot: RobotConfig;
  /** As messages name it. */
  readonly shownAs: string;
  /** Where to point for `path` of the file. */
  place(path: TreePath): Place;
}

/** The robot called `name` in `config/robots/`, or of the file with that path. Throws `ReinError` with all problems. */
export function loadRobotFile(name: string, from: string = process.cwd(), root?: string): RobotFile {
  const found = findConfig('robot', name, from, root);
  if (found.trouble !== undefined) throw new ReinError('config', found.trouble);
  const { tree, problems: textProblems } = readYaml(found.path, found.shownAs);
  const checked = checkRobotTree(tree);
  const problems = oneAPlace([...textProblems, ...checked.problems]);
  if (checked.value === undefined || problems.length > 0) throw problemsError(problems);
  const findings = checkRobot(checked.value);
  if (findings.length > 0) {
    throw problemsError(
      findings.map(({ path, message }) => ({ place: nodeAt(tree, path)?.place ?? placeOf(tree, path), message })),
    );
  }
  const place = (path: TreePath): Place => nodeAt(tree, path)?.place ?? placeOf(tree, path);
  return {
    robot: withPlugins('robot', withPathsFrom(checked.value, folderOf(found.path)), tree),
    shownAs: found.shownAs,
    place,
  };
}

/** The task with the path of its base policy made absolute; it is relative to `folder`, where the file is. */
export function withBasePolicyFrom<T extends TaskConfig>(task: T, folder: string): T {
  const { basePolicy } = task;
  if (basePolicy === undefined) return task;
  return { ...task, basePolicy: { ...basePolicy, file: resolve(folder, basePolicy.file) } };
}

/** The robot with the paths of its file made absolute; they are relative to `folder`, where the file is. */
export function withPathsFrom(robot: RobotConfig, folder: string): RobotConfig {
  const { driver } = robot;
  const { withPaths } = driverKind(driver.kind);
  return withPaths === undefined ? robot : { ...robot, driver: withPaths(driver, (path) => resolve(folder, path)) };
}
