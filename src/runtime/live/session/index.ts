/** One robot in real time, under control of whoever opened the session. */
export type { Activity } from './activity.ts';
export { openSession, type SessionOptions } from './open-session.ts';
export { LiveSession } from './session.ts';
export type {
  EpisodePurpose,
  EpisodeReport,
  EpisodeRequest,
  EvaluationReport,
  EvaluationRequest,
  InterventionReport,
  PolicyState,
  SessionEvent,
  SessionListener,
  SessionMode,
  SessionState,
} from './session-types.ts';
export { joinedRun } from './weights/index.ts';
