export { ARM_WORDS } from './arm-summary.ts';
export { ablationOf, countAll, evidenceOf } from './evidence.ts';
export { limitRowsOf } from './limit-rows.ts';
export {
  type Ablation,
  ADVERSARIES,
  type AdversaryName,
  type AdversaryResult,
  type ArmExcursion,
  type ArmResult,
  type EnergyComparison,
  type EnergyResult,
  type Histogram,
  type LimitRow,
  type MarginAdvice,
  type Margins,
  type SafetyCheckResult,
  type SafetyEvidence,
  type StageShare,
  type StopFigure,
  type StopResult,
  type Trace,
  type TrialName,
  VIOLATION_KINDS,
  type ViolationCount,
  type ViolationKind,
} from './result.ts';
export { type CheckProgress, type CheckRequest, runSafetyCheck } from './run-check.ts';
export { KIND_WORDS } from './summary.ts';
export { printedBound, upperBound95 } from './upper-bound.ts';
