/** Keys of a configuration that hold paths, and the folder each is relative to. Afterwards all are absolute. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { driverKind } from '../drivers/index.ts';
import { findPlugin, type PluginKind } from '../host/index.ts';
import type { LearnerConfig } from '../learner/options.ts';
import { asObject, sha256Hex } from '../model/index.ts';
import { type TaskConfig, taskKind } from '../tasks/index.ts';
import type { OperatorConfig } from '../teleop/index.ts';
import { commandName, findConfig } from './names.ts';
import type { RobotConfig } from './schema/robot.ts';
import { type Place, problemsError } from './text/place.ts';
import { type TreeNode, type TreePath, valuePlaceOf } from './text/tree.ts';

/**
 * Returns `task`, the checked content of `tree`, with absolute paths. Files of base policy and scene are relative to `folder`, where the
 * task's file is; a classifier's file to the file that names it; its digest is filled in, so that robot, learner and record refer to the
 * same one. A plugin's module is relative to the file that names it (which `tree` knows), or to the working directory if an option names
 * it; none is loaded. Throws `ReinError('config')` at a missing module. The same for robots and learners.
 */
export function taskWithPaths<T extends TaskConfig>(task: T, tree: TreeNode, folder: string): T {
  const { basePolicy } = task;
  const file = basePolicy && { ...basePolicy, file: resolve(folder, basePolicy.file) };
  const own = taskKind(task).withPaths?.(task, (path) => resolve(folder, path)) ?? task;
  const based = (file === undefined ? own : { ...own, basePolicy: file }) as T;
  const loaded = withModule(withClassifier(based, tree), [], 'task', tree);
  return withModule(withModule(loaded, ['policyPlugin'], 'policy', tree), ['operatorPlugin'], 'operator', tree);
}

/** A classifier with a digest needs no file here: only the process that judges opens it. */
function withClassifier<T extends TaskConfig>(task: T, tree: TreeNode): T {
  const { rewardClassifier } = task;
  if (rewardClassifier === undefined) return task;
  const place = valuePlaceOf(tree, ['rewardClassifier', 'file']);
  const file = resolve(dirname(place.file), rewardClassifier.file);
  const sha256 = rewardClassifier.sha256 ?? digestOf(file, place);
  return { ...task, rewardClassifier: { ...rewardClassifier, file, sha256 } };
}

function digestOf(file: string, place: Place): string {
  try {
    return sha256Hex(readFileSync(file));
  } catch {
    const message = `${file} cannot be read: write the path of a file that rein reward train made, relative to this file`;
    throw problemsError([{ place, message }]);
  }
}

/** `file`: the robot's file. */
export function robotWithPaths(robot: RobotConfig, tree: TreeNode, file: string): RobotConfig {
  const { driver } = robot;
  const { withPaths } = driverKind(driver.kind);
  const from = (path: string): string => resolve(dirname(file), path);
  const found =
    withPaths === undefined ? robot : { ...robot, driver: withPaths(driver, from, commandName('robot', file)) };
  return withModule(found, ['driver'], 'driver', tree);
}

/** The file of a frozen encoder is relative to the file that names it, like modules. */
export function learnerWithPaths(learner: LearnerConfig, tree: TreeNode): LearnerConfig {
  const { frozen } = learner.encoder;
  const home = dirname(valuePlaceOf(tree, ['encoder', 'frozen', 'file']).file);
  const file = frozen && { ...frozen, file: resolve(home, frozen.file) };
  const found = file === undefined ? learner : { ...learner, encoder: { ...learner.encoder, frozen: file } };
  return withModule(found, ['algorithmPlugin'], 'algorithm', tree);
}

/** A leader arm's file is relative to `overlay`, which names it. An unknown name is kept, and refused when the device is opened. */
export function operatorWithPaths(operator: OperatorConfig, overlay: string | undefined): OperatorConfig {
  if (operator.kind !== 'leader') return operator;
  const { path } = findConfig('robot', operator.robot, resolve(dirname(overlay ?? '.')));
  return path === undefined ? operator : { ...operator, robot: path };
}

/** Module files that a configuration names, with their plugin kinds, in the order in which a run loads them. */
export function modulesOf({ robot, task, learner }: ConfigWithModules): readonly { kind: PluginKind; file: string }[] {
  const operatorPlugin = 'operatorPlugin' in task ? task.operatorPlugin : undefined;
  const named: Readonly<Record<PluginKind, unknown>> = {
    task,
    policy: task.policyPlugin,
    operator: operatorPlugin,
    driver: robot.driver,
    algorithm: learner.algorithmPlugin,
  };
  return Object.entries(named).flatMap(([kind, at]) => {
    // Built-in kinds name no module.
    const file = asObject(at)?.['module'];
    return typeof file === 'string' ? [{ kind: kind as PluginKind, file }] : [];
  });
}

interface ConfigWithModules {
  readonly robot: RobotConfig;
  readonly task: TaskConfig;
  readonly learner: LearnerConfig;
}

const PLUGIN_REMEDY =
  "A module's path counts from the file that names it; rein plugins lists the packages that are installed, and what is wrong with them";

function withModule<T>(value: T, path: TreePath, kind: PluginKind, tree: TreeNode): T {
  const [key] = path;
  const group = (key === undefined ? value : (value as Record<string, unknown>)[key]) as
    | { module?: string }
    | undefined;
  if (group?.module === undefined) return value;
  const place = valuePlaceOf(tree, [...path, 'module']);
  const found = findPlugin(kind, group.module, dirname(place.file));
  if (found.trouble !== undefined) throw problemsError([{ place, message: found.trouble }], PLUGIN_REMEDY);
  const whole = { ...group, module: found.file };
  return (key === undefined ? whole : { ...value, [key]: whole }) as T;
}
