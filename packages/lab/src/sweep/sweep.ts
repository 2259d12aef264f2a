/**
 * Runs a study: every variant with every seed, each in a process and a folder of its own. A sweep that was ended, by whatever,
 * goes on where it was: finished runs are left alone, begun ones continue from their checkpoints. Runs that another process
 * works on, a second sweep or what is left of a killed one, are waited for.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { PROGRAM } from '../../../../src/cli/index.ts';
import type { EnvironmentStudy } from '../../../../src/config/index.ts';
import type { StudyFile } from '../../../../src/config/study-file.ts';
import {
  acquireLock,
  counted,
  type DirectoryLock,
  type Environment,
  lockHolder,
  makeFolder,
  ReinError,
  Rng,
  storage,
} from '../../../../src/core/index.ts';
import { TRIAL_FILES, type TrialSpec } from '../../../../src/offline/index.ts';
import { type SeedCurve, type StudyCurves, sampleOf } from '../curves/samples.ts';
import { holdsTrial, writeTrialSpec } from '../trial/spec.ts';
import { readCurve, readResult } from '../trial/trial-files.ts';
import { TrialParts } from '../trial/trial-parts.ts';
import { robotCommand, takeRobotResult } from './robot-run.ts';

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
  checkNames(options);
  const all = runsOf(options);
  const missing = all.filter(({ folder }) => readResult(folder) === undefined);
  await checkVariants(missing, options);
  for (const run of all) prepare(run, options);
  say(`${options.study.name}: ${counted(all.length, 'run')}, ${all.length - missing.length} finished`);
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

/**
 * Throws `ReinError('storage')` where a run in the sweep's folder is not one of this study, whatever has its name: it would be
 * judged as if it were. Runs on robots do not say what they are of.
 */
export function checkRuns({ study, folder }: Pick<SweepOptions, 'study' | 'folder'>): void {
  if (study.study.kind !== 'environment') return;
  for (const run of runsOf({ study, folder })) holdsTrial(run.folder, trialSpecOf(study, run.variant, run.seed));
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

function checkNames({ study, only }: SweepOptions): void {
  const known = Object.keys(study.study.variants);
  const unknown = only?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ReinError('config', `The study ${study.name} has no variant "${unknown}", it has ${known.join(', ')}.`, {
    remedy: 'Give --only one of these.',
  });
}

/** Opens and closes all that a run of every variant in `missing` works with: what one refuses is said before the first begins. */
async function checkVariants(missing: readonly Run[], { study }: SweepOptions): Promise<void> {
  if (study.study.kind !== 'environment') return;
  const firsts = new Map(missing.toReversed().map((run) => [run.variant, run]));
  for (const { variant, seed } of firsts.values()) {
    const parts = await TrialParts.open(trialSpecOf(study, variant, seed)).catch((cause: unknown) => {
      if (!(cause instanceof ReinError)) throw cause;
      const { kind, message, remedy } = cause;
      throw new ReinError(kind, `The variant ${variant} cannot be begun: ${message}`, { remedy, cause });
    });
    try {
      checkMeasures(study, parts.own.environment);
    } finally {
      await parts.close();
    }
  }
}

/** Throws `ReinError('config')` where the study measures successes that `environment`, which this begins anew, does not know. */
function checkMeasures({ name, study }: StudyFile, environment: Environment): void {
  const isAsked = [study, ...study.checks].some(({ measure }) => measure === 'success');
  environment.reset(new Rng(0));
  if (!isAsked || environment.isSuccess !== undefined) return;
  const message = `The study ${name} measures success, of which the environment "${environment.name}" knows nothing: it has returns and costs.`;
  throw new ReinError('config', message, { remedy: 'Write measure: return or measure: cost, in the checks as well.' });
}

/** Seed by seed: after the first round all variants can be compared. */
function runsOf({ study, folder, only }: Pick<SweepOptions, 'study' | 'folder' | 'only'>): Run[] {
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

/** Resolves to why it failed, or to nothing where it is finished. */
async function runOne(run: Run, options: SweepOptions): Promise<string | undefined> {
  const { signal, say } = options;
  const name = nameOf(run);
  let failure: string | undefined;
  do {
    await nobodyAtWork(run.folder, signal, (pid) => say(`${name}: waits for process ${pid}, which works on this run`));
    if (readResult(run.folder) === undefined) failure = await tryOnce(run, options);
    if (signal.aborted) return undefined;
    // Where somebody else was quicker, it was not the run that failed.
  } while (readResult(run.folder) === undefined && isAtWork(run.folder));
  if (readResult(run.folder) === undefined) return failure;
  say(`${name}: finished`);
  tidy(run.folder);
  return undefined;
}

/** Runs it to its end once; resolves to how it ended, should there be no result then. */
async function tryOnce(run: Run, { study, signal, say }: SweepOptions): Promise<string> {
  const { variant, seed, folder } = run;
  const name = nameOf(run);
  const onLine = (line: string): void => {
    if (line.startsWith('step ')) say(`${name}: ${line}`);
  };
  // It takes the folder itself.
  if (study.study.kind === 'environment') {
    return failureOf(name, await runChild(['train', '--resume', folder], signal, { onLine }));
  }
  const lock = takeRun(folder);
  if (lock === undefined) return `${name} is locked by another process`;
  try {
    const args = robotCommand(study, variant, seed, folder);
    const end = await runChild(args, signal, { onLine, onStart: (pid) => lock.handTo(pid) });
    if (!signal.aborted) takeRobotResult(folder, seed);
    return failureOf(name, end);
  } finally {
    lock.release();
  }
}

function nameOf({ variant, seed }: Run): string {
  return `${variant} ${seed}`;
}

function failureOf(name: string, { code, signal, complaint }: ChildEnd): string {
  const how = signal === null ? `ended with ${code}` : `was ended by ${signal}`;
  return `${name} ${how}${complaint === '' ? '' : `: ${complaint}`}`;
}

/** A finished run of a sweep needs its transitions no more: with images they are most of what it wrote. */
function tidy(folder: string): void {
  for (const name of [TRIAL_FILES.transitions, TRIAL_FILES.checkpoints, TRIAL_FILES.lock]) {
    // Another sweep that waited for this run does the same at the same time.
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Characters of a child's complaints that are kept. */
const MAX_COMPLAINT = 600;

interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of what it wrote to standard error. */
  readonly complaint: string;
}

/** What the one who runs a child is told. */
interface ChildHooks {
  /** Its process id, as soon as it has one. */
  readonly onStart?: (pid: number) => void;
  /** Each line that it prints. */
  readonly onLine: (line: string) => void;
}

/**
 * Runs `rein ARGS` to its end, or until `signal`. It has a channel to this process, and ends when that closes: should this
 * process be killed, nobody goes on alone. Rejects where it cannot be started.
 */
function runChild(args: readonly string[], signal: AbortSignal, hooks: ChildHooks): Promise<ChildEnd> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  if (child.pid !== undefined) hooks.onStart?.(child.pid);
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  let complaint = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT);
  });
  createInterface({ input: child.stdout! }).on('line', hooks.onLine);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', end);
      resolve({ code, signal: killedBy, complaint: complaint.trim() });
    });
  });
}

/** How often it is looked whether somebody else has done, ms. */
const LOOK_MS = 200;

/** Whether a live process works on the run in `folder`. */
function isAtWork(folder: string): boolean {
  return lockHolder(lockOf(folder)) !== undefined;
}

/** Takes the run in `folder` for this process; `undefined` where another was quicker. */
function takeRun(folder: string): DirectoryLock | undefined {
  const path = lockOf(folder);
  try {
    storage(path, () => makeFolder(folder));
    return acquireLock(path, `the run's folder ${folder}`);
  } catch (error) {
    if (isAtWork(folder)) return undefined;
    throw error;
  }
}

/**
 * Resolves once no process works on the run in `folder`. `onWait` is told once who it is waited for. Where it was waited for a
 * sweep's child, its parent has a look's time to write what it came to. Rejects with the reason of `signal`.
 */
async function nobodyAtWork(folder: string, signal: AbortSignal, onWait: (pid: number) => void): Promise<void> {
  let waitedFor: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const pid = lockHolder(lockOf(folder));
    if (pid === undefined && waitedFor === undefined) return;
    if (pid !== undefined && pid !== waitedFor) onWait(pid);
    waitedFor = pid;
    await delay(LOOK_MS);
  }
}

function lockOf(folder: string): string {
  return join(folder, TRIAL_FILES.lock);
}

/** Evaluation episodes are drawn from this, whatever the seed: all seeds and variants are measured on the same. */
export const EVALUATION_SEED = 1;

/** The run of `variant` with `seed`. Of keys that study and variant both have, the variant's count; options are merged. */
export function trialSpecOf({ study, learners }: StudyFile, variant: string, seed: number): TrialSpec {
  const { environment, options, evaluation, steps, variants, ...shared } = study as EnvironmentStudy;
  const own = variants[variant]!;
  const learner = learners[variant]!;
  const demonstrations = own.demonstrations ?? shared.demonstrations ?? null;
  return {
    formatVersion: 1,
    environment: { name: environment, options: { ...options, ...own.options } },
    base: own.base ?? shared.base ?? null,
    overseer: own.overseer ?? shared.overseer ?? null,
    learner,
    seed,
    steps,
    randomSteps: own.randomSteps ?? shared.randomSteps ?? (demonstrations === null ? learner.warmupSteps : 0),
    evaluation: { ...evaluation, seed: EVALUATION_SEED },
    demonstrations,
    from: null,
  };
}
