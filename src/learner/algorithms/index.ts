export { Agent, type AgentSnapshot, type AgentSpec, createAgent, type UpdateMetrics } from './agent.ts';
export { type EpisodeReturns, RealisedReturns } from './calibration.ts';
export type { CloningReport } from './cloning.ts';
export { checkLearnerConfig, DEFAULT_LEARNER_CONFIG, type LearnerConfig } from './config.ts';
export { buildPolicy, type NamedWeights } from './policy-graph.ts';
