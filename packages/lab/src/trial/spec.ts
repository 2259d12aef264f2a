/** The folder of a trial: whose it is, and how it begins. What stands in `trial.json` says `src/offline/trial-spec.ts`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeFolder, ReinError, replaceFileSync, storage } from '../../../../src/core/index.ts';
import {
  checkEmpty,
  readStoredSpec,
  readTrialSpecIfAny,
  TRIAL_FILES,
  type TrialSpec,
} from '../../../../src/offline/index.ts';

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
  const found = readStoredSpec(folder);
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
