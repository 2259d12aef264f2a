/** What the simulated arm did beyond its limits, and the margins that would have covered it. */
import { grouped, type RobotModel, significant } from '../core/index.ts';
import { turnUnitOf } from './limits.ts';
import { ARM_KINDS, type ArmExcursion, type ArmKind, type ArmResult, type MarginAdvice } from './result.ts';
import type { Tally } from './tally.ts';
import type { TrialOutcome } from './trial-outcome.ts';
import { roundedUp } from './upper-bound.ts';

/** What each kind is called in a table. */
export const ARM_WORDS: Readonly<Record<ArmKind, string>> = {
  armPosition: 'joint measured beyond its limit',
  armSpeed: 'joint measured too fast',
  armToolSpeed: 'tool or point measured too fast',
  armWorkspace: 'tool measured outside its box',
  armContact: 'links measured touching (MuJoCo)',
};

/** What the outcomes, which are `sum` together, saw of the arm. `hasEnergy`: the plant has masses. */
export function armOf(
  model: RobotModel,
  outcomes: readonly TrialOutcome[],
  { ticks, arm: counts }: Tally,
  hasEnergy: boolean,
): ArmResult {
  const applies = hasEnergy && model.base === undefined;
  const payloadMaxKg = model.payloadMaxKg ?? null;
  if (!applies) return { applies, payloadMaxKg, excursions: [], margins: [] };
  const units: Readonly<Record<ArmKind, string>> = {
    armPosition: turnUnitOf(model),
    armSpeed: '1',
    armToolSpeed: '1',
    armWorkspace: 'm',
    armContact: 'm',
  };
  const kinds = ARM_KINDS.filter((kind) => kind !== 'armToolSpeed' || model.toolSpeedMaxMPerS !== undefined);
  const excursions = kinds.map((kind): ArmExcursion => {
    const first = outcomes.find(({ arm }) => arm[kind].count > 0)?.name ?? null;
    return { kind, ...counts[kind], ticks, unit: units[kind], first };
  });
  return { applies, payloadMaxKg, excursions, margins: advices(model, excursions) };
}

/** One row for each excursion: what to set so that as large a one stays within the robot's real limits. */
function advices(model: RobotModel, excursions: readonly ArmExcursion[]): MarginAdvice[] {
  const found: MarginAdvice[] = [];
  for (const { kind, worst, unit } of excursions) {
    if (worst === 0) continue;
    if (kind === 'armPosition') {
      const set = roundedUp(model.limitMarginRad + worst);
      const message = `A joint went ${significant(worst)} ${unit} beyond its limit: set limitMarginRad to ${set} instead of ${model.limitMarginRad}.`;
      found.push({ key: 'limitMarginRad', message, set, unit });
    } else if (kind === 'armSpeed') {
      const set = Math.floor(100 / (1 + worst)) / 100;
      const message = `A joint was ${significant(100 * worst)} % faster than velocityMaxRadPerS: where that is what the joint can bear, set ${set} of it.`;
      found.push({ key: 'velocityMaxRadPerS', message, set, unit });
    } else if (kind === 'armToolSpeed') {
      const set = Math.floor((100 * model.toolSpeedMaxMPerS!) / (1 + worst)) / 100;
      const message = `A point of the arm was ${significant(100 * worst)} % faster than toolSpeedMaxMPerS: where the arm itself has to keep it, set ${set} instead of ${model.toolSpeedMaxMPerS}.`;
      found.push({ key: 'toolSpeedMaxMPerS', message, set, unit: 'm/s' });
    } else if (kind === 'armContact') {
      const clearanceM = model.collision?.clearanceM ?? 0;
      const set = roundedUp(clearanceM + worst);
      const message = `The arm touched what its reference keeps ${significant(1e3 * clearanceM)} mm clear of, ${significant(1e3 * worst)} mm deep: set collision.clearanceM to ${set} instead of ${clearanceM}.`;
      found.push({ key: 'clearanceM', message, set, unit });
    } else {
      const set = roundedUp(worst);
      const message = `The tool left its box by ${significant(1e3 * worst)} mm: draw each wall of workspace ${significant(1e3 * set)} mm in.`;
      found.push({ key: 'workspace', message, set, unit });
    }
  }
  return found;
}

/** The arm's part of the verdict. */
export function armWords({ applies, payloadMaxKg, excursions }: ArmResult): string {
  if (!applies) return '';
  const load = payloadMaxKg === null || payloadMaxKg === 0 ? '' : ` with up to ${payloadMaxKg} kg unknown to all`;
  const words = excursions.flatMap(({ kind, count, worst, unit }) => {
    if (worst === 0) return [];
    if (kind === 'armPosition') return [`${significant(worst)} ${unit} beyond a joint's limit`];
    if (kind === 'armSpeed') return [`${significant(100 * worst)} % too fast`];
    if (kind === 'armToolSpeed') return [`${significant(100 * worst)} % over its tool speed`];
    if (kind === 'armContact') return [`${significant(1e3 * worst)} mm deep into touching (${grouped(count)} ticks)`];
    return [`${significant(1e3 * worst)} mm out of its box`];
  });
  if (words.length === 0) return `; the simulated arm${load} stayed within them too`;
  return `; the simulated arm${load} strayed up to ${words.join(', ')} (margins to set are listed)`;
}
