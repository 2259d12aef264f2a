/** Judges the checks of a study by its curves: one sentence each, made from the numbers, even if these contradict the claim. */
import type { OrderCheck, ReachesCheck, StudyCheck, StudyConfig, StudyMeasure } from '../../../../src/config/index.ts';
import { significant } from '../../../../src/model/index.ts';
import { differenceInterval, type MeanInterval, pairedInterval } from './intervals.ts';
import { measured, partOf, type StudyCurves } from './samples.ts';

/** Outcome of a check. `not decided`: the interval over the seeds contains zero, or there are no runs yet. */
export type Outcome = 'shown' | 'not decided' | 'not reproduced';

/** Result of a check. */
export interface Verdict {
  readonly outcome: Outcome;
  readonly message: string;
}

/** Judges each check of `study` by `curves`, in order. */
export function judge(study: StudyConfig, curves: StudyCurves): readonly Verdict[] {
  return study.checks.map((check) => judgeOne(check, study, curves));
}

function judgeOne(check: StudyCheck, study: StudyConfig, curves: StudyCurves): Verdict {
  return check.kind === 'reaches' ? judgeReaches(check, study, curves) : judgeOrder(check, study, curves);
}

function judgeReaches(check: ReachesCheck, study: StudyConfig, curves: StudyCurves): Verdict {
  const { variant, measure, value, withinSteps } = check;
  const title = study.variants[variant]!.title;
  if (!isMeasured(measure, [variant], curves)) return unmeasured(title, measure);
  const firsts = (curves[variant] ?? []).map(({ samples }) =>
    samples.find(
      (sample) => sample.step <= withinSteps && (measured(sample, measure) ?? Number.NEGATIVE_INFINITY) > value,
    ),
  );
  if (firsts.length === 0) return { outcome: 'not decided', message: `${title}: no run yet.` };
  const reached = firsts.filter((first) => first !== undefined);
  const steps = reached.map(({ step }) => step);
  const when = steps.length === 0 ? '' : `, first after ${Math.min(...steps)} to ${Math.max(...steps)}`;
  return {
    outcome: reached.length === firsts.length ? 'shown' : 'not reproduced',
    message: `${title}: ${reached.length} of ${firsts.length} seeds have a mean ${measure} above ${number(value)} within ${withinSteps} steps${when}.`,
  };
}

const PART: Readonly<Record<OrderCheck['part'], string>> = {
  start: 'before the first step',
  end: 'over the last fifth of the evaluations',
  all: 'over all evaluations',
  least: 'at the worst evaluation',
};

function judgeOrder(check: OrderCheck, study: StudyConfig, curves: StudyCurves): Verdict {
  const { better, worse, measure, part } = check;
  const [a, b] = [better, worse].map((name) =>
    (curves[name] ?? []).flatMap((curve) => {
      const value = partOf(curve, measure, part);
      return value === undefined ? [] : [{ seed: curve.seed, value }];
    }),
  ) as [OfSeed[], OfSeed[]];
  const [titleA, titleB] = [study.variants[better]!.title, study.variants[worse]!.title];
  if (!isMeasured(measure, [better, worse], curves)) return unmeasured(`${titleA} against ${titleB}`, measure);
  if (a.length === 0 || b.length === 0) {
    return { outcome: 'not decided', message: `${titleA} against ${titleB}: runs are missing.` };
  }
  // Gain of the better one; a lower cost is better.
  const sign = measure === 'cost' ? -1 : 1;
  const isPaired = a.length === b.length && a.every(({ seed }, i) => seed === b[i]!.seed);
  const difference = (isPaired ? pairedInterval : differenceInterval)(valuesOf(a), valuesOf(b));
  const gain = sign === 1 ? difference : { mean: -difference.mean, low: -difference.high, high: -difference.low };
  const more = difference.mean < 0 ? 'less' : 'more';
  const shown = difference.mean < 0 ? { low: -difference.high, high: -difference.low } : difference;
  const seeds = isPaired ? `${a.length} seeds, paired by seed` : `${a.length} and ${b.length} seeds`;
  const interval = `95 % interval ${number(shown.low)} to ${number(shown.high)}, ${seeds}`;
  const message = `${titleA} has ${number(Math.abs(difference.mean))} ${more} ${measure} ${PART[part]} (${interval}) than ${titleB}.`;
  return { outcome: outcomeOf(gain), message };
}

/** One number of one run. */
interface OfSeed {
  readonly seed: number;
  readonly value: number;
}

function valuesOf(runs: readonly OfSeed[]): number[] {
  return runs.map(({ value }) => value);
}

/** False if a run of `variants` has evaluations, but none of them with this measure. */
function isMeasured(measure: StudyMeasure, variants: readonly string[], curves: StudyCurves): boolean {
  const seeds = variants.flatMap((name) => curves[name] ?? []).filter(({ samples }) => samples.length > 0);
  return seeds.every(({ samples }) => samples.some((sample) => measured(sample, measure) !== undefined));
}

function unmeasured(who: string, measure: StudyMeasure): Verdict {
  return { outcome: 'not decided', message: `${who}: the environment does not report ${measure}.` };
}

function outcomeOf({ mean, low, high }: MeanInterval): Outcome {
  if (low > 0 || (low === high && mean > 0)) return 'shown';
  return high < 0 ? 'not reproduced' : 'not decided';
}

function number(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  return significant(value).replace('-', '−');
}
