/** Summarises the outcomes of single trials into a check's result. */
import { grouped, quantile, type RobotModel } from '../model/index.ts';
import { STAGES } from '../safety/chain-report.ts';
import { type About, armOf, armWords } from './arm-summary.ts';
import { appliesTo, turnUnitOf } from './limits.ts';
import {
  ADVERSARIES,
  type AdversaryResult,
  type ArmResult,
  type EnergyComparison,
  type EnergyResult,
  type Histogram,
  type Margins,
  type SafetyCheckResult,
  type StageShare,
  type StopFigure,
  type StopResult,
  type Trace,
  type TrialName,
  VIOLATION_KINDS,
  type ViolationCount,
  type ViolationKind,
} from './result.ts';
import { type Distances, sumOf, type Tally } from './tally.ts';
import { energyToleranceJ, type TrialOutcome } from './trial-outcome.ts';
import { upperBound95 } from './upper-bound.ts';
import type { StopSample } from './witness/stop-watch.ts';

const WORST_TRACES = 4;
const BINS = 24;

const UNITS: Readonly<Record<ViolationKind, string>> = {
  notFinite: '1',
  position: 'rad',
  velocity: 'rad/s',
  acceleration: 'rad/s²',
  toolSpeed: 'm/s',
  workspace: 'm',
  sag: 'm',
  fence: 'm',
  selfCollision: 'm',
  keepOut: 'm',
  contact: 'm',
  energy: 'J',
  disobedience: 'rad/s',
  startJump: 'of full speed',
  lateStop: '1',
};

/** Totals of a robot's trials. */
export interface Totals {
  readonly ticks: number;
  readonly trials: number;
  readonly simulatedS: number;
  readonly plantFailures: number;
  readonly violations: readonly ViolationCount[];
  readonly arm: ArmResult;
  readonly stages: readonly StageShare[];
  readonly adversaries: readonly AdversaryResult[];
  readonly margins: Margins;
  readonly energy: Omit<EnergyResult, 'comparison'>;
  readonly stops: readonly StopResult[];
  readonly worst: readonly Trace[];
}

/** Sums `outcomes`, in the order of their trials, independent of the threads. `hasEnergy`: the plant has masses. */
export function totalsOf(
  model: RobotModel,
  outcomes: readonly TrialOutcome[],
  hasEnergy: boolean,
  about: About = {},
): Totals {
  const sum = sumOf(outcomes);
  const { ticks, simulatedS, plantFailures } = sum;
  const samples = outcomes.flatMap((outcome) => outcome.stops);
  const firstOf = (kind: ViolationKind): TrialName | null =>
    outcomes.find(({ counts }) => counts[kind].count > 0)?.name ?? null;
  return {
    ticks,
    simulatedS,
    plantFailures,
    trials: outcomes.length,
    violations: VIOLATION_KINDS.map((kind) => ({
      kind,
      applies: appliesTo(model, kind, hasEnergy),
      ...violationOf(kind, sum, samples.length),
      unit: unitFor(kind, model),
      first: firstOf(kind),
    })),
    arm: armOf(model, outcomes, sum, { ...about, hasEnergy }),
    stages: STAGES.map((stage, i) => {
      const acted = sum.stageTicks[i]!;
      return { stage, ticks: acted, share: ticks === 0 ? 0 : acted / ticks };
    }),
    adversaries: adversariesOf(outcomes),
    margins: marginsOf(model, sum.least),
    energy: energyOf(model, outcomes, sum, hasEnergy),
    stops: stopsOf(samples, turnUnitOf(model)),
    worst: [...outcomes]
      .sort((a, b) => a.marginMin - b.marginMin)
      .slice(0, WORST_TRACES)
      .map(({ trace }) => trace),
  };
}

function violationOf(
  kind: ViolationKind,
  { ticks, idleTicks, farStarts, counts }: Tally,
  stops: number,
): Pick<ViolationCount, 'count' | 'ticks' | 'upperBound95' | 'worst'> {
  const { count, worst } = counts[kind];
  const chances = { disobedience: idleTicks, startJump: farStarts, lateStop: stops }[kind as string] ?? ticks;
  return { count, ticks: chances, upperBound95: upperBound95(count, Math.max(chances, count)), worst };
}

/** Returns the unit of `kind` for this robot, with revolute or prismatic joints or both. */
function unitFor(kind: ViolationKind, model: RobotModel): string {
  const unit = turnUnitOf(model);
  return UNITS[kind].replace(/^rad$/, unit).replace(/^rad(?=\/)/, unit.includes(' ') ? `(${unit})` : unit);
}

function adversariesOf(outcomes: readonly TrialOutcome[]): AdversaryResult[] {
  return ADVERSARIES.flatMap((name) => {
    const mine = outcomes.filter((outcome) => outcome.name.adversary === name);
    if (mine.length === 0) return [];
    const { ticks, violatedTicks: violations, changedTicks, marginMin, peakKineticJ, peakForceN } = sumOf(mine);
    return [{ name, ticks, trials: mine.length, violations, changedTicks, marginMin, peakKineticJ, peakForceN }];
  });
}

function marginsOf(model: RobotModel, least: Distances): Margins {
  const given = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const { workspaceM, fenceM, selfM, keepOutM, shapesM, plantM, jointRad } = least;
  return {
    jointRad: Number.isFinite(jointRad) ? jointRad : 0,
    workspaceM: model.base === undefined ? given(workspaceM) : null,
    fenceM: given(fenceM),
    selfM: given(selfM),
    keepOutM: given(keepOutM),
    shapesM: given(shapesM),
    plantM: given(plantM),
  };
}

function energyOf(
  model: RobotModel,
  outcomes: readonly TrialOutcome[],
  { surplusMaxJ, tankMinJ, injectedJ, creditedJ, peakKineticJ }: Tally,
  hasEnergy: boolean,
): Omit<EnergyResult, 'comparison'> {
  const { tank } = model;
  const hasTank = tank !== undefined && hasEnergy;
  const wildest = outcomes.reduce<TrialOutcome | null>(
    (best, each) => (best === null || each.peakKineticJ > best.peakKineticJ ? each : best),
    null,
  );
  return {
    hasTank,
    surplusMaxJ: hasTank ? surplusMaxJ : 0,
    toleranceJ: energyToleranceJ(peakKineticJ),
    tankMinJ: hasTank ? tankMinJ : null,
    tankFloorJ: hasTank ? tank.minJ : null,
    injectedJ,
    creditedJ,
    peakKineticJ,
    trace: hasEnergy ? (wildest?.trace ?? null) : null,
  };
}

function stopsOf(samples: readonly StopSample[], unit: string): StopResult[] {
  return (['silence', 'nan'] as const).flatMap((cause) => {
    const mine = samples.filter((sample) => sample.cause === cause);
    if (mine.length === 0) return [];
    const plantTimes = mine.map(({ plantTimeS }) => plantTimeS).filter(Number.isFinite);
    return [
      {
        cause,
        stops: mine.length,
        reaction: figureOf(mine, 's', 'reactionS', 'reactionBoundS'),
        time: figureOf(mine, 's', 'timeS', 'timeBoundS'),
        distance: figureOf(mine, unit, 'distance', 'distanceBound'),
        plantTime: plantTimes.length === 0 ? null : plainFigure(plantTimes, 's'),
      },
    ];
  });
}

type NumberKey = Exclude<keyof StopSample, 'cause'>;

function figureOf(samples: readonly StopSample[], unit: string, value: NumberKey, bound: NumberKey): StopFigure {
  const shares = samples.map((sample) => (sample[bound] > 0 ? sample[value] / sample[bound] : 0));
  const values = samples.map((sample) => sample[value]);
  const largest = Math.max(...samples.map((sample) => sample[bound]));
  return { ...plainFigure(values, unit), bound: largest, shareOfBoundMax: Math.max(...shares) };
}

function plainFigure(values: readonly number[], unit: string): StopFigure {
  const [median, p95, max] = [quantile(values, 0.5), quantile(values, 0.95), Math.max(...values)];
  return { unit, median, p95, max, bound: 0, shareOfBoundMax: 0, histogram: histogramOf(values) };
}

/** Bins values equally from 0 to the largest, with a round width. */
export function histogramOf(values: readonly number[]): Histogram {
  const top = Math.max(...values, 1e-9);
  const rough = top / BINS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const width = ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10) * power;
  const counts = new Array<number>(Math.floor(top / width) + 1).fill(0);
  for (const value of values) counts[Math.min(counts.length - 1, Math.floor(value / width))]!++;
  return { width, counts };
}

/** Compares two runs of the same attacks, with the tank and without it. */
export function comparisonOf(
  attack: 'pumping' | 'wall',
  withTank: readonly TrialOutcome[],
  withoutTank: readonly TrialOutcome[],
): EnergyComparison {
  const [tank, bare] = [sumOf(withTank), sumOf(withoutTank)];
  return {
    attack,
    trials: withTank.length,
    ticks: tank.ticks,
    peakKineticWithJ: tank.peakKineticJ,
    peakKineticWithoutJ: bare.peakKineticJ,
    peakForceWithN: tank.peakForceN,
    peakForceWithoutN: bare.peakForceN,
    hasTouched: attack !== 'wall' || Math.max(tank.peakForceN, bare.peakForceN) > 0,
  };
}

/** Terms of a verdict. `untried`: see `untriedOf`. */
type VerdictTerms = Pick<SafetyCheckResult, 'chain' | 'without' | 'untried' | 'ended' | 'plannedTicks'>;

/** Returns the verdict in one sentence, of the reference and of the simulated arm, and whether the check passed. */
export function verdictOf(
  robot: string,
  totals: Totals,
  { chain, without, untried, ended, plannedTicks }: VerdictTerms,
): { readonly ok: boolean; readonly verdict: string } {
  const broken = totals.violations.filter(({ count }) => count > 0);
  const ok = broken.length === 0 && totals.plantFailures === 0;
  const cut = { complete: '', interrupted: 'interrupted', timeLimit: 'time limit' }[ended];
  const share = cut === '' ? '' : ` of ${grouped(plannedTicks)} (${cut})`;
  const among = `${grouped(totals.ticks)}${share} adversarial ticks`;
  const part =
    chain === 'off' ? ' with the safety chain off' : without.length > 0 ? ` without ${without.join(' and ')}` : '';
  const kept = untried.length === 0 ? 'every limit' : 'every limit that was tried';
  const arm = armWords(totals.arm);
  if (ok) return { ok, verdict: `The reference of ${robot} kept ${kept} in ${among}${part}${arm}.` };
  const failures = totals.plantFailures > 0 ? [`${grouped(totals.plantFailures)} × simulation broke down`] : [];
  const list = [...broken.map(({ kind, count }) => `${grouped(count)} × ${KIND_WORDS[kind]}`), ...failures];
  return { ok, verdict: `${robot} broke limits in ${among}${part}: ${list.join(', ')}${arm}.` };
}

/** Name of each kind in a sentence. */
export const KIND_WORDS: Readonly<Record<ViolationKind, string>> = {
  notFinite: 'reference not finite',
  position: 'joint limit',
  velocity: 'joint speed',
  acceleration: 'joint acceleration',
  toolSpeed: 'speed of tool or points',
  workspace: 'workspace left',
  sag: 'arm at rest outside by more than its sag',
  fence: 'fence left',
  selfCollision: 'distance between links',
  keepOut: 'keep-out box',
  contact: "links touch in the reference's pose (MuJoCo)",
  energy: 'energy not covered by the tank',
  disobedience: 'moved without a valid command',
  startJump: 'start with a jump',
  lateStop: 'stopped too late',
};
