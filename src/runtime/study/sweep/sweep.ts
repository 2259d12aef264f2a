/**
 * Runs a study: every variant with every seed, each in a process and a folder of its own. A sweep that was ended, by whatever,
 * goes on where it was: finished runs are left alone, begun ones continue from their checkpoints.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ReinError } from '../../../core/index.ts';
import type { StudyFile } from '../../config/index.ts';
import { type SeedCurve, type StudyCurves, sampleOf } from '../curves/index.ts';
import { createStudyEnvironment } from '../environments/index.ts';
import { readCurve, readResult, TRIAL_FILES, writeTrialSpec } from '../trial/index.ts';
import { type ChildEnd, runChild } from './child.ts';
import { robotCommand, takeRobotResult } from './robot-run.ts';
import { trialSpecOf } from './study-trial.ts';

/** What of a study is run, and where. */
export interface SweepOptions {
  readonly study: StudyFile;
  /** Holds one folder a run. */
  readonly folder: string;
  /** Runs at a time. */
  readonly jobs: number;
  /** Run these variants only; absent: all. */
  readonly only?: readonly string[] | undefined;
  /** Ends all children; the sweep rejects with its reason. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** One run of a sweep. */
interface Run {
  readonly variant: string;
  readonly seed: number;
  readonly folder: string;
}

/** Runs what is missing; resolves to one sentence for each run that failed. Throws `ReinError` before any begins where one cannot. */
export async function runSweep(options: SweepOptions): Promise<readonly string[]> {
  const { say, jobs } = options;
  checkVariants(options);
  const all = runsOf(options);
  await checkEnvironments(options);
  for (const run of all) prepare(run, options);
  const missing = all.filter(({ folder }) => readResult(folder) === undefined);
  say(`${options.study.name}: ${all.length} runs, ${all.length - missing.length} of them finished`);
  const failures: string[] = [];
  const queue = missing.values();
  const worker = async (): Promise<void> => {
    for (const run of queue) {
      const failure = await runOne(run, options);
      options.signal.throwIfAborted();
      if (failure !== undefined) failures.push(failure);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, missing.length) }, worker));
  return failures;
}

/** What the runs in the sweep's folder have come to so far: `all` of them, half-done ones included, or the `finished` ones. */
export function sweepCurves(
  { study, folder }: Pick<SweepOptions, 'study' | 'folder'>,
  which: 'all' | 'finished' = 'all',
): StudyCurves {
  const curves: Record<string, SeedCurve[]> = {};
  for (const variant of Object.keys(study.study.variants)) {
    const seeds: SeedCurve[] = [];
    for (const seed of seedsOf(study)) {
      const run = join(folder, `${variant}-${seed}`);
      const samples = readCurve(run).map(sampleOf);
      const isTaken = which === 'all' || readResult(run) !== undefined;
      if (samples.length > 0 && isTaken) seeds.push({ seed, samples });
    }
    if (seeds.length > 0) curves[variant] = seeds;
  }
  return curves;
}

function checkVariants({ study, only }: SweepOptions): void {
  const known = Object.keys(study.study.variants);
  const unknown = only?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ReinError('config', `The study ${study.name} has no variant "${unknown}", it has ${known.join(', ')}.`, {
    remedy: 'Give --only one of these.',
  });
}

/** Opens and closes what every variant needs: what is wrong with one is said before the first begins. */
async function checkEnvironments({ study, only }: SweepOptions): Promise<void> {
  if (study.study.kind !== 'environment') return;
  for (const variant of Object.keys(study.study.variants)) {
    if (only !== undefined && !only.includes(variant)) continue;
    const { environment, base, demonstrations, overseer } = trialSpecOf(study, variant, 0);
    const made = await createStudyEnvironment(environment.name, environment.options, base);
    try {
      if (demonstrations !== null) made.expert(demonstrations.skill);
      if (overseer !== null) made.overseer(overseer.options);
    } finally {
      made.environment.close();
    }
  }
}

/** Seed by seed: after the first round all variants can be compared. */
function runsOf({ study, folder, only }: SweepOptions): Run[] {
  const variants = Object.keys(study.study.variants).filter((name) => only === undefined || only.includes(name));
  return seedsOf(study).flatMap((seed) =>
    variants.map((variant) => ({ variant, seed, folder: join(folder, `${variant}-${seed}`) })),
  );
}

function seedsOf({ study: { firstSeed, seeds } }: SweepOptions['study']): number[] {
  return Array.from({ length: seeds }, (_, i) => firstSeed + i);
}

function prepare({ variant, seed, folder }: Run, { study }: SweepOptions): void {
  if (study.study.kind === 'environment') writeTrialSpec(folder, trialSpecOf(study, variant, seed));
}

async function runOne(run: Run, options: SweepOptions): Promise<string | undefined> {
  const { study, signal, say } = options;
  const name = `${run.variant} ${run.seed}`;
  const isRobot = study.study.kind === 'robot';
  const args = isRobot ? robotCommand(study, run.variant, run.seed, run.folder) : ['train', '--resume', run.folder];
  const end = await runChild(args, signal, (line) => {
    if (line.startsWith('step ')) say(`${name}: ${line}`);
  });
  if (signal.aborted) return undefined;
  if (isRobot) takeRobotResult(run.folder, run.seed);
  if (readResult(run.folder) === undefined) return failureOf(name, end);
  say(`${name}: finished`);
  tidy(run.folder);
  return undefined;
}

function failureOf(name: string, { code, signal, complaint }: ChildEnd): string {
  const how = signal === null ? `ended with ${code}` : `was ended by ${signal}`;
  return `${name} ${how}${complaint === '' ? '' : `: ${complaint}`}`;
}

/** A finished run of a sweep needs its transitions no more: with images they are most of what it wrote. */
function tidy(folder: string): void {
  for (const name of [TRIAL_FILES.transitions, TRIAL_FILES.checkpoints, TRIAL_FILES.lock]) {
    const path = join(folder, name);
    if (existsSync(path)) rmSync(path, { recursive: true });
  }
}
