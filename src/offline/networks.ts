/** Initial networks of a training, and the networks that a trial has trained. */
import { join } from 'node:path';
import type { Close } from '../host/index.ts';
import { type AgentSpec, type CheckpointKind, readCheckpoint, Training, type TrainingState } from '../learner/index.ts';
import { type Environment, ReinError } from '../model/index.ts';
import type { LoadLab } from './lab.ts';
import { readTrialSpec, readTrialSpecIfAny, TRIAL_FILES, type TrialSpec } from './trial-spec.ts';

/** Opens the training of a trial in its environment. Rejects as `openTraining` does. */
export function openTrialTraining(
  { learner, seed }: TrialSpec,
  environment: Environment,
  closes: Close[],
): Promise<Training> {
  const { parts, actionSize, name } = environment;
  const remedy = "Change the learner's file or --set another value.";
  return openTraining(
    { parts, actionSize, config: learner, seed },
    { failure: `The learner cannot work in "${name}"`, remedy },
    closes,
  );
}

/** Opens a training; `closes` closes it. If the settings cannot work, rejects with `ReinError('config')`, prefixed with `failure`. */
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

/** Networks that a trial or a pre-training leaves for later trainings to start from. */
export const NETWORKS: CheckpointKind<TrainingState> = { unit: 'step', isComplete: () => true };

/**
 * Loads into `training` the networks and optimisers with which the trial or pre-training in `folder` ended. A damaged
 * checkpoint is skipped and reported to `onDamage`. Rejects with `ReinError` if there is no checkpoint, or it does not fit.
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

/** Environment of a trial, and a training with the trained networks. */
interface Trained {
  readonly environment: Environment;
  readonly training: Training;
}

/**
 * Opens the environment and training of the `rein train` run in `folder` and adds their closers to `closes`, even on failure.
 * Rejects with `ReinError` if there is no such run, and as `startFrom` does.
 */
export async function openTrained(
  folder: string,
  closes: Close[],
  say: (message: string) => void,
  loadLab: LoadLab,
): Promise<Trained> {
  const spec = readTrialSpec(folder);
  const environment = await (await loadLab()).environmentOf(spec);
  closes.push(() => environment.close());
  const training = await openTrialTraining(spec, environment, closes);
  await startFrom(training, folder, say);
  return { environment, training };
}
