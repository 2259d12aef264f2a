/** `rein export`: writes a trained policy as one self-contained model file, or a trained encoder. */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadResolvedConfig, type ResolvedConfig } from '../../config/index.ts';
import { createSetup, taskActionOf } from '../../config/setup.ts';
import { closedAfter, makeFolder, replaceFileSync, storage } from '../../host/index.ts';
import { checkpointsIn, readLearnerCheckpoint, Training } from '../../learner/index.ts';
import { readJournal } from '../../link/index.ts';
import { ReinError, Rng } from '../../model/index.ts';
import { savePolicyFile, statedAction } from '../../policy/index.ts';
import { RUN_FILES } from '../../record/index.ts';
import type { LoadLab } from '../lab.ts';
import { openTrained } from '../networks.ts';
import { TRIAL_FILES } from '../trial-spec.ts';
import { type ActionMeaning, meaningIn, meaningOnRobot } from './action-meaning.ts';
import { openActor } from './actor.ts';
import { checkGoldenBatch, type GoldenCheck, goldenObservations } from './golden-batch.ts';

/** Number of observations on which a policy is tried before it is written. */
const GOLDEN = 256;

/** Result of an export. */
export interface ExportedPolicy extends GoldenCheck {
  readonly path: string;
  readonly algorithm: string;
  readonly observationSize: number;
  readonly actionSize: number;
}

/**
 * Writes the newest policy of the run in `folder` to `out`: of `rein train`, or of a robot's learner, whose manifest is
 * written beside it. Encoder, statistics and action map are inside the model; the meaning of its numbers is in its metadata.
 * Rejects with `ReinError` if there is no such run, or if the model deviates from the learner's networks or from how its
 * actions are executed; then nothing is written.
 */
export async function exportPolicy(
  folder: string,
  out: string,
  say: (message: string) => void,
  loadLab: LoadLab,
): Promise<ExportedPolicy> {
  if (existsSync(join(folder, TRIAL_FILES.spec))) return exportTrial(folder, out, say, loadLab);
  if (existsSync(join(folder, RUN_FILES.config))) return exportRun(folder, out, say);
  throw new ReinError(
    'config',
    `${folder} is no run: it has neither ${TRIAL_FILES.spec} (of rein train) nor ${RUN_FILES.config} (of rein sim and rein learn).`,
    { remedy: 'Give the folder of a run.' },
  );
}

/** Files that `exportPolicy` writes. */
export function exportedFiles(folder: string, out: string): readonly string[] {
  return existsSync(join(folder, TRIAL_FILES.spec)) ? [out] : [out, manifestOf(out)];
}

function manifestOf(out: string): string {
  return out.replace(/(\.onnx)?$/, '.json');
}

function exportTrial(
  folder: string,
  out: string,
  say: (message: string) => void,
  loadLab: LoadLab,
): Promise<ExportedPolicy> {
  return closedAfter(async (closes) => {
    const { environment, training } = await openTrained(folder, closes, say, loadLab);
    const { name, parts, actionSize, periodS } = environment;
    const metadata = {
      environment: name,
      parts: JSON.stringify(parts),
      action: JSON.stringify({ kind: 'normalised', size: actionSize, periodS }),
      commandOf: `environment ${name}, for one step of ${periodS} s`,
    };
    const exported = { training, metadata, meaning: meaningIn(environment) };
    const { model, golden } = await verifiedModel(exported, goldenObservations(environment, GOLDEN));
    writeModel(out, model);
    return { ...golden, path: out };
  });
}

function exportRun(folder: string, out: string, say: (message: string) => void): Promise<ExportedPolicy> {
  const config = loadResolvedConfig(join(folder, RUN_FILES.config));
  const setup = createSetup(config);
  const { observationSize, parts, actionSize, schemaHash, task } = setup;
  return closedAfter(async (closes) => {
    const training = await Training.open({ parts, actionSize, config: config.learner, seed: config.seed });
    closes.push(() => training.close());
    const found = await readLearnerCheckpoint(folder, schemaHash, say);
    if (found === undefined) {
      throw new ReinError('checkpoint', `There is no checkpoint in ${checkpointsIn(folder)}.`, {
        remedy: 'Let the learner run until its first checkpoint, or take the policy.onnx of the run.',
      });
    }
    const { path, checkpoint } = found;
    await training.restore(path, checkpoint);
    const names = { robot: config.robot.name, task: config.task.name };
    const { runId, replay } = checkpoint;
    // From a checkpoint before the first publication: version 0 would mean "no weights" to robots.
    const version = Math.max(1, checkpoint.policyVersion);
    const action = statedAction(taskActionOf(setup));
    const metadata = { schemaHash, runId, version: String(version), ...names, action, commandOf: moved(config) };
    const exported = { training, metadata, meaning: meaningOnRobot(task.action, config) };
    const { model, golden } = await verifiedModel(exported, recorded(folder, observationSize));
    const manifest = {
      runId,
      version,
      parent: null,
      trainingStep: replay.online,
      updates: training.updates,
      schemaHash,
      observationSize,
      actionSize,
      ...names,
      createdAt: new Date().toISOString(),
    };
    await saveAs(out, (place) => savePolicyFile(place, model, manifest));
    return { ...golden, path: out };
  });
}

/** Description of what a robot's command changes, for display. */
function moved({ robot, task }: ResolvedConfig): string {
  const joints = robot.base === undefined ? "joints' set-points" : "base's axes";
  const what = task.action.kind === 'cartesian' ? "tool's set-point in the base frame" : joints;
  return `change of the ${what}, for one step of ${1 / task.policyHz} s`;
}

/** Observations of the run's journal, padded with standard normal draws, since observations are scaled to that range. */
function recorded(folder: string, observationSize: number): Float32Array[] {
  const observations: Float32Array[] = [];
  for (const { observation } of readJournal(join(folder, 'journal'))) {
    observations.push(observation);
    if (observations.length >= GOLDEN) return observations;
  }
  const rng = new Rng(1);
  while (observations.length < GOLDEN) {
    const drawn = new Float32Array(observationSize);
    rng.fillNormal(drawn);
    observations.push(drawn);
  }
  return observations;
}

interface Exported {
  readonly training: Training;
  readonly metadata: Readonly<Record<string, string>>;
  readonly meaning: ActionMeaning;
}

/** Exports the model after checking its outputs on `observations`. */
async function verifiedModel(
  { training, metadata, meaning }: Exported,
  observations: readonly Float32Array[],
): Promise<{ readonly model: Uint8Array; readonly golden: Omit<ExportedPolicy, 'path'> }> {
  const model = await training.exportPolicy(metadata, meaning.ranges);
  const actor = await openActor(training);
  try {
    const { observationSize, actionSize } = actor;
    const seen = observations.map((observation) => observation.slice(0, observationSize));
    const golden = await checkGoldenBatch(model, actor, seen, meaning);
    return { model, golden: { observationSize, actionSize, ...golden, algorithm: training.agent.algorithm.name } };
  } finally {
    await actor.close();
  }
}

/** Lets `save` write model and manifest into a temporary folder, then renames both to their requested paths. */
async function saveAs(out: string, save: (folder: string) => Promise<string>): Promise<void> {
  const target = resolve(out);
  const place = storage(out, () => {
    makeFolder(dirname(target));
    return mkdtempSync(join(dirname(target), '.export-'));
  });
  try {
    const model = await save(place);
    storage(out, () => {
      renameSync(model, target);
      renameSync(model.replace(/onnx$/, 'json'), manifestOf(target));
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Throws `ReinError('storage')`. */
function writeModel(out: string, model: Uint8Array): void {
  storage(out, () => {
    makeFolder(dirname(resolve(out)));
    replaceFileSync(out, model);
  });
}

/**
 * Writes the convolutions trained by the `rein train` run in `folder` to `out`, for `encoder.frozen.file`. Rejects with
 * `ReinError` if there is no such run, or it has trained none.
 */
export function exportEncoder(
  folder: string,
  out: string,
  say: (message: string) => void,
  loadLab: LoadLab,
): Promise<void> {
  return closedAfter(async (closes) => {
    const { environment, training } = await openTrained(folder, closes, say, loadLab);
    const model = await training.agent.exportEncoder();
    if (model === undefined) {
      const why = training.encoder === undefined ? `"${environment.name}" has no image` : 'its encoder is a frozen one';
      throw new ReinError('config', `${folder} has trained no encoder: ${why}.`, {
        remedy: 'Give a run of an environment with an image, whose encoder has channels.',
      });
    }
    writeModel(out, model);
  });
}
