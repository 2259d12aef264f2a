/** Tasks: their files, observation, reward, success and reset. */

export {
  OBSERVATION_TYPES,
  type ObservationProblem,
  type ObservationSource,
  type ObservationTopic,
  type ObservationType,
  topicSize,
} from './observation-source.ts';
export type { TaskContext, TaskPlugin } from './plugin.ts';
export {
  loadRewardClassifier,
  type RewardClassifier,
  type RewardManifest,
  readRewardManifest,
  rewardManifestPath,
  type Share,
  saveRewardClassifier,
} from './reward/classifier-file.ts';
export { hasRules } from './reward/judged-by-classifier.ts';
export { type Outcome, startsOver, type Task, type Verdict } from './task.ts';
export type { ResetPlan } from './task-kind.ts';
export {
  checkScripted,
  checkUnattended,
  createTask,
  criticalTestOf,
  isJudgedByPeople,
  phaseSwitchProblemsOf,
  sceneOf,
  scenesOf,
  TASK_SCHEMAS,
  type TaskConfig,
  type TaskScenes,
  taskKind,
} from './task-kinds.ts';
