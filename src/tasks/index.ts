export {
  OBSERVATION_TYPES,
  type ObservationProblem,
  type ObservationSource,
  type ObservationTopic,
  type ObservationType,
  partsOf,
  topicSize,
} from './observation-source.ts';
export { type JudgedObservation, OperatorJudged, type OperatorJudgedConfig } from './operator-judged.ts';
export { PegInsertion, type PegInsertionConfig } from './peg-insertion.ts';
export type { Task, Verdict } from './task.ts';
