/**
 * Runs a study: every variant with every seed, each in its own process and folder. A sweep that has ended for any reason can be
 * continued: finished runs are left alone, begun ones continue from their checkpoints. Runs held by another process, i.e. a second
 * sweep or a child of a killed one, are waited for.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { PROGRAM } from '../../../../src/cli/index.ts';
import type { EnvironmentStudy } from '../../../../src/config/index.ts';
import type { StudyFile } from '../../../../src/config/study-file.ts';
import { acquireLock, type DirectoryLock, lockHolder, makeFolder, storage } from '../../../../src/host/index.ts';
import { counted, type Environment, ReinError, Rng } from '../../../../src/model/index.ts';
import { TRIAL_FILES, type TrialSpec } from '../../../../src/offline/index.ts';
import { type SeedCurve, type StudyCurves, sampleOf } from '../curves/samples.ts';
import { holdsTrial, writeTrialSpec } from '../trial/spec.ts';
import { readCurve, readResult } from '../trial/trial-files.ts';
import { TrialParts } from '../trial/trial-parts.ts';
import { robotCommand, takeRobotResult } from './robot-run.ts';

/** Study to run, and its options. */
export interface SweepOptions {
  readonly study: StudyFile;
  /** Holds one folder per run. */
  readonly folder: string;
  /** Number of concurrent runs. */
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

/** Runs what is missing; resolves to one sentence per failed run. Throws `ReinError` before any begins if one cannot begin. */
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
 * Throws `ReinError('storage')` if a run folder of the sweep holds another trial than this study's of that name, which would be
 * judged as this study's. Runs on robots do not record their spec and are not checked.
 */
export function checkRuns({ study, folder }: Pick<SweepOptions, 'study' | 'folder'>): void {
  if (study.study.kind !== 'environment') return;
  for (const run of runsOf({ study, folder })) holdsTrial(run.folder, trialSpecOf(study, run.variant, run.seed));
}

/** Curves of the runs in the sweep's folder so far: `all` of them, including unfinished ones, or the `finished` ones. */
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

/** Opens and closes everything that a run of each variant in `missing` needs, so that errors are reported before the first one begins. */
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

/** Throws `ReinError('config')` if the study measures success, but `environment`, which is reset here, does not report it. */
function checkMeasures({ name, study }: StudyFile, environment: Environment): void {
  const isAsked = [study, ...study.checks].some(({ measure }) => measure === 'success');
  environment.reset(new Rng(0));
  if (!isAsked || environment.isSuccess !== undefined) return;
  const message = `The study ${name} measures success, which the environment "${environment.name}" does not report: it has returns and costs.`;
  throw new ReinError('config', message, { remedy: 'Write measure: return or measure: cost, in the checks as well.' });
}

/** Ordered by seed: after the first round all variants can be compared. */
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

/** Resolves to the reason of a failure, or to `undefined` if the run is finished. */
async function runOne(run: Run, options: SweepOptions): Promise<string | undefined> {
  const { signal, say } = options;
  const name = nameOf(run);
  let failure: string | undefined;
  do {
    await nobodyAtWork(run.folder, signal, (pid) => say(`${name}: waits for process ${pid}, which works on this run`));
    if (readResult(run.folder) === undefined) failure = await tryOnce(run, options);
    if (signal.aborted) return undefined;
    // If another process holds the run, its missing result is not this run's failure.
  } while (readResult(run.folder) === undefined && isAtWork(run.folder));
  if (readResult(run.folder) === undefined) return failure;
  say(`${name}: finished`);
  tidy(run.folder);
  return undefined;
}

/** Runs it to its end once; resolves to a description of its end, for use if there is no result. */
async function tryOnce(run: Run, { study, signal, say }: SweepOptions): Promise<string> {
  const { variant, seed, folder } = run;
  const name = nameOf(run);
  const onLine = (line: string): void => {
    if (line.startsWith('step ')) say(`${name}: ${line}`);
  };
  // The child takes the folder's lock itself.
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

/** A finished run of a sweep no longer needs its transitions: with images they are most of its data. */
function tidy(folder: string): void {
  for (const name of [TRIAL_FILES.transitions, TRIAL_FILES.checkpoints, TRIAL_FILES.lock]) {
    // Another sweep that waited for this run may do the same at the same time.
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Number of characters kept of a child's standard error. */
const MAX_COMPLAINT = 600;

interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** End of its standard error. */
  readonly complaint: string;
}

/** Callbacks of a running child. */
interface ChildHooks {
  /** Called with its process id, as soon as it has one. */
  readonly onStart?: (pid: number) => void;
  /** Called with each line that it prints. */
  readonly onLine: (line: string) => void;
}

/**
 * Runs `rein ARGS` to its end, or until `signal` aborts. The child has a channel to this process and ends when that closes, so that none
 * survives if this process is killed. Rejects if it cannot be started.
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

/** Polling period while waiting for another process, ms. */
const LOOK_MS = 200;

/** True if a live process works on the run in `folder`. */
function isAtWork(folder: string): boolean {
  return lockHolder(lockOf(folder)) !== undefined;
}

/** Takes the run in `folder` for this process; `undefined` if another process was faster. */
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
 * Resolves once no process works on the run in `folder`. `onWait` is called once with the id of each process waited for. After waiting for
 * a child of another sweep, its parent gets one polling period to write the result. Rejects with the reason of `signal`.
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

/** Seed of evaluation episodes, independent of the run's seed: all seeds and variants are evaluated on the same episodes. */
export const EVALUATION_SEED = 1;

/** Returns the spec of `variant` with `seed`. A key of the variant overrides the study's; options are merged. */
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
