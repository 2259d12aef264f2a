/** Curves as they are kept beside the results page: one short line an evaluation. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StudyMeasure, StudyPart } from '../../config/index.ts';
import { mean, replaceFileSync, storage } from '../../core/index.ts';
import type { CurvePoint } from '../trial/trial-files.ts';

/** One evaluation: means over its episodes. */
export interface CurveSample {
  readonly step: number;
  readonly updates: number;
  readonly return: number;
  /** Share of the episodes that were solved; `null` where the task knows only returns. */
  readonly success: number | null;
  readonly cost: number;
}

/** One run's curve. */
export interface SeedCurve {
  readonly seed: number;
  readonly samples: readonly CurveSample[];
}

/** The curves of a study: by variant, then by seed in rising order. */
export type StudyCurves = Readonly<Record<string, readonly SeedCurve[]>>;

/** What of `point` is kept, in six digits. */
export function sampleOf({ step, updates, returns, successes, episodes, cost }: CurvePoint): CurveSample {
  const success = successes === null ? null : sixDigits(successes / episodes);
  return { step, updates, return: sixDigits(mean(returns)), success, cost: sixDigits(cost) };
}

/** Writes the curve of `variant` with `seed` into `folder`, replacing an earlier one. */
export function writeSamples(folder: string, variant: string, seed: number, samples: readonly CurveSample[]): void {
  const path = join(folder, `${variant}-${seed}.jsonl`);
  const text = samples.map((sample) => `${JSON.stringify(sample)}\n`).join('');
  storage(path, () => {
    mkdirSync(folder, { recursive: true });
    replaceFileSync(path, text);
  });
}

/** The curves of `variants` in `folder`; a variant without any is left out. */
export function readSamples(folder: string, variants: readonly string[]): StudyCurves {
  const files = namesIn(folder);
  const curves: Record<string, SeedCurve[]> = {};
  for (const variant of variants) {
    const found = files.flatMap((file) => {
      const match = /^(.+)-(\d+)\.jsonl$/.exec(file);
      return match !== null && match[1] === variant ? [{ seed: Number(match[2]), file }] : [];
    });
    if (found.length === 0) continue;
    curves[variant] = found
      .sort((a, b) => a.seed - b.seed)
      .map(({ seed, file }) => ({ seed, samples: linesOf(join(folder, file)) }));
  }
  return curves;
}

function linesOf(path: string): CurveSample[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as CurveSample);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No curve yet.
    return [];
  }
}

/** The value of `measure`; `undefined` for the success of a task that knows only returns. */
export function measured(sample: CurveSample, measure: StudyMeasure): number | undefined {
  return sample[measure] ?? undefined;
}

/** One number for `part` of a curve: see `StudyPart`. `undefined` where the curve does not have it. */
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
