export { ablationOf, evidenceOf } from './evidence.ts';
export { limitRowsOf } from './limit-rows.ts';
export {
  type Ablation,
  ADVERSARIES,
  type AdversaryName,
  type AdversaryResult,
  type EnergyComparison,
  type EnergyResult,
  type Histogram,
  type LimitRow,
  type Margins,
  type SafetyCheckResult,
  type SafetyEvidence,
  type StopFigure,
  type StopResult,
  type Trace,
  type TrialName,
  VIOLATION_KINDS,
  type ViolationCount,
  type ViolationKind,
} from './result.ts';
export { type CheckRequest, runSafetyCheck } from './run-check.ts';
export { KIND_WORDS } from './summary.ts';
export { printedBound, upperBound95 } from './upper-bound.ts';
