/** Several robots' checks as one piece of evidence. */
import type { Ablation, SafetyCheckResult, SafetyEvidence, ViolationKind } from './result.ts';
import { upperBound95 } from './upper-bound.ts';

/** Sums what whole chains did; `ablations` show that the check bites. `wallS`: how long all of it took, s. */
export function evidenceOf(
  robots: readonly SafetyCheckResult[],
  ablations: readonly Ablation[],
  wallS: number,
  withoutTank: readonly SafetyCheckResult[] = [],
): SafetyEvidence {
  const ticks = robots.reduce((sum, robot) => sum + robot.ticks, 0);
  const violations = robots.reduce((sum, robot) => sum + countAll(robot), 0);
  return {
    formatVersion: 1,
    ticks,
    violations,
    upperBound95: upperBound95(Math.min(violations, ticks), ticks),
    surplusMaxJ: Math.max(0, ...robots.map(({ energy }) => energy.surplusMaxJ)),
    wallS,
    robots,
    withoutTank,
    ablations,
  };
}

/**
 * Violations in all. Without the tank nobody promises anything about energy, and that the reference kept every limit is what
 * is to be seen: `kinds` leaves out what is not counted.
 */
export function countAll(
  { violations }: SafetyCheckResult,
  counts: (kind: ViolationKind) => boolean = () => true,
): number {
  return violations.reduce((all, { kind, count }) => all + (counts(kind) ? count : 0), 0);
}

/** What `result` found, as an ablation. */
export function ablationOf({ robot, chain, without, ticks, violations }: SafetyCheckResult): Ablation {
  const counts: Partial<Record<ViolationKind, number>> = {};
  for (const { kind, count } of violations) if (count > 0) counts[kind] = count;
  return { robot, chain, without, ticks, counts };
}
