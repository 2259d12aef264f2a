export {
  Agent,
  type AgentSnapshot,
  type AgentSpec,
  buildPolicyFile,
  createAgent,
  type UpdateMetrics,
} from './agent.ts';
export { type EpisodeReturns, RealisedReturns } from './calibration.ts';
export type { NamedWeights } from './policy-graph.ts';
export type { PretrainingReport } from './pretraining.ts';
