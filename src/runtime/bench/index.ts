export {
  benchTick,
  type DurationSummary,
  formatTickBench,
  type TickBenchOptions,
  type TickBenchResult,
  type TickPhase,
} from './tick-bench.ts';
