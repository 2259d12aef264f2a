export type { CdrBenchCase, CdrBenchResult } from './cdr-bench.ts';
export { benchCdr, formatCdrBench } from './cdr-bench.ts';
