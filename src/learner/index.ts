/** The learner: networks, algorithms, replay, and the service that robots connect to. */

export { Agent, type AgentSpec, createAgent, type UpdateMetrics } from './agent/agent.ts';
export { type CheckpointKind, readCheckpoint, type TrainingState, writeCheckpoint } from './checkpoint.ts';
export { Bindings, Session } from './engine/session.ts';
export { routedOffline } from './replay/onsets.ts';
export { Replay } from './replay/replay.ts';
export { UpdateContract } from './replay/utd.ts';
export { type Calibration, calibrate, sigmoidOf } from './reward/calibrate.ts';
export { buildClassifier, type ClassifierFit, ClassifierTrainer } from './reward/fit-classifier.ts';
export { Learner } from './service/learner.ts';
export { checkpointsIn, hasCheckpoint, readLearnerCheckpoint } from './service/learner-checkpoint.ts';
export { type Pretraining, Training } from './training.ts';
export type { AlgorithmPlugin } from './update/algorithm.ts';
