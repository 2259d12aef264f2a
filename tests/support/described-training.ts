/** A training of a described task through `rein sim`, as people start it: what its run recorded, looked at step by step. Needs `dist/`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { LearnerConfig } from '../../src/learner/options.ts';
import { Diagnosis, type MetricRecord, parseMetrics, RUN_FILES } from '../../src/record/index.ts';
import { rein, transitionsOf } from './rein.ts';
import { Looks, type RigResult } from './training-rig.ts';

/** Keys of a YAML file. */
export type Keys = Record<string, unknown>;

export interface DescribedSpec {
  /** `reach`, or `sweep` of `docs/your-own-task.md`, and what is other than there. */
  readonly task: 'reach' | 'sweep';
  readonly change: Keys;
  readonly robot?: Keys;
  readonly learner?: Partial<LearnerConfig>;
  readonly seed: number;
  readonly steps: number;
}

/** So small that a thousand steps take some seconds. */
const SMALL = { actorHidden: [64, 64], criticHidden: [64, 64], batchSize: 64, utd: 2, bcInitSteps: 500 };

/** Shows, trains, and validates as little as there is; the demonstrations are the script's. */
export async function trainDescribed(spec: DescribedSpec): Promise<RigResult> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-described-'));
  try {
    writeFileSync(join(folder, 'block.xml'), fenced('xml'));
    writeFileSync(join(folder, 'task.yaml'), stringify({ ...taskOf(spec.task), ...spec.change }));
    const training = { steps: spec.steps, minimumSteps: spec.steps };
    const few = { training, validation: { everySteps: 1_000_000, episodes: 1 }, evaluation: { episodes: 1 } };
    const overlay = { task: few, learner: { ...SMALL, ...spec.learner }, ...(spec.robot && { robot: spec.robot }) };
    writeFileSync(join(folder, 'overlay.yaml'), stringify(overlay));
    const files = ['--task', './task.yaml', '--config', 'overlay.yaml', '--out', 'run', '--quiet'];
    const { code, stderr } = await rein(['sim', ...files, '--seed', String(spec.seed), '--monitor', 'off'], folder);
    // Few of them reach their target.
    if (code !== 0 && !stderr.includes('target missed')) throw new Error(`rein sim ended with ${code}: ${stderr}`);
    return replayed(join(folder, 'run'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function taskOf(task: DescribedSpec['task']): Keys {
  const file = new URL('../../config/tasks/reach.yaml', import.meta.url);
  const { target: _, ...keys } = parse(task === 'reach' ? readFileSync(file, 'utf8') : fenced('yaml')) as Keys;
  return keys;
}

/** The first block of `language` in the page that walks through the task. */
function fenced(language: string): string {
  const page = readFileSync(new URL('../../docs/your-own-task.md', import.meta.url), 'utf8');
  const [, text] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/your-own-task.md has no block of ${language}`);
  return text;
}

/** The rows as they stood while the run went on: steps from its journal, all else from its metrics, in the order of steps. */
function replayed(run: string): RigResult {
  const records = [RUN_FILES.metrics, 'metrics-learner.jsonl'].flatMap(
    (name) => parseMetrics(readFileSync(join(run, name), 'utf8')).records,
  );
  const others = records.filter(({ kind }) => kind !== 'steps').sort((a, b) => a.envStep - b.envStep);
  const diagnosis = new Diagnosis();
  const looks = new Looks(diagnosis);
  let [next, done] = [0, 0];
  const catchUp = (envStep: number): void => {
    for (; next < others.length && others[next]!.envStep <= envStep; next++) diagnosis.add(others[next]!);
  };
  catchUp(0);
  for (const t of transitionsOf(run)) {
    for (const due of diagnosis.step(t)) diagnosis.add({ ...due, tS: 0, envStep: done } as MetricRecord);
    if (t.source === 'demo') continue;
    catchUp(++done);
    looks.at(done);
  }
  catchUp(Number.POSITIVE_INFINITY);
  looks.at(done, 'now');
  const outcomes = records.flatMap((record) =>
    record.kind === 'episode' && record.purpose === 'training' ? [record.success] : [],
  );
  return { ...looks.result(), rows: diagnosis.rows(), records, success: shareOf(outcomes.slice(-20)) };
}

function shareOf(outcomes: readonly boolean[]): number {
  return outcomes.filter(Boolean).length / Math.max(1, outcomes.length);
}
