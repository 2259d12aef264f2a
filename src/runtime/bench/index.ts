export { type BenchGuard, type BenchGuardEnd, startBenchGuard } from './bench-guard.ts';
export { type BenchNodeResult, driveGuard, getMoving } from './bench-node.ts';
export {
  benchSafety,
  formatSafetyBench,
  type SafetyBenchCase,
  type SafetyBenchResult,
} from './safety-bench.ts';
export {
  benchTick,
  formatTickBench,
  TICK_LOADS,
  type TickBenchOptions,
  type TickBenchResult,
  type TickLoad,
  type TickPhase,
} from './tick-bench.ts';
export { benchTraining, type TrainingBenchCase, type TrainingBenchOptions } from './training-bench.ts';
