/** The kinds of tasks that there are: which file each has, and what is made of it. */
import type { z } from 'zod';
import type { RobotModel } from '../core/index.ts';
import { type JudgedTaskConfig, judgedTaskSchema, OperatorJudged } from './operator-judged.ts';
import { PegInsertion, type PegTaskConfig, pegTaskSchema } from './peg-insertion.ts';
import { openPluginTask, type PluginTaskConfig, pluginTaskSchema } from './plugin.ts';
import type { Task } from './task.ts';

/** A task's file, of any kind. */
export type TaskConfig = PegTaskConfig | JudgedTaskConfig | PluginTaskConfig;

/** What is written in a file of each kind. */
export const TASK_SCHEMAS: Readonly<Record<TaskConfig['kind'], z.ZodType<TaskConfig>>> = {
  pegInsertion: pegTaskSchema,
  operatorJudged: judgedTaskSchema,
  plugin: pluginTaskSchema,
};

/** The task that `config` describes, on `robot`. Throws `ReinError`, and `RangeError` for what no file can say. */
export function createTask(config: TaskConfig, robot: RobotModel): Task {
  switch (config.kind) {
    case 'pegInsertion':
      return new PegInsertion(config, robot);
    case 'operatorJudged':
      return new OperatorJudged(config, robot);
    case 'plugin':
      return openPluginTask(config, robot);
  }
}
