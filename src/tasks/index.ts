/** Tasks: their files, observation, reward, success and reset. */
export {
  OBSERVATION_TYPES,
  type ObservationProblem,
  type ObservationSource,
  type ObservationTopic,
  type ObservationType,
  topicSize,
} from './observation-source.ts';
export type { JudgedTaskConfig } from './operator-judged.ts';
export type { PegTaskConfig } from './peg-insertion.ts';
export type { PluginTaskConfig, TaskContext, TaskPlugin } from './plugin.ts';
export { robotParts } from './robot-observation.ts';
export type { Task, Verdict } from './task.ts';
export { createTask, TASK_SCHEMAS, type TaskConfig } from './task-kinds.ts';
