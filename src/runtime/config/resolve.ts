/** From names, files, an overlay and command-line options to one checked `ResolvedConfig`. */
import { didYouMean, ReinError } from '../../core/index.ts';
import { withEncoderFrom } from './encoder-file.ts';
import type { Finding } from './finding.ts';
import { type ConfigKind, findConfig, folderOf, shownPath } from './names.ts';
import { checkRobot } from './robot-checks.ts';
import { withBasePolicyFrom, withPathsFrom } from './robot-file.ts';
import {
  check,
  checkRobotTree,
  checkTaskTree,
  learnerSchema,
  oneAPlace,
  type ResolvedConfig,
  type RunOptions,
} from './schema/index.ts';
import { checkLearner, checkTask } from './task-checks.ts';
import {
  merge,
  nodeAt,
  type Problem,
  placeOf,
  problemsError,
  readYaml,
  type Scalar,
  shown,
  type TreeNode,
  treeAt,
  type YamlFile,
} from './text/index.ts';
import { packageVersions } from './versions.ts';

/** One value set on the command line, e.g. `{ option: '--steps', path: ['task', 'training', 'steps'], value: 500 }`. */
export interface Override {
  /** How errors name it. */
  readonly option: string;
  /** Key within `task`, `robot` or `learner`, which is its first element. */
  readonly path: readonly [ConfigKind, ...string[]];
  readonly value: Scalar | readonly Scalar[];
}

/** What a run is asked to be. */
export interface ConfigRequest {
  /** A name in `config/tasks/`, or a path to a task's file. */
  readonly task: string;
  readonly seed: number;
  /** A YAML file with keys below `task`, `robot` and `learner` that override theirs. */
  readonly overlay?: string | undefined;
  readonly overrides?: readonly Override[];
  /** Command-line options for the record. */
  readonly run?: RunOptions;
  /** Another `config/` folder. */
  readonly root?: string;
}

/**
 * Reads and checks everything that `request` names. Throws `ReinError` of the kind `config` that lists all problems
 * of a file, each with its position; later files are not read once one is wrong. Writes nothing.
 */
export function resolveConfig(request: ConfigRequest): ResolvedConfig {
  if (!Number.isSafeInteger(request.seed) || request.seed < 0) {
    throw new ReinError('config', `the seed is ${request.seed}, it must be a whole number ≥ 0`);
  }
  const layers = new Layers(request);
  const taskFile = layers.open('task', request.task, process.cwd());
  const task = withBasePolicyFrom(finish(taskFile, checkTaskTree(taskFile.tree)), taskFile.folder);
  const robotFile = layers.open('robot', task.robot, taskFile.folder, { file: taskFile, key: 'robot' });
  const robot = withPathsFrom(finish(robotFile, checkRobotTree(robotFile.tree), checkRobot), robotFile.folder);
  const learnerFile = layers.open('learner', task.learner, taskFile.folder, { file: taskFile, key: 'learner' });
  const learner = withEncoderFrom(
    finish(learnerFile, check(learnerFile.tree, learnerSchema), checkLearner),
    learnerFile.tree,
  );
  throwFindings(taskFile.tree, checkTask(task, robot));
  return {
    formatVersion: 1,
    seed: request.seed,
    run: request.run ?? {},
    versions: packageVersions(),
    task,
    robot,
    learner,
  };
}

/** A file with what overrides it. */
interface LayeredFile {
  readonly tree: TreeNode;
  readonly problems: readonly Problem[];
  /** The folder that paths in it are relative to. */
  readonly folder: string;
}

const KINDS: readonly ConfigKind[] = ['task', 'robot', 'learner'];

/** The files of a request, each under its overlay and options. */
class Layers {
  readonly #request: ConfigRequest;
  readonly #overlay: YamlFile | undefined;

  constructor(request: ConfigRequest) {
    this.#request = request;
    if (request.overlay !== undefined) this.#overlay = readOverlay(request.overlay);
  }

  /** `asked` is the key that names the file, for errors; without it the command line does. */
  open(kind: ConfigKind, name: string, from: string, asked?: { file: LayeredFile; key: string }): LayeredFile {
    const found = findConfig(kind, name, from, this.#request.root);
    if (found.trouble !== undefined) {
      if (asked === undefined) throw new ReinError('config', found.trouble);
      throw problemsError([{ place: placeOf(asked.file.tree, [asked.key]), message: found.trouble }]);
    }
    const file = readYaml(found.path, found.shownAs);
    let tree: TreeNode = file.tree;
    const over = this.#overlay?.tree.entries.get(kind)?.value;
    if (over !== undefined) tree = merge(tree, over);
    for (const { option, path, value } of this.#request.overrides ?? []) {
      if (path[0] === kind) tree = merge(tree, treeAt(path.slice(1), value, { file: option, line: 0, column: 0 }));
    }
    return { tree, problems: [...file.problems, ...(this.#overlay?.problems ?? [])], folder: folderOf(found.path) };
  }
}

/** Refuses at once what would override nothing; what is wrong with single values is reported with the task's. */
function readOverlay(path: string): YamlFile {
  const file = readYaml(path, shownPath(path));
  const { tree } = file;
  const all: Problem[] = [];
  for (const [key, { keyPlace, value }] of tree.entries) {
    const message = `unknown key "${shown(key)}", allowed here are ${KINDS.join(', ')}${didYouMean(key, KINDS)}`;
    if (!KINDS.includes(key as ConfigKind)) all.push({ place: keyPlace, message });
    else if (value.kind !== 'map')
      all.push({ place: keyPlace, message: `"${key}" must be a group of keys of the ${key}'s file` });
  }
  if (all.length > 0) throw problemsError(oneAPlace([...file.problems, ...all]));
  return file;
}

/** The checked value, or all problems of the file: of its text, its values, and what has to agree in it. */
function finish<T>(
  file: LayeredFile,
  checked: { readonly value: T | undefined; readonly problems: readonly Problem[] },
  agree: (value: T) => readonly Finding[] = () => [],
): T {
  const problems = oneAPlace([...file.problems, ...checked.problems]);
  if (problems.length > 0) throw problemsError(problems);
  const value = checked.value as T;
  throwFindings(file.tree, agree(value));
  return value;
}

function throwFindings(tree: TreeNode, findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  throw problemsError(
    findings.map(({ path, message }) => ({ place: nodeAt(tree, path)?.place ?? placeOf(tree, path), message })),
  );
}
