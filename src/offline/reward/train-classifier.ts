/** `rein reward train`: trains a classifier on labelled states; threshold and metrics come from held-out states. */
import { observationSize, ReinError, Rng } from '../../model/index.ts';
import { episodeText, type LabelFile, type LabelledState, readLabels } from '../../record/index.ts';
import { type RewardManifest, saveRewardClassifier } from '../../tasks/index.ts';
import { ClassifierStates, chooseFields, foldsOf, withTrainer } from './classifier-data.ts';
import { calibrationOf, chooseThreshold, countAt, type Scored } from './threshold.ts';

export interface TrainClassifierOptions {
  readonly labels: string;
  /** `reward.onnx`; its manifest is written beside it. */
  readonly out: string;
  /** Smallest acceptable precision on held-out states. */
  readonly precision: number;
  readonly folds: number;
  /** Fields of the newest frame that the classifier reads; absent: `chooseFields`. */
  readonly fields?: readonly string[] | undefined;
  readonly seed: number;
  readonly createdAt: Date;
}

/** The trained classifier, and the number of unreadable lines skipped. */
export interface TrainedClassifier {
  readonly manifest: Omit<RewardManifest, 'digest'>;
  readonly skipped: number;
  /** Held-out probability of each state, in the order of the file. */
  readonly heldOut: readonly Scored[];
}

/** Smallest number of states of each class; fewer do not generalise. */
const LEAST_OF_A_KIND = 10;
/** Trains, cross-validates, calibrates and writes. The same labels and seed give the same file, bit for bit. Rejects with `ReinError`. */
export async function trainClassifier(options: TrainClassifierOptions): Promise<TrainedClassifier> {
  const { labels, out, precision, seed } = options;
  const file = readLabels(labels);
  checkEnough(labels, file.states);
  const folds = foldsOf(file.states, options.folds, new Rng(seed).fork('folds'));
  const names = options.fields ?? (await chooseFields(file, folds, seed));
  const data = new ClassifierStates(file, names);
  return withTrainer(data, async (trainer) => {
    const { calibration, scored } = await data.heldOut(trainer, folds, seed);
    const threshold = thresholdFor(scored, precision);
    const onnx = data.model(await trainer.fit(data, seed), calibration);
    const manifest = manifestOf({ file, names, heldOut: scored, threshold, options, folds: 1 + Math.max(...folds) });
    saveRewardClassifier(out, onnx, manifest);
    return { manifest, skipped: file.skipped, heldOut: scored };
  });
}

function thresholdFor(heldOut: readonly Scored[], precision: number): number {
  const threshold = chooseThreshold(heldOut, precision);
  if (threshold !== undefined) return threshold;
  const best = Math.max(...heldOut.map(({ probability }) => countAt(heldOut, probability).precision.rate));
  throw new ReinError(
    'config',
    `No threshold has a precision of ${precision} on held-out states; the best has ${best.toFixed(3)}.`,
    { remedy: 'Label more states, mine false positives (rein reward check --mine), or ask for less with --precision.' },
  );
}

function checkEnough(path: string, states: readonly LabelledState[]): void {
  const positives = states.filter(({ success }) => success);
  const negatives = states.filter(({ success }) => !success);
  const remedy = 'Collect more: rein reward collect RUN --by task --out FILE appends to the file.';
  for (const [kind, found] of [
    ['successes', positives],
    ['other states', negatives],
  ] as const) {
    if (found.length >= LEAST_OF_A_KIND && new Set(found.map(episodeText)).size > 1) continue;
    const episodes = new Set(found.map(episodeText)).size;
    throw new ReinError(
      'config',
      `${path} has ${found.length} ${kind} of ${episodes} ${episodes === 1 ? 'episode' : 'episodes'}: a classifier needs ${LEAST_OF_A_KIND} of two episodes at least.`,
      { remedy },
    );
  }
}

interface ManifestParts {
  readonly file: LabelFile;
  readonly names: readonly string[];
  readonly heldOut: readonly Scored[];
  readonly threshold: number;
  readonly options: TrainClassifierOptions;
  readonly folds: number;
}

function manifestOf({
  file,
  names,
  heldOut,
  threshold,
  options,
  folds,
}: ManifestParts): Omit<RewardManifest, 'digest'> {
  const { header, states, digest } = file;
  const { task, robot, schemaHash, observation } = header;
  const { precision, recall, falsePositives, falseNegatives } = countAt(heldOut, threshold);
  const { brier, error } = calibrationOf(heldOut);
  const positives = states.filter(({ success }) => success).length;
  return {
    task,
    robot,
    schemaHash,
    observationSize: observationSize(observation),
    fields: names,
    threshold,
    seed: options.seed,
    createdAt: options.createdAt.toISOString(),
    labels: {
      digest,
      positives,
      negatives: states.length - positives,
      mined: states.filter(({ by, success }) => by === 'mined' && !success).length,
      episodes: new Set(states.map(episodeText)).size,
    },
    heldOut: {
      folds,
      wantedPrecision: options.precision,
      precision,
      recall,
      falsePositives,
      falseNegatives,
      brier,
      calibrationError: error,
    },
  };
}
