/** From names, files, an overlay and command-line options to one checked `ResolvedConfig`. */
import { dirname } from 'node:path';
import { simulatedDriver } from '../drivers/index.ts';
import { type LearnerConfig, learnerSchema } from '../learner/options.ts';
import { ReinError } from '../model/index.ts';
import type { TaskConfig } from '../tasks/index.ts';
import type { OperatorConfig } from '../teleop/index.ts';
import { throwFindings } from './finding.ts';
import { type ConfigKind, openConfig, shownPath } from './names.ts';
import { learnerWithPaths, operatorWithPaths, robotWithPaths, taskWithPaths } from './paths.ts';
import { checkRobot } from './robot-checks.ts';
import { type Checked, check, guessThenAll, oneAPlace } from './schema/check.ts';
import { operatorsFileSchema, type ResolvedConfig, type RunOptions } from './schema/resolved.ts';
import type { RobotConfig } from './schema/robot.ts';
import { checkRobotTree, checkTaskTree } from './schema/variants.ts';
import { checkJudged, checkLearner, checkRecord, checkTask, narrowedBy } from './task-checks.ts';
import { type Problem, problemsError } from './text/place.ts';
import { readYaml, type YamlFile } from './text/read-yaml.ts';
import { shown } from './text/shown.ts';
import { merge, nodeAt, placeOf, type Scalar, type TreeNode, treeAt } from './text/tree.ts';
import { packageVersions } from './versions.ts';

/** One value set on the command line, e.g. `{ option: '--steps', path: ['task', 'training', 'steps'], value: 500 }`. */
export interface Override {
  /** Name of the option in errors. */
  readonly option: string;
  /** Key within `task`, `robot` or `learner`, which is its first element. */
  readonly path: readonly [ConfigKind, ...string[]];
  readonly value: Scalar | readonly Scalar[];
}

/** Request for a run's configuration. */
export interface ConfigRequest {
  /** A name in `config/tasks/`, or a path to a task's file. */
  readonly task: string;
  readonly seed: number;
  /** A YAML file with keys below `task`, `robot` and `learner` that override theirs, and with `operators`. */
  readonly overlay?: string | undefined;
  readonly overrides?: readonly Override[];
  /** Replaces a real robot's driver by the simulator with the robot's own model. Default false. */
  readonly isSimulated?: boolean | undefined;
  /** Requires a task that judges episodes, because a learner or demonstrations need it. Default false. */
  readonly needsVerdicts?: boolean | undefined;
  /** Command-line options for the record. */
  readonly run?: RunOptions;
  /** Another `config/` folder. */
  readonly root?: string;
}

type CheckTree<T> = (tree: TreeNode) => Checked<T>;

function checkSeed(seed: number): void {
  if (Number.isSafeInteger(seed) && seed >= 0) return;
  throw new ReinError('config', `the seed is ${seed}, it must be a whole number ≥ 0`);
}

/**
 * Reads and checks everything that `request` names. Throws `ReinError` of the kind `config` that lists all wrong values of all files with
 * positions; consistency between values is checked once each is valid. Writes nothing.
 */
export function resolveConfig(request: ConfigRequest): ResolvedConfig {
  checkSeed(request.seed);
  const layers = new Layers(request);
  const taskFile = layers.open('task', request.task, process.cwd());
  const taskChecked = checkTaskTree(taskFile.tree);
  const problems = [...taskFile.problems, ...taskChecked.problems];
  // An invalid task still names its other files: their problems are reported together with its own.
  const openNamed = <T>(kind: 'robot' | 'learner', checkTree: CheckTree<T>): Opened<T> | undefined => {
    const name = taskChecked.value?.[kind] ?? wordAt(taskFile.tree, kind);
    if (name === undefined) return undefined;
    const file = openOrTell(problems, () => layers.open(kind, name, taskFile.folder, { file: taskFile, key: kind }));
    const checked = checkTree(file.tree);
    problems.push(...file.problems, ...checked.problems);
    return { file, value: checked.value };
  };
  const robotOpened = openNamed('robot', checkRobotTree);
  const learnerOpened = openNamed('learner', (tree) => check(tree, learnerSchema));
  const operatorsChecked = layers.operators();
  problems.push(...operatorsChecked.problems);
  if (problems.length > 0) throw problemsError(oneAPlace(problems));
  const task = taskWithPaths(taskChecked.value as TaskConfig, taskFile.tree, taskFile.folder);
  const { file: robotFile, value: robotValue } = robotOpened as Opened<RobotConfig>;
  throwFindings(robotFile.tree, checkRobot(robotValue as RobotConfig));
  const asWritten = robotWithPaths(robotValue as RobotConfig, robotFile.tree, robotFile.path);
  const robot = request.isSimulated === true ? { ...asWritten, driver: simulatedDriver(asWritten.driver) } : asWritten;
  const { file: learnerFile, value: learnerValue } = learnerOpened as Opened<LearnerConfig>;
  throwFindings(learnerFile.tree, checkLearner(learnerValue as LearnerConfig));
  const learner = learnerWithPaths(learnerValue as LearnerConfig, learnerFile.tree);
  throwFindings(taskFile.tree, checkTask(task, robot));
  if (request.needsVerdicts === true) throwFindings(taskFile.tree, checkJudged(task));
  throwFindings(taskFile.tree, checkRecord(task, narrowedBy(task, robot)));
  return {
    formatVersion: 1,
    seed: request.seed,
    run: request.run ?? {},
    versions: packageVersions(),
    task,
    robot: narrowedBy(task, robot),
    learner,
    operators: (operatorsChecked.value ?? []).map((operator) => operatorWithPaths(operator, request.overlay)),
  };
}

/** A file with its overrides. */
interface LayeredFile {
  readonly tree: TreeNode;
  readonly problems: readonly Problem[];
  readonly path: string;
  /** Folder that paths in the file are relative to. */
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

  /** The operators' devices, from the overlay. */
  operators(): Checked<readonly OperatorConfig[]> {
    const entry = this.#overlay?.tree.entries.get('operators');
    if (entry === undefined) return { value: [], problems: [] };
    // Keep the key, so that errors name it.
    const tree = { kind: 'map', entries: new Map([['operators', entry]]), place: entry.keyPlace } as const;
    const { value, problems } = check(tree, operatorsFileSchema);
    return value === undefined ? { value, problems } : { value: value.operators, problems: [] };
  }

  /** `asked`: key naming the file (absent: the command line does). Paths are relative to `from`, options' to the working directory. */
  open(kind: ConfigKind, name: string, from: string, asked?: { file: LayeredFile; key: string }): LayeredFile {
    const place = asked && placeOf(asked.file.tree, [asked.key]);
    const base = place?.line === 0 ? process.cwd() : from;
    const file = openConfig(kind, name, base, { root: this.#request.root, place });
    let tree: TreeNode = file.tree;
    const over = this.#overlay?.tree.entries.get(kind)?.value;
    if (over !== undefined) tree = merge(tree, over);
    for (const { option, path, value } of this.#request.overrides ?? []) {
      if (path[0] === kind) tree = merge(tree, treeAt(path.slice(1), value, { file: option, line: 0, column: 0 }));
    }
    const { path } = file;
    return { tree, problems: [...file.problems, ...(this.#overlay?.problems ?? [])], path, folder: dirname(path) };
  }
}

/** Refuses unknown keys at once; problems of single values are reported together with the task's. */
function readOverlay(path: string): YamlFile {
  const file = readYaml(path, shownPath(path));
  const { tree } = file;
  const all: Problem[] = [];
  for (const [key, { keyPlace, value }] of tree.entries) {
    const message = `unknown key "${shown(key)}" here${guessThenAll(key, [...KINDS, 'operators'])}`;
    if (key === 'operators') continue;
    if (!KINDS.includes(key as ConfigKind)) all.push({ place: keyPlace, message });
    else if (value.kind !== 'map')
      all.push({ place: keyPlace, message: `"${key}" must be a group of keys of the ${key}'s file` });
  }
  if (all.length > 0) throw problemsError(oneAPlace([...file.problems, ...all]));
  return file;
}

interface Opened<T> {
  readonly file: LayeredFile;
  readonly value: T | undefined;
}

/** If another file cannot even be read, the problems found so far take precedence. */
function openOrTell(known: readonly Problem[], open: () => LayeredFile): LayeredFile {
  try {
    return open();
  } catch (error) {
    throw known.length > 0 ? problemsError(oneAPlace(known)) : error;
  }
}

function wordAt(tree: TreeNode, key: string): string | undefined {
  const node = nodeAt(tree, [key]);
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}
