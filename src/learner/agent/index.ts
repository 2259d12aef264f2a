export {
  Agent,
  type AgentSnapshot,
  createAgent,
  type UpdateMetrics,
} from './agent.ts';
export type { AgentSpec } from './agent-spec.ts';
export { type EpisodeReturns, RealisedReturns } from './calibration.ts';
export { createReplay } from './create-replay.ts';
export type { NamedWeights } from './policy-graph.ts';
export type { PretrainingReport } from './pretraining.ts';
