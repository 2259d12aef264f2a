/** Registry of the kinds of tasks. */
import type { z } from 'zod';
import { ReinError, type RobotModel } from '../model/index.ts';
import type { PegSceneSpec, SurroundingsSpec } from '../plant/index.ts';
import { describedKind } from './described/described-kind.ts';
import { Places } from './described/places.ts';
import type { RuleTest } from './described/rules.ts';
import type { DescribedTaskConfig } from './described/schema.ts';
import { type JudgedTaskConfig, judgedKind } from './operator-judged.ts';
import type { PegTaskConfig } from './peg-insertion.ts';
import { pegKind } from './peg-kind.ts';
import { criticalTest, hasPhaseRules, phaseSwitchProblems } from './phase-switch.ts';
import { type PluginTaskConfig, pluginKind } from './plugin.ts';
import { judgedByClassifier } from './reward/judged-by-classifier.ts';
import type { Task } from './task.ts';
import type { TaskKind, TaskProblem, TaskRobot } from './task-kind.ts';

/** Configuration of a task of any kind. */
export type TaskConfig = PegTaskConfig | DescribedTaskConfig | JudgedTaskConfig | PluginTaskConfig;

/** In the order of the reference page. */
const KINDS: readonly TaskKind[] = [pegKind, describedKind, judgedKind, pluginKind];

/** File schema of each kind. */
export const TASK_SCHEMAS = Object.fromEntries(KINDS.map(({ kind, schema }) => [kind, schema])) as unknown as Readonly<
  Record<TaskConfig['kind'], z.ZodType<TaskConfig>>
>;

/** Returns the kind of `config`. */
export function taskKind(config: TaskConfig): TaskKind {
  return KINDS.find(({ kind }) => kind === config.kind)!;
}

/** Creates the task of `config` on `robot`. Throws `ReinError`, and `RangeError` for what no file can express. */
export function createTask(config: TaskConfig, robot: RobotModel): Task {
  const task = taskKind(config).create(config, robot);
  return config.rewardClassifier === undefined ? task : judgedByClassifier(task, config.rewardClassifier);
}

/** Returns the test that begins the critical phase by the rules of `config`. `undefined` without a phase switch. */
export function criticalTestOf(config: TaskConfig, robot: RobotModel): RuleTest | undefined {
  if (config.phaseSwitch === undefined) return undefined;
  const places = taskKind(config).places?.(config) ?? new Places([], undefined);
  return criticalTest(config.phaseSwitch, places, robot);
}

/** Inconsistencies of the phase switch of `config` with the rest of it and with `robot`. */
export function phaseSwitchProblemsOf(config: TaskConfig, robot: TaskRobot): readonly TaskProblem[] {
  const { phaseSwitch, basePolicy } = config;
  if (phaseSwitch === undefined) return [];
  const ownPlaces = taskKind(config).places === undefined ? { knownPlaces: ['tool', 'base'] } : {};
  return phaseSwitchProblems(phaseSwitch, robot, { hasBasePolicy: basePolicy !== undefined, ...ownPlaces });
}

/** Dimensions of the task's built-in scene. Throws `ReinError` if it has none. */
export function sceneOf(config: TaskConfig): PegSceneSpec {
  const scene = taskKind(config).scene?.(config);
  if (scene !== undefined) return scene;
  checkScripted(config);
  throw new ReinError('task', `Task ${config.name} is of the kind ${config.kind}, which has no simulated scene.`, {
    remedy: 'Name a robot that is simulated from its own model (driver.model), or one with a driver of another kind.',
  });
}

/** Scene of a simulated robot: that of peg insertion, if the robot is simulated in it, or the task's own surroundings. */
export function scenesOf(config: TaskConfig): TaskScenes {
  return { scene: () => sceneOf(config), surroundings: taskKind(config).surroundings?.(config) };
}

export interface TaskScenes {
  /** Throws `ReinError` if the task has no built-in scene. */
  readonly scene: () => PegSceneSpec;
  readonly surroundings: SurroundingsSpec | undefined;
}

/** Returns the kind of a task that scripts can do. Throws `ReinError` if only people can arrange and judge it. */
export function checkScripted(config: TaskConfig): Pick<Required<TaskKind>, 'operator'> {
  const { operator, needsPeople } = taskKind(config);
  if (operator !== undefined && needsPeople?.(config) === undefined) return { operator };
  const why = isJudgedByPeople(config)
    ? 'this command has no operator to mark episodes'
    : 'no script and no simulator can arrange and judge it';
  throw new ReinError('task', `Task ${config.name} is judged by people: ${why}.`, {
    remedy: isJudgedByPeople(config)
      ? 'Run it where a person can mark its episodes: rein sim in a terminal or with its monitor, or rein run; or give success a rule.'
      : 'Run it on its robot: rein learn --task T and rein run --task T --operator keyboard, or ros2 launch rein robot.launch.py. rein sim and rein eval take tasks that the simulator arranges and a rule judges: insert, reach, push.',
  });
}

/** True if success is decided by operators' marks alone and software does all else. */
export function isJudgedByPeople(config: TaskConfig): boolean {
  const { operator, needsPeople } = taskKind(config);
  return operator !== undefined && needsPeople?.(config) === 'judge';
}

/** Throws `ReinError` if the task cannot run unattended from start to end; `judges`: `people` if operators are there to mark. */
export function checkUnattended(config: TaskConfig, judges: 'people' | 'nobody' = 'nobody'): void {
  if (judges === 'nobody' || !isJudgedByPeople(config)) checkScripted(config);
  if (config.phaseSwitch !== undefined && !hasPhaseRules(config.phaseSwitch)) {
    throw new ReinError(
      'task',
      `The critical phase of task ${config.name} begins by a button alone, which no script presses.`,
      {
        remedy: 'Give phaseSwitch a rule (all, any) as well, or run it on its robot: rein run.',
      },
    );
  }
}
