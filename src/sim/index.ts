/** Simulated runs: a session in lock-step with a learner. */
export { type EpisodeOutcome, EvaluationPool, type TrialResult, trialRates, workersFor } from './evaluation-pool.ts';
export { type Decide, type OpenRobot, type OpenRobotOptions, openRobot } from './open-robot.ts';
export { evaluationSeed, type SimulationResult, simulate } from './simulate.ts';
