/** Specification of one trial: everything that its result depends on, stored as `trial.json` in its folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { storage } from '../host/index.ts';
import { type LearnerConfig, learnerSchema } from '../learner/options.ts';
import { ReinError } from '../model/index.ts';
import { refusalOf } from '../schema/index.ts';

/** Files of a trial's folder. */
export const TRIAL_FILES = {
  spec: 'trial.json',
  /** One line per evaluation; depends on the spec alone, so two runs of one spec are byte-identical. */
  curve: 'curve.jsonl',
  /** Log of events, with wall times. */
  events: 'events.jsonl',
  /** A journal as on robots, of one file. */
  transitions: 'journal',
  checkpoints: 'checkpoints',
  policy: 'policy.onnx',
  /** Written last: its presence marks a finished trial. */
  result: 'result.json',
  lock: 'trial.lock',
} as const;

/** Options of an environment, its scripted expert or overseer; each defines its own keys. */
export type EnvironmentOptions = Readonly<Record<string, number | boolean>>;

/** Demonstration episodes given before training. */
export interface DemonstrationSpec {
  readonly episodes: number;
  /** Skill of the expert; the environment defines the keys. */
  readonly skill: EnvironmentOptions;
  /** True if an episode without success is discarded and another one drawn. */
  readonly onlySuccesses: boolean;
  /** True if demonstrations stay in replay after pre-training. Otherwise training continues from the networks alone. */
  readonly areKept: boolean;
}

/** A trial: equal specs have equal curves, bit for bit. */
export interface TrialSpec {
  readonly formatVersion: 1;
  readonly environment: { readonly name: string; readonly options: EnvironmentOptions };
  /** A frozen, scripted base policy whose action is a part of the observation, with its skill; `null` for none. */
  readonly base: EnvironmentOptions | null;
  /** Scripted operator that takes over when the policy is stuck, in the first `untilStep` steps; `null` for none. */
  readonly overseer: { readonly options: EnvironmentOptions; readonly untilStep: number } | null;
  readonly learner: LearnerConfig;
  readonly seed: number;
  /** Environment steps. */
  readonly steps: number;
  /** Steps at the start whose actions are drawn uniformly from [−1, 1]^A. */
  readonly randomSteps: number;
  /** Noise-free evaluation episodes, every `everySteps` steps, drawn from this `seed`, not the trial's. */
  readonly evaluation: { readonly everySteps: number; readonly episodes: number; readonly seed: number };
  readonly demonstrations: DemonstrationSpec | null;
  /** Folder of a finished trial or a pre-training whose networks this one begins with. */
  readonly from: string | null;
}

/** Returns the spec of the trial in `folder`. Throws `ReinError` if there is none. */
export function readTrialSpec(folder: string): TrialSpec {
  const spec = readTrialSpecIfAny(folder);
  if (spec !== undefined) return spec;
  throw new ReinError('storage', `${folder} holds no trial: there is no ${join(folder, TRIAL_FILES.spec)}.`, {
    remedy: 'Give the folder that rein train --out made.',
  });
}

/** Like `readTrialSpec`, but `undefined` if there is none. Throws `ReinError` if the spec is unreadable. */
export function readTrialSpecIfAny(folder: string): TrialSpec | undefined {
  const found = readStoredSpec(folder) as TrialSpec | undefined;
  if (found === undefined) return undefined;
  if (found?.formatVersion !== 1 || typeof found.steps !== 'number' || typeof found.learner !== 'object') {
    const path = join(folder, TRIAL_FILES.spec);
    throw new ReinError('storage', `${path} is not a trial of this version of Rein.`, {
      remedy: 'Continue it with the version that began it, or begin a new one.',
    });
  }
  // Settings unknown to the older version that wrote the spec take their defaults.
  const refusal = refusalOf(learnerSchema, found.learner);
  if (refusal === undefined) return { ...found, learner: learnerSchema.parse(found.learner) };
  throw new ReinError('storage', `${join(folder, TRIAL_FILES.spec)} has a learner that is wrong: ${refusal}.`, {
    remedy: 'Continue it with the version that began it, or begin a new one.',
  });
}

/** Parsed `trial.json` of `folder`; `undefined` if there is none. Throws `ReinError('storage')` if it is not JSON. */
export function readStoredSpec(folder: string): unknown {
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

/**
 * Throws `ReinError('storage')` if `folder` contains anything that `isOwn` does not know, or cannot be read; a missing folder
 * counts as empty. `state`: description of a non-empty folder, for display.
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
