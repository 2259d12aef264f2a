/** Merges several robots' checks into one piece of evidence. */
import { grouped, significant } from '../model/index.ts';
import type { Ablation, ArmKind, SafetyCheckResult, SafetyEvidence, ViolationKind } from './result.ts';
import { upperBound95 } from './upper-bound.ts';

/** Sums the results of whole chains; `ablations` show that the check detects missing stages. `wallS`: total wall-clock time, s. */
export function evidenceOf(
  robots: readonly SafetyCheckResult[],
  ablations: readonly Ablation[],
  wallS: number,
  withoutTank: readonly SafetyCheckResult[] = [],
): SafetyEvidence {
  const ticks = robots.reduce((sum, robot) => sum + robot.ticks, 0);
  const violations = robots.reduce((sum, robot) => sum + countAll(robot), 0);
  const ticksWithoutTank = withoutTank.reduce((sum, robot) => sum + robot.ticks, 0);
  const violationsWithoutTank = withoutTank.reduce((sum, robot) => sum + countAll(robot, isPromised), 0);
  const counts = { ticks, violations, ticksWithoutTank, violationsWithoutTank };
  return {
    formatVersion: 1,
    verdict: verdictOf(counts, [...robots, ...withoutTank]),
    ...counts,
    upperBound95: upperBound95(Math.min(violations, ticks), ticks),
    surplusMaxJ: Math.max(0, ...robots.map(({ energy }) => energy.surplusMaxJ)),
    wallS,
    robots,
    withoutTank,
    ablations,
  };
}

/** Without the tank, nothing about energy is promised. */
function isPromised(kind: ViolationKind): boolean {
  return kind !== 'energy';
}

type Counts = Pick<SafetyEvidence, 'ticks' | 'violations' | 'ticksWithoutTank' | 'violationsWithoutTank'>;

/** Words the results of the references and of the simulated arms in one sentence each. */
function verdictOf(counts: Counts, results: readonly SafetyCheckResult[]): string {
  const { ticks, violations, ticksWithoutTank, violationsWithoutTank } = counts;
  const without = `${grouped(violationsWithoutTank)} in ${grouped(ticksWithoutTank)} without it (but for energy)`;
  const references = `${grouped(violations)} violations of the reference in ${grouped(ticks)} adversarial ticks with the energy tank, ${without}`;
  const box = farthest(results, 'armWorkspace');
  const touch = farthest(results, 'armContact');
  const words = [
    ...(box.worst === 0 ? [] : [`up to ${significant(1e3 * box.worst)} mm out of its box`]),
    ...(touch.worst === 0
      ? []
      : [
          `touched itself or a keep-out box in ${grouped(touch.count)} ticks at least, up to ${significant(1e3 * touch.worst)} mm deep`,
        ]),
  ];
  const arm =
    words.length === 0
      ? 'The simulated arm, which lags behind it, stayed in its box and clear of itself'
      : `The simulated arm, which lags behind it, strayed: ${words.join(', ')}; the margins that cover that are listed`;
  return `${references}. ${arm}.`;
}

/** Ticks of one kind over all results, and the worst amount. */
function farthest(results: readonly SafetyCheckResult[], kind: ArmKind): { count: number; worst: number } {
  const found = results.flatMap(({ arm }) => arm.excursions.filter((each) => each.kind === kind));
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    worst: Math.max(0, ...found.map(({ worst }) => worst)),
  };
}

/** Counts all violations of the kinds accepted by `counts`. */
export function countAll(
  { violations }: SafetyCheckResult,
  counts: (kind: ViolationKind) => boolean = () => true,
): number {
  return violations.reduce((all, { kind, count }) => all + (counts(kind) ? count : 0), 0);
}

/** Returns `result` as an ablation. */
export function ablationOf({ robot, chain, without, ticks, violations }: SafetyCheckResult): Ablation {
  const counts: Partial<Record<ViolationKind, number>> = {};
  for (const { kind, count } of violations) if (count > 0) counts[kind] = count;
  return { robot, chain, without, ticks, counts };
}
