export type { ClearanceKind, ClearanceRow } from './clearance-rows.ts';
export { Clearances } from './clearances.ts';
