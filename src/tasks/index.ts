/** Tasks: observation, reward, success and reset. */
export {
  OBSERVATION_TYPES,
  type ObservationProblem,
  type ObservationSource,
  type ObservationTopic,
  type ObservationType,
  topicSize,
} from './observation-source.ts';
export { onceFields } from './once-fields.ts';
export { OperatorJudged } from './operator-judged.ts';
export { PegInsertion } from './peg-insertion.ts';
export { checkPluginTask, type TaskContext, type TaskPlugin } from './plugin.ts';
export type { Task, Verdict } from './task.ts';
