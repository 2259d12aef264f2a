/** Tasks of others: the plugin contract of the kind `task`. */
import {
  type ActionSpec,
  checkGiven,
  frameSize,
  type ObservationSpec,
  type PluginBase,
  type RobotModel,
} from '../core/index.ts';
import type { Task } from './task.ts';

/** What a task is made for. */
export interface TaskContext<O = unknown> {
  /** `name` of the task's file. */
  readonly name: string;
  readonly robot: RobotModel;
  /** `action` of the task's file: what the task has to give as its own. */
  readonly action: ActionSpec;
  readonly policyHz: number;
  readonly maxSteps: number;
  /** What the task's file says of its observation beside the fields: to be spread into `Task.observation`. */
  readonly observation: Omit<ObservationSpec, 'fields'>;
  /** `options` of the task's file, as the plugin's own check gives them. */
  readonly options: O;
}

/** A kind of task. Its module is loaded by node and learner, never by the guard. */
export interface TaskPlugin<O = unknown> extends PluginBase<O> {
  create(context: TaskContext<O>): Task;
}

/** Refuses what a plugin called `plugin` gave for a task where a run could not use it. Throws `ReinError('task')`. */
export function checkPluginTask(
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
