/** One robot at work: episodes, policy use, recording. Process supervision and single episodes have entry points of their own. */

export type { Activity } from './activity.ts';
export { LearnerConnection } from './learner-connection.ts';
export { openLockStep, openSession } from './open-session.ts';
export { type OperatorsContext, openOperators } from './operators.ts';
export { type CutEpisode, cutMessage, type Draws, type Pace, type ShownByPerson } from './pace.ts';
export type { PersonRequest, RunWatcher } from './person-request.ts';
export { RawInput } from './raw-input.ts';
export { type LearnerWait, runToJoin } from './run/learner-of.ts';
export { abandonRunFolder, createRunFolder, type RunFolder, runIdOf } from './run-folder.ts';
export { RunLog, setupRecord } from './run-log.ts';
export type { DiagnosisRow, RunView } from './run-view.ts';
export { LiveSession } from './session.ts';
export type { SessionParts } from './session-parts.ts';
export type {
  EpisodeReport,
  EpisodeResult,
  EvaluationReport,
  InterventionReport,
  SessionEvent,
  SessionListener,
  SessionState,
} from './session-types.ts';
export type { RecordingStatus, RunStatus, ToolView } from './status.ts';
export { checkBase } from './task-policies.ts';
export { LearnerTelemetry } from './telemetry.ts';
export { WatchedRun } from './watched-run.ts';
export type { WeightsSource } from './weights/weights-source.ts';
export { saveWeights } from './weights-file.ts';
