/** `rein pretrain`: trains networks on stored transitions or demonstrations, for a training to start from. */
import { join } from 'node:path';
import { closedAfter, makeFolder, replaceFileSync, storage } from '../../host/index.ts';
import { type Pretraining, type Training, writeCheckpoint } from '../../learner/index.ts';
import type { LearnerConfig } from '../../learner/options.ts';
import { ReinError, totalObservationSize } from '../../model/index.ts';
import type { Transition } from '../../rows/index.ts';
import type { CollectedData, LoadLab } from '../lab.ts';
import { NETWORKS, openTraining } from '../networks.ts';
import { checkEmpty, TRIAL_FILES } from '../trial-spec.ts';
import { collectData, type PretrainingData } from './pretraining-data.ts';

/** Data, settings and output folder of a pre-training. */
export interface PretrainingRequest {
  readonly data: PretrainingData;
  readonly learner: LearnerConfig;
  readonly seed: number;
  /** Output folder: empty, or not there yet. */
  readonly out: string;
}

/** Result: `pretraining.json` in the folder. */
export interface PretrainingResult extends Pretraining {
  readonly transitions: number;
  /** SHA-256 of the whole state, hexadecimal. */
  readonly stateDigest: string;
}

const RESULT = 'pretraining.json';
const MISFIT_REMEDY = "Change the learner's file or --set another value, or give another --run or --env.";

/**
 * Trains on the data alone: clones its actions (`bcInitSteps`), then, if the algorithm supports it, learns offline
 * (`wsrl.offlineUpdates`). Leaves networks in `out` for `--from`. Unusable transitions are skipped and reported to `say`.
 * Rejects with `ReinError` if there is nothing to learn from, if the settings cannot work or ask for nothing, or if `out`
 * is not empty.
 */
export async function runPretraining(
  { data, learner, seed, out }: PretrainingRequest,
  say: (message: string) => void,
  loadLab: LoadLab,
): Promise<PretrainingResult> {
  checkEmpty(out, 'is not empty', () => false);
  const collected = await collectData(data, seed, say, loadLab, learner.interventions);
  return closedAfter(async (closes) => {
    const { name, parts, actionSize } = collected;
    const misfit = { failure: `The learner cannot learn from ${name}`, remedy: MISFIT_REMEDY };
    const training = await openTraining({ parts, actionSize, config: learner, seed }, misfit, closes);
    checkWork(training);
    checkTaken(collected, await fill(training, collected), training, say);
    const transitions = training.replay.counts().demonstrations;
    const phases = await training.pretrain();
    const result = { transitions, ...phases, stateDigest: await training.stateDigest() };
    const policy = await training.exportPolicy();
    storage(out, () => {
      makeFolder(out);
      replaceFileSync(join(out, TRIAL_FILES.policy), policy);
      replaceFileSync(join(out, RESULT), `${JSON.stringify(result, undefined, 2)}\n`);
    });
    // Last: a folder that has a checkpoint is complete.
    await writeCheckpoint(join(out, TRIAL_FILES.checkpoints), NETWORKS, 0, await training.state());
    return result;
  });
}

/** Throws `ReinError` if these settings would learn nothing. */
function checkWork({ agent: { algorithm, config } }: Training): void {
  const { bcInitSteps, wsrl } = config;
  const clones = algorithm.cloning !== undefined;
  if ((clones && bcInitSteps > 0) || (algorithm.offline !== undefined && wsrl.offlineUpdates > 0)) return;
  const cloning = clones ? `bcInitSteps is ${bcInitSteps}` : `${algorithm.name} does not clone`;
  const offline =
    algorithm.offline === undefined
      ? `${algorithm.name} does not learn offline`
      : `wsrl.offlineUpdates is ${wsrl.offlineUpdates}`;
  throw new ReinError('config', `Nothing would be learned: ${cloning}, and ${offline}.`, {
    remedy: clones ? 'Set bcInitSteps above 0.' : 'Choose another learner with --learner.',
  });
}

/** Passes the transitions to `training`. Resolves to those whose sizes differ from the data's task. */
async function fill(training: Training, data: CollectedData): Promise<readonly Transition[]> {
  const misfits: Transition[] = [];
  for (const transition of data.transitions) {
    transition.source = 'demo';
    // First: a transition of the wrong size may not hold a whole frame for an encoder.
    if (!hasSizes(transition, data)) misfits.push(transition);
    else await training.take(transition);
  }
  return misfits;
}

function hasSizes(
  { observation, nextObservation, executed }: Transition,
  { parts, actionSize }: CollectedData,
): boolean {
  const size = totalObservationSize(parts);
  return observation.length === size && nextObservation.length === size && executed.length === actionSize;
}

/** Throws `ReinError` if nothing was taken; reports skipped transitions: `misfits`, and those dropped by the replay. */
function checkTaken(
  data: CollectedData,
  misfits: readonly Transition[],
  { replay }: Training,
  say: (message: string) => void,
): void {
  const { demonstrations, dropped } = replay.counts();
  const left = { ...dropped, wrongSize: dropped.wrongSize + misfits.length };
  const why = Object.entries(left).filter(([, count]) => count > 0);
  if (demonstrations > 0 && why.length === 0) return;
  const { name, parts, actionSize, transitions } = data;
  const wanted = { observations: totalObservationSize(parts), actions: actionSize };
  const sizesOf = ({ observation, executed }: Transition) =>
    `observations of ${observation.length} numbers and actions of ${executed.length}`;
  const [misfit] = misfits;
  const reasons = why.map(([reason, count]) => `${count} ${reason}`).join(', ');
  const sizes =
    misfit === undefined
      ? ''
      : `: ${name} holds ${sizesOf(misfit)}, where ${wanted.observations} and ${wanted.actions} are needed`;
  const offered = `${transitions.length} transitions were offered${reasons === '' ? '' : ` (${reasons})`}${sizes}`;
  if (demonstrations > 0) {
    say(`Only ${demonstrations} transitions are learned from: ${offered}.`);
    return;
  }
  throw new ReinError('storage', `There is nothing to learn from: ${offered}.`, {
    remedy:
      misfit === undefined
        ? 'Give a run that has recorded something, or ask for demonstrations.'
        : 'Give a folder whose configuration is the one that its transitions were recorded with.',
  });
}
