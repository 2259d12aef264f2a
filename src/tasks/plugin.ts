/** Custom tasks: their file, and the plugin contract of the kind `task`. */
import { z } from 'zod';
import { worldOf } from '../drivers/index.ts';
import { checkGiven, openPlugin, type PluginBase } from '../host/index.ts';
import { type ActionSpec, frameSize, type ObservationSpec, type RobotModel } from '../model/index.ts';
import { actionSchema, type Configured, pluginGroup, pluginKeys, whole } from '../schema/index.ts';
import { openOperator } from '../teleop/index.ts';
import type { Task } from './task.ts';
import { NOBODY, type TaskKind, type TaskProblem, type TaskRobot } from './task-kind.ts';
import { onceFields, openGoalKeys, taskIdentity, taskKeys } from './task-options.ts';

export const pluginTaskSchema = z
  .strictObject({
    ...taskIdentity('plugin', 'Rules of reward, reset and success are a module: `plugin`.'),
    ...pluginKeys('task'),
    ...taskKeys,
    operatorPlugin: pluginGroup(
      'operator',
      'An operator of your own: shows how it is done (`demonstrations`), and takes over in training. Default: none.',
    ).optional(),
    action: actionSchema,
    demonstrations: whole(
      'episodes',
      { min: 0, max: 10_000 },
      'Episodes that `operatorPlugin` shows before training.',
    ).default(0),
    ...openGoalKeys({ everySteps: 1000, episodes: 10 }),
  })
  .meta({ title: 'Task: a plugin', description: 'A task whose rules are a module of your own.' });

/** Configuration of a task whose rules are a custom module. */
export type PluginTaskConfig = Configured<typeof pluginTaskSchema>;

export const pluginKind: TaskKind<PluginTaskConfig> = {
  kind: 'plugin',
  schema: pluginTaskSchema,
  create: openPluginTask,
  problems: problemsOf,
  operator: ({ operatorPlugin }, context) =>
    operatorPlugin === undefined ? NOBODY : openOperator(operatorPlugin, context),
};

/** Context passed to `create`. */
export interface TaskContext<O = unknown> {
  /** `name` of the task's file. */
  readonly name: string;
  readonly robot: RobotModel;
  /** `action` of the task's file; the task must return it as its own. */
  readonly action: ActionSpec;
  readonly policyHz: number;
  readonly maxSteps: number;
  /** Observation settings of the task's file except the fields; spread them into `Task.observation`. */
  readonly observation: Omit<ObservationSpec, 'fields'>;
  /** `options` of the task's file, as returned by the plugin's own check. */
  readonly options: O;
}

/** A kind of task. Its module is loaded by node and learner, never by the guard. */
export interface TaskPlugin<O = unknown> extends PluginBase<O> {
  create(context: TaskContext<O>): Task;
}

/** Loads the module that `config` names, and creates its task for `robot`. Throws `ReinError` if a run cannot use it. */
function openPluginTask(config: PluginTaskConfig, robot: RobotModel): Task {
  const { plugin, options } = openPlugin<TaskPlugin>('task', config);
  const { name, action, policyHz, maxSteps } = config;
  const observation = { frames: config.historyFrames, ...onceFields(config, action) };
  const context = { name, robot, observation, action, policyHz, maxSteps, options };
  const task: unknown = plugin.create(context);
  checkPluginTask(task, plugin.name, context);
  return task;
}

/** Checks the task that the plugin `plugin` returned. Throws `ReinError('task')` if a run cannot use it. */
function checkPluginTask(
  task: unknown,
  plugin: string,
  { action, name, observation }: TaskContext,
): asserts task is Task {
  const refuse = checkGiven('task', plugin, task);
  const given = task as Partial<Task>;
  if (given.name !== name) return refuse(`its name is ${String(given.name)}, the task's file says ${name}`);
  if (typeof given.goal !== 'string') return refuse('it has no goal, one sentence for people');
  if (!Number.isSafeInteger(given.maxSteps) || (given.maxSteps as number) < 1)
    return refuse('its maxSteps is no whole number above 0');
  if (!isNames(given.signalNames)) return refuse('its signalNames are no list of names');
  const fields = given.observation?.fields;
  if (!Array.isArray(fields) || fields.some(({ size }) => !Number.isSafeInteger(size) || size < 1)) {
    return refuse('its observation has no list of fields with sizes above 0');
  }
  if (frameSize(given.observation as Task['observation']) === 0) return refuse('its observation has no numbers');
  const { fields: _, ...rest } = given.observation as Task['observation'];
  if (JSON.stringify(rest) !== JSON.stringify(observation))
    return refuse('its observation is not that of the context, with fields of its own');
  if (JSON.stringify(given.action) !== JSON.stringify(action)) return refuse("its action is not the task file's");
}

function isNames(names: unknown): names is readonly string[] {
  return Array.isArray(names) && names.every((name) => typeof name === 'string');
}

/** Checks robot and demonstrations; the module itself is checked when it creates the task. */
function problemsOf({ demonstrations, operatorPlugin }: PluginTaskConfig, robot: TaskRobot): TaskProblem[] {
  if (worldOf(robot.driver) === 'scene') {
    const message = `robot "${robot.name}" is simulated in the scene of peg insertion: name a robot with its own model, or with a driver of another kind`;
    return [{ path: ['robot'], message }];
  }
  if (demonstrations === 0 || operatorPlugin !== undefined) return [];
  const message = `demonstrations is ${demonstrations}, without an operatorPlugin to give them: name one, or write 0`;
  return [{ path: ['demonstrations'], message }];
}
