/** What one trial is: everything that its result depends on, as `trial.json` in its folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeFolder, ReinError, replaceFileSync, storage } from '../../core/index.ts';
import { type LearnerConfig, learnerSchema } from '../../learner/options.ts';
import { refusalOf } from '../../schema/index.ts';
import type { DemonstrationSpec } from '../environments/demonstrations.ts';
import type { EnvironmentOptions } from '../environments/environments.ts';

/** Files of a trial's folder. */
export const TRIAL_FILES = {
  spec: 'trial.json',
  /** One line an evaluation; depends on the spec alone, so two runs of one spec are the same byte for byte. */
  curve: 'curve.jsonl',
  /** What happened when, with wall times. */
  events: 'events.jsonl',
  /** A journal as robots keep it, of one file. */
  transitions: 'journal',
  checkpoints: 'checkpoints',
  policy: 'policy.onnx',
  /** Written last: a trial that has it is finished. */
  result: 'result.json',
  lock: 'trial.lock',
} as const;

/** A trial: equal specs have equal curves, bit for bit. */
export interface TrialSpec {
  readonly formatVersion: 1;
  readonly environment: { readonly name: string; readonly options: EnvironmentOptions };
  /** A frozen, scripted base policy whose action is a part of the observation, with its skill; `null` for none. */
  readonly base: EnvironmentOptions | null;
  /** A scripted person who takes over in the first `untilStep` steps where the policy gets nowhere; `null` for none. */
  readonly overseer: { readonly options: EnvironmentOptions; readonly untilStep: number } | null;
  readonly learner: LearnerConfig;
  readonly seed: number;
  /** Environment steps. */
  readonly steps: number;
  /** Steps at the start whose actions are drawn uniformly from [−1, 1]^A. */
  readonly randomSteps: number;
  /** Noiseless episodes, every so many steps, drawn from `seed` here and not from the trial's. */
  readonly evaluation: { readonly everySteps: number; readonly episodes: number; readonly seed: number };
  readonly demonstrations: DemonstrationSpec | null;
  /** Folder of a finished trial or a pre-training whose networks this one begins with. */
  readonly from: string | null;
}

/** A path below `runs/` at which there is nothing, named after environment, algorithm and seed. Nothing is made. */
export function freeTrialFolder({ environment, learner, seed }: TrialSpec, now: Date = new Date()): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  const path = join('runs', `${stamp}-${environment.name}-${learner.algorithm}-s${seed}`);
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? path : `${path}-${attempt}`;
    if (!existsSync(candidate)) return candidate;
  }
}

/**
 * Whether `folder` holds the trial of `spec` already; false where there is room for it. Throws `ReinError('storage')` where it
 * holds another, or anything else.
 */
export function holdsTrial(folder: string, spec: TrialSpec): boolean {
  if (readTrialSpecIfAny(folder) === undefined) {
    refuseOthers(folder);
    return false;
  }
  // As it is written there: what an older version did not know is no difference.
  const found = readSpecIfAny(folder);
  const asStored: unknown = JSON.parse(JSON.stringify(spec));
  const differing = differences(found as Tree, asStored as Tree).slice(0, 3);
  if (differing.length === 0) return true;
  throw new ReinError('storage', `${folder} holds another trial: ${differing.join('; ')}.`, {
    remedy: 'Choose another folder with --out, or continue the one that is there with rein train --resume.',
  });
}

/**
 * Makes `folder` a trial of `spec`; false where it is one already. Throws as `holdsTrial` does, and where it cannot be written.
 * Two processes may both be told that it is theirs: whoever then begins with it holds the folder's lock around this.
 */
export function writeTrialSpec(folder: string, spec: TrialSpec): boolean {
  if (holdsTrial(folder, spec)) return false;
  storage(folder, () => {
    makeFolder(folder);
    replaceFileSync(join(folder, TRIAL_FILES.spec), `${JSON.stringify(spec, undefined, 2)}\n`);
  });
  return true;
}

/** A trial takes only what is empty: it writes over what has the names of its files. */
function refuseOthers(folder: string): void {
  // What a trial leaves that was killed as it began, and what one has that begins: its lock, and those who wait to take it.
  const own = (name: string): boolean => name === `${TRIAL_FILES.spec}.new` || name.startsWith(TRIAL_FILES.lock);
  checkEmpty(folder, 'is not empty and holds no trial', own);
}

/** The spec of the trial in `folder`. Throws `ReinError` where there is none. */
export function readTrialSpec(folder: string): TrialSpec {
  const spec = readTrialSpecIfAny(folder);
  if (spec !== undefined) return spec;
  throw new ReinError('storage', `${folder} holds no trial: there is no ${join(folder, TRIAL_FILES.spec)}.`, {
    remedy: 'Give the folder that rein train --out made.',
  });
}

/** The same, `undefined` where there is none. Throws `ReinError` where what there is cannot be read. */
export function readTrialSpecIfAny(folder: string): TrialSpec | undefined {
  const found = readSpecIfAny(folder) as TrialSpec | undefined;
  if (found === undefined) return undefined;
  if (found?.formatVersion !== 1 || typeof found.steps !== 'number' || typeof found.learner !== 'object') {
    const path = join(folder, TRIAL_FILES.spec);
    throw new ReinError('storage', `${path} is not a trial of this version of Rein.`, {
      remedy: 'Continue it with the version that began it, or begin a new one.',
    });
  }
  // Written by an older version: what it did not know has its default.
  const refusal = refusalOf(learnerSchema, found.learner);
  if (refusal === undefined) return { ...found, learner: learnerSchema.parse(found.learner) };
  throw new ReinError('storage', `${join(folder, TRIAL_FILES.spec)} has a learner that is wrong: ${refusal}.`, {
    remedy: 'Continue it with the version that began it, or begin a new one.',
  });
}

function readSpecIfAny(folder: string): unknown {
  const path = join(folder, TRIAL_FILES.spec);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new ReinError('storage', `${path} cannot be read: ${(cause as Error).message}.`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ReinError('storage', `${path} is not JSON.`, {
      remedy: 'Begin again in another folder with --out.',
      cause,
    });
  }
}

type Tree = Readonly<Record<string, unknown>>;

/**
 * One clause for each key in which two specs differ: `learner.utd is 1 there and 20 here`. Keys that only the newer one has are
 * settings that came with a newer version, whose default is what the older one did.
 */
function differences(there: Tree, here: Tree, prefix = ''): string[] {
  return Object.keys(there).flatMap((key) => {
    const [a, b] = [there[key], here[key]];
    if (isDeepStrictEqual(a, b)) return [];
    if (isTree(a) && isTree(b)) return differences(a, b, `${prefix}${key}.`);
    return [`${prefix}${key} is ${JSON.stringify(a)} there and ${JSON.stringify(b)} here`];
  });
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Throws `ReinError('storage')` where `folder` holds anything that `isOwn` does not know, or cannot be read; one that is not
 * there is empty. `state`: what the folder is then, for people.
 */
export function checkEmpty(folder: string, state: string, isOwn: (name: string) => boolean): void {
  const others = namesIn(folder).filter((name) => !isOwn(name));
  if (others.length === 0) return;
  const shown = others.length > 3 ? [...others.slice(0, 3), '…'] : others;
  throw new ReinError('storage', `${folder} ${state}: ${shown.join(', ')}.`, {
    remedy: 'Choose another folder with --out.',
  });
}

function namesIn(folder: string): string[] {
  return storage(folder, () => {
    try {
      return readdirSync(folder).sort();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw cause;
    }
  });
}
