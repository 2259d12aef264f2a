/**
 * Everything that a trial works with, opened before anything of it is written: a trial that cannot be is refused here, and leaves
 * nothing behind.
 */
import { join } from 'node:path';
import { type Close, closeAll, type Environment, openedOrClosed, ReinError } from '../../core/index.ts';
import {
  type AgentSpec,
  type CheckpointKind,
  readCheckpoint,
  Training,
  type TrainingState,
} from '../../learner/index.ts';
import type { Demonstrator, Overseer } from '../../sim/index.ts';
import { createStudyEnvironment, type StudyEnvironment } from '../environments/environments.ts';
import { type Actor, openActor } from './actor.ts';
import { readTrialSpec, readTrialSpecIfAny, TRIAL_FILES, type TrialSpec } from './spec.ts';

export interface TrialParts {
  /** The environment that is learned in. */
  readonly own: StudyEnvironment;
  readonly evaluation: StudyEnvironment;
  readonly training: Training;
  readonly actor: Actor;
  /** Who shows how it is done, and who watches, where the spec asks for them. */
  readonly expert: Demonstrator | undefined;
  readonly overseer: Overseer | undefined;
  /** Closes all of them. Rejects with the first error, once all have been tried. */
  readonly close: () => Promise<void>;
}

export const TrialParts = {
  /** Rejects with `ReinError` where one of them cannot be had, or they do not fit one another; nothing is then left open. */
  async open(spec: TrialSpec): Promise<TrialParts> {
    const closes: Close[] = [];
    const opened = await openedOrClosed(closes, () => openAll(spec, closes));
    return { ...opened, close: () => closeAll(closes) };
  },
};

async function openAll(spec: TrialSpec, closes: Close[]): Promise<Omit<TrialParts, 'close'>> {
  const { demonstrations, overseer } = spec;
  const [own, evaluation] = [await openEnvironment(spec, closes), await openEnvironment(spec, closes)];
  const people = {
    expert: demonstrations === null ? undefined : own.expert(demonstrations.skill),
    overseer: overseer === null ? undefined : own.overseer(overseer.options),
  };
  const training = await openTrialTraining(spec, own.environment, closes);
  const actor = await openActor(training);
  closes.push(() => actor.close());
  return { own, evaluation, ...people, training, actor };
}

async function openEnvironment({ environment, base }: TrialSpec, closes: Close[]): Promise<StudyEnvironment> {
  const made = await createStudyEnvironment(environment.name, environment.options, base);
  closes.push(() => made.environment.close());
  return made;
}

function openTrialTraining({ learner, seed }: TrialSpec, environment: Environment, closes: Close[]): Promise<Training> {
  const { parts, actionSize, name } = environment;
  const remedy = "Change the learner's file or --set another value.";
  return openTraining(
    { parts, actionSize, config: learner, seed },
    { failure: `The learner cannot work in "${name}"`, remedy },
    closes,
  );
}

/** Opens a training, which `closes` closes. Rejects with `ReinError('config')`, which begins with `failure`, where the settings cannot work. */
export async function openTraining(
  spec: AgentSpec,
  { failure, remedy }: { readonly failure: string; readonly remedy: string },
  closes: Close[],
): Promise<Training> {
  try {
    const training = await Training.open(spec);
    closes.push(() => training.close());
    return training;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new ReinError('config', `${failure}: ${cause.message}.`, { remedy, cause });
  }
}

/** What a trial and a pre-training leave for others to begin with. */
export const NETWORKS: CheckpointKind<TrainingState> = { unit: 'step', isComplete: () => true };

/**
 * Gives `training` the networks and optimisers that the trial or pre-training in `folder` ended with. A checkpoint that is damaged
 * is passed over with a sentence to `onDamage`. Rejects with `ReinError` where there is no such thing, or it does not fit.
 */
export async function startFrom(
  training: Training,
  folder: string,
  onDamage: (message: string) => void,
): Promise<void> {
  const found = await readCheckpoint(join(folder, TRIAL_FILES.checkpoints), NETWORKS, onDamage);
  if (found === undefined) {
    throw new ReinError('checkpoint', `${folder} holds no networks to begin with.`, {
      remedy: 'Give the folder of a finished rein train or rein pretrain.',
    });
  }
  const encoderFile = readTrialSpecIfAny(folder)?.learner.encoder.frozen?.file;
  await training.beginWith(found.path, found.checkpoint, encoderFile);
}

/** A trial's environment, and a training with the networks that it has come to. */
interface Trained {
  readonly environment: Environment;
  readonly training: Training;
}

/**
 * Opens what the run of `rein train` in `folder` was trained with and adds what closes it to `closes`, also where it fails. Rejects
 * with `ReinError` where there is no such run, and as `startFrom` does.
 */
export async function openTrained(folder: string, closes: Close[], say: (message: string) => void): Promise<Trained> {
  const spec = readTrialSpec(folder);
  const { environment } = await openEnvironment(spec, closes);
  const training = await openTrialTraining(spec, environment, closes);
  await startFrom(training, folder, say);
  return { environment, training };
}
