/** Curves as they are stored beside the results page: one file per study, one line per run. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StudyMeasure, StudyPart } from '../../../../src/config/index.ts';
import { makeFolder, replaceFileSync, storage } from '../../../../src/host/index.ts';
import { mean } from '../../../../src/model/index.ts';
import type { CurvePoint } from '../trial/trial-files.ts';

/** One evaluation: means over its episodes. */
export interface CurveSample {
  readonly step: number;
  readonly updates: number;
  readonly return: number;
  /** Share of solved episodes; `null` if the task reports only returns. */
  readonly success: number | null;
  readonly cost: number;
}

/** One run's curve. */
export interface SeedCurve {
  readonly seed: number;
  readonly samples: readonly CurveSample[];
}

/** Curves of a study: by variant, then by ascending seed. */
export type StudyCurves = Readonly<Record<string, readonly SeedCurve[]>>;

/** Reduces `point` to the stored fields, with six significant digits. */
export function sampleOf({ step, updates, returns, successes, episodes, cost }: CurvePoint): CurveSample {
  const success = successes === null ? null : sixDigits(successes / episodes);
  return { step, updates, return: sixDigits(mean(returns)), success, cost: sixDigits(cost) };
}

/** Line of a study's file: one run. */
interface KeptRun extends SeedCurve {
  readonly variant: string;
}

/** Stores `curves` in the file at `path`; each replaces an earlier one of the same variant and seed. */
export function keepCurves(path: string, curves: StudyCurves): void {
  const added = Object.entries(curves).flatMap(([variant, seeds]) => seeds.map((seed) => ({ variant, ...seed })));
  if (added.length === 0) return;
  const others = keptRuns(path).filter(
    (run) => !added.some(({ variant, seed }) => variant === run.variant && seed === run.seed),
  );
  const runs = [...others, ...added].sort(
    (a, b) => (a.variant < b.variant ? -1 : +(a.variant > b.variant)) || a.seed - b.seed,
  );
  storage(path, () => {
    makeFolder(dirname(path));
    replaceFileSync(path, runs.map((run) => `${JSON.stringify(run)}\n`).join(''));
  });
}

/** Reads the curves of `variants` from the file at `path`, which may be missing; a variant without curves is omitted. */
export function readCurves(path: string, variants: readonly string[]): StudyCurves {
  const runs = keptRuns(path);
  const curves: Record<string, SeedCurve[]> = {};
  for (const name of variants) {
    const found = runs.filter(({ variant }) => variant === name).sort((a, b) => a.seed - b.seed);
    if (found.length > 0) curves[name] = found.map(({ seed, samples }) => ({ seed, samples }));
  }
  return curves;
}

function keptRuns(path: string): KeptRun[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as KeptRun);
}

/** Returns the value of `measure`; `undefined` for the success of a task that reports only returns. */
export function measured(sample: CurveSample, measure: StudyMeasure): number | undefined {
  return sample[measure] ?? undefined;
}

/** Returns one number for `part` of a curve: see `StudyPart`. `undefined` if the curve does not have it. */
export function partOf({ samples }: SeedCurve, measure: StudyMeasure, part: StudyPart): number | undefined {
  const values = samples.flatMap((sample) => measured(sample, measure) ?? []);
  if (values.length === 0) return undefined;
  if (part === 'start') return values[0];
  const after = values.length > 1 ? values.slice(1) : values;
  if (part === 'least') return measure === 'cost' ? Math.max(...after) : Math.min(...after);
  const taken = part === 'all' ? after : after.slice(-Math.max(1, Math.ceil(after.length / 5)));
  return mean(taken);
}

function sixDigits(value: number): number {
  return Number(value.toPrecision(6));
}
