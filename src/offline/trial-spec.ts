/** What one trial is: everything that its result depends on, as `trial.json` in its folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReinError, storage } from '../core/index.ts';
import { type LearnerConfig, learnerSchema } from '../learner/options.ts';
import { refusalOf } from '../schema/index.ts';

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

/** What an environment and who acts in it are told; each knows its own keys. */
export type EnvironmentOptions = Readonly<Record<string, number | boolean>>;

/** Episodes that are shown before training. */
export interface DemonstrationSpec {
  readonly episodes: number;
  /** How well the expert does it; which options there are, says the environment. */
  readonly skill: EnvironmentOptions;
  /** Whether an episode without success is left out and another one drawn. */
  readonly onlySuccesses: boolean;
  /** Whether they stay in replay once pre-training is over. Without, training goes on from the networks alone. */
  readonly areKept: boolean;
}

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
  const found = readStoredSpec(folder) as TrialSpec | undefined;
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

/** `trial.json` of `folder` as it is stored; `undefined` where there is none. Throws `ReinError('storage')` where it is no JSON. */
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
