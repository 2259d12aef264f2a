/** Folder of a trial: its ownership and its creation. `src/offline/trial-spec.ts` defines the content of `trial.json`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeFolder, replaceFileSync, storage } from '../../../../src/host/index.ts';
import { ReinError } from '../../../../src/model/index.ts';
import {
  checkEmpty,
  readStoredSpec,
  readTrialSpecIfAny,
  TRIAL_FILES,
  type TrialSpec,
} from '../../../../src/offline/index.ts';

/** Returns an unused path below `runs/`, named after environment, algorithm and seed. Creates nothing. */
export function freeTrialFolder({ environment, learner, seed }: TrialSpec, now: Date = new Date()): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  const path = join('runs', `${stamp}-${environment.name}-${learner.algorithm}-s${seed}`);
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? path : `${path}-${attempt}`;
    if (!existsSync(candidate)) return candidate;
  }
}

/**
 * Returns true if `folder` already holds the trial of `spec`; false if it is free for it. Throws `ReinError('storage')` if it
 * holds another trial, or anything else.
 */
export function holdsTrial(folder: string, spec: TrialSpec): boolean {
  if (readTrialSpecIfAny(folder) === undefined) {
    refuseOthers(folder);
    return false;
  }
  // Compared as stored there: keys unknown to an older version are no difference.
  const found = readStoredSpec(folder);
  const asStored: unknown = JSON.parse(JSON.stringify(spec));
  const differing = differences(found as Tree, asStored as Tree).slice(0, 3);
  if (differing.length === 0) return true;
  throw new ReinError('storage', `${folder} holds another trial: ${differing.join('; ')}.`, {
    remedy: 'Choose another folder with --out, or continue the one that is there with rein train --resume.',
  });
}

/**
 * Makes `folder` a trial of `spec`; returns false if it already is one. Throws as `holdsTrial` does, and if it cannot be written.
 * Two processes may both get true: a caller that then starts the trial holds the folder's lock around this call.
 */
export function writeTrialSpec(folder: string, spec: TrialSpec): boolean {
  if (holdsTrial(folder, spec)) return false;
  storage(folder, () => {
    makeFolder(folder);
    replaceFileSync(join(folder, TRIAL_FILES.spec), `${JSON.stringify(spec, undefined, 2)}\n`);
  });
  return true;
}

/** A trial accepts only an empty folder, as it overwrites files with its names. */
function refuseOthers(folder: string): void {
  // Leftovers of a trial that was killed as it began, and files of one that is beginning: its lock, and those waiting to take it.
  const own = (name: string): boolean => name === `${TRIAL_FILES.spec}.new` || name.startsWith(TRIAL_FILES.lock);
  checkEmpty(folder, 'is not empty and holds no trial', own);
}

type Tree = Readonly<Record<string, unknown>>;

/**
 * Returns one clause per key in which two specs differ: `learner.utd is 1 there and 20 here`. Keys that only the newer one has are
 * settings of a newer version, whose default is the behaviour of the older one.
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
