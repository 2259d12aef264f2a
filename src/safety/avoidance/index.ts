export { Barrier } from './barrier.ts';
export { dip } from './between.ts';
export type { ClearanceKind, ClearanceRow } from './clearance-rows.ts';
export { Clearances } from './clearances.ts';
export { SAMPLE_SIZE } from './sample.ts';
