export {
  type EpisodeOptions,
  type EpisodeResult,
  EpisodeRunner,
  type EpisodeRunnerOptions,
  type Mark,
  ResetHangsError,
  type StepTimings,
  TANK_STAYS_EMPTY,
} from './episode-runner.ts';
export { JOURNAL_FOLDER, LearnerConnection, type LearnerConnectionOptions } from './learner-connection.ts';
