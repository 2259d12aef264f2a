/** Searches for violations of the safety chain by a robot's own limits. */
export { ARM_WORDS } from './arm-summary.ts';
export type { AdversaryName, EnergyComparison, SafetyCheckResult, StopFigure, StopResult, Trace } from './result.ts';
export { type CheckProgress, runSafetyCheck } from './run-check.ts';
export { KIND_WORDS } from './summary.ts';
export { printedBound } from './upper-bound.ts';
