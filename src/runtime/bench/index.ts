export type { BenchNodeResult } from './bench-node.ts';
export {
  benchTick,
  formatTickBench,
  TICK_LOADS,
  type TickBenchOptions,
  type TickBenchResult,
  type TickLoad,
  type TickPhase,
} from './tick-bench.ts';
