/** Run of a study on a whole simulated robot: `rein sim` in a folder, and its result as a curve. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RobotStudy } from '../../../../src/config/index.ts';
import type { StudyFile } from '../../../../src/config/study-file.ts';
import { makeFolder, replaceFileSync, storage } from '../../../../src/host/index.ts';
import { parseJson } from '../../../../src/model/index.ts';
import { TRIAL_FILES } from '../../../../src/offline/index.ts';
import { type MetricRecord, parseMetrics, RUN_FILES, type RunSummary } from '../../../../src/record/index.ts';
import { type CurvePoint, writeResult } from '../trial/trial-files.ts';

/** Folder of the run itself within its folder of the sweep, and the files beside it. */
const RUN = 'run';
const SUMMARY = 'summary.json';
const OVERLAY = 'overlay.yaml';

/**
 * Returns the arguments of the run of `variant` with `seed` in `folder`. Such a run cannot be continued: its earlier files are removed,
 * including the summary, which would otherwise be taken for that of a failed run.
 */
export function robotCommand({ study }: StudyFile, variant: string, seed: number, folder: string): string[] {
  const { task, steps, evaluation, variants } = study as RobotStudy;
  const own = variants[variant]!;
  const overlay = join(folder, OVERLAY);
  storage(overlay, () => {
    for (const name of [RUN, SUMMARY]) rmSync(join(folder, name), { recursive: true, force: true });
    makeFolder(folder);
    // JSON is YAML.
    replaceFileSync(overlay, `${JSON.stringify(own.overlay, undefined, 2)}\n`);
  });
  const options: Readonly<Record<string, string | number>> = {
    '--task': task,
    '--seed': seed,
    '--steps': own.steps ?? steps,
    '--eval-episodes': evaluation.episodes,
    '--out': join(folder, RUN),
    '--json': join(folder, SUMMARY),
  };
  const isPlain = Object.keys(own.overlay).length === 0;
  const given = Object.entries(isPlain ? options : { ...options, '--config': overlay });
  return ['sim', '--quiet', ...given.flatMap(([key, value]) => [key, String(value)])];
}

/** Writes curve and result of a run that has left a complete summary; otherwise nothing. */
export function takeRobotResult(folder: string, seed: number): void {
  const summary = summaryIn(folder);
  if (summary === undefined) return;
  const { records } = parseMetrics(readFileSync(join(folder, RUN, RUN_FILES.metrics), 'utf8'));
  const points = [...records.flatMap(pointOf), lastPoint(summary)];
  const curve = join(folder, TRIAL_FILES.curve);
  storage(curve, () => replaceFileSync(curve, points.map((point) => `${JSON.stringify(point)}\n`).join('')));
  writeResult(folder, {
    steps: summary.env_steps,
    episodes: 0,
    updates: summary.updates,
    refusedCalls: 0,
    droppedTransitions: summary.link.lost,
    stateDigest: '',
    seconds: summary.wall_s,
    environment: summary.task ?? '',
    seed,
    last: points.at(-1)!,
  });
}

/** Returns `undefined` if the run has not ended, or was killed while it wrote the summary. */
function summaryIn(folder: string): RunSummary | undefined {
  const path = join(folder, SUMMARY);
  if (!existsSync(path)) return undefined;
  const summary = parseJson(readFileSync(path, 'utf8')) as RunSummary | null | undefined;
  return typeof summary?.env_steps === 'number' ? summary : undefined;
}

function pointOf(record: MetricRecord): CurvePoint[] {
  if (record.kind !== 'validation') return [];
  return [point(record.envStep, 0, record.episodes, record.successes, record.meanSteps)];
}

function lastPoint(summary: RunSummary): CurvePoint {
  const { env_steps, updates, eval_episodes, success_rate } = summary;
  return point(env_steps, updates, eval_episodes, Math.round(success_rate * eval_episodes), 0);
}

/** The robot's task pays 1 for success and nothing else, so its return is its success. */
function point(step: number, updates: number, episodes: number, successes: number, length: number): CurvePoint {
  return { step, updates, episodes, returns: [successes / episodes], cost: 0, length, successes, metrics: {} };
}
