export { EngineThread } from './engine-thread.ts';
export { LocalEngine } from './local-engine.ts';
export type { CallReport, OpenPhase, PhaseName, TrainingEngine } from './training-engine.ts';
