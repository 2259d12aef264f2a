export { Barrier } from './barrier.ts';
export { BEND, dip, FIRST, LAST, LEAST, LENGTH } from './between.ts';
export type { ClearanceKind, ClearanceRow } from './clearance-rows.ts';
export { Clearances } from './clearances.ts';
export { SAMPLE_SIZE } from './sample.ts';
