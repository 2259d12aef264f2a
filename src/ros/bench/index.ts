export type { CdrBenchCase, CdrBenchResult } from './cdr-bench.ts';
export { benchCdr, formatCdrBench } from './cdr-bench.ts';
export { benchRos, formatRosBench, type RosBenchOptions, type RosBenchResult } from './ros-bench.ts';
