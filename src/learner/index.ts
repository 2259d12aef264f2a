/** The learner: networks, algorithms, replay, and the service that robots connect to. */

export { Agent, type AgentSnapshot, createAgent, type UpdateMetrics } from './agent/agent.ts';
export type { AgentSpec } from './agent/agent-spec.ts';
export { createReplay } from './agent/create-replay.ts';
export type { PretrainingReport } from './agent/pretraining.ts';
export { readCheckpoint } from './checkpoint.ts';
export { Bindings, Session } from './engine/session.ts';
export { ObservationEncoder, openObservationEncoder } from './imports/observation-encoder.ts';
export { Replay } from './replay/replay.ts';
export { UpdateContract } from './replay/utd.ts';
export { expectedCheckpoint, learnedSizes } from './service/learned-sizes.ts';
export { Learner } from './service/learner.ts';
export { LEARNER_FILES, type LearnerProcessConfig, type LearnerProcessMessage } from './service/messages.ts';
