/** The session in lock-step with a learner, and the environments that learners are studied in. */

export type { Demonstrator, Overseer } from './environments/demonstrator.ts';
export { createDemonstrator, createEnvironment, createOverseer, ENVIRONMENT_NAMES } from './environments/registry.ts';
export { type EpisodeOutcome, EvaluationPool, type TrialResult, trialRates, workersFor } from './evaluation-pool.ts';
export { type Decide, type OpenRobot, type OpenRobotOptions, openRobot } from './open-robot.ts';
export { evaluationSeed, type SimulationResult, simulate } from './simulate.ts';
