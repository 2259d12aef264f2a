export { PegInsertion, type PegInsertionConfig } from './peg-insertion.ts';
export type { Task, Verdict } from './task.ts';
