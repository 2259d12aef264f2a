/** Networks that a training begins with, and those that a trial has come to. */
import { join } from 'node:path';
import { type Close, type Environment, ReinError } from '../core/index.ts';
import { type AgentSpec, type CheckpointKind, readCheckpoint, Training, type TrainingState } from '../learner/index.ts';
import type { LoadLab } from './lab.ts';
import { readTrialSpec, readTrialSpecIfAny, TRIAL_FILES, type TrialSpec } from './trial-spec.ts';

/** The training of a trial in its environment. Rejects as `openTraining` does. */
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
