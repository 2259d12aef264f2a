/**
 * `reward.onnx`, a classifier that returns the success probability of a state, and its manifest `reward.json` with purpose and
 * held-out metrics. Both are validated on load: any defect is reported in one sentence.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder, replaceFileSync, storage } from '../../host/index.ts';
import { asObject, isCount, parseObject, ReinError, sha256Hex } from '../../model/index.ts';
import { type DenseModel, readDenseModel } from '../../onnx/index.ts';

const FORMAT = 'rein-reward/1';

/** Fraction with its 95 % confidence interval. */
export interface Share {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Content of `reward.json`. */
export interface RewardManifest {
  /** SHA-256 of `reward.onnx`. */
  readonly digest: string;
  readonly task: string;
  readonly robot: string;
  readonly schemaHash: string;
  readonly observationSize: number;
  /** Fields of the observation's newest frame that the classifier reads. */
  readonly fields: readonly string[];
  /** Smallest probability at which a state counts as a success. */
  readonly threshold: number;
  readonly seed: number;
  readonly createdAt: string;
  /** Training data. */
  readonly labels: {
    readonly digest: string;
    readonly positives: number;
    readonly negatives: number;
    /** Negatives that were false positives of earlier classifiers. */
    readonly mined: number;
    readonly episodes: number;
  };
  /** Metrics on states of held-out episodes, by cross-validation. */
  readonly heldOut: {
    readonly folds: number;
    readonly wantedPrecision: number;
    readonly precision: Share;
    readonly recall: Share;
    readonly falsePositives: number;
    readonly falseNegatives: number;
    /** Mean squared difference of probability and label. */
    readonly brier: number;
    /** Mean difference of probability and success rate, over ten bins of probability. */
    readonly calibrationError: number;
  };
}

/** Requirements on a classifier file. */
export interface RewardExpectation {
  readonly schemaHash: string;
  readonly observationSize: number;
  /** Required SHA-256 of the file; absent: any. */
  readonly sha256?: string | undefined;
}

/** A loaded classifier. */
export class RewardClassifier {
  readonly manifest: RewardManifest;
  readonly #model: DenseModel;

  constructor(manifest: RewardManifest, model: DenseModel) {
    this.manifest = manifest;
    this.#model = model;
  }

  /** Success probability of a state with `observation` [O], 0 to 1; NaN if a value of it is NaN. No allocation. */
  probability(observation: ArrayLike<number>): number {
    return this.#model.run(observation)[0]!;
  }
}

/** Writes both files, each by rename, the manifest last. Throws `ReinError('storage')`. */
export function saveRewardClassifier(path: string, onnx: Uint8Array, manifest: Omit<RewardManifest, 'digest'>): void {
  const text = JSON.stringify({ format: FORMAT, ...manifest, digest: sha256Hex(onnx) }, undefined, 2);
  storage(path, () => {
    makeFolder(dirname(resolve(path)));
    replaceFileSync(path, onnx);
    replaceFileSync(rewardManifestPath(path), `${text}\n`);
  });
}

/** Opens the classifier at `path`. Throws `ReinError('task')` if it is missing, damaged, or for another robot or task. */
export function loadRewardClassifier(path: string, expected: RewardExpectation): RewardClassifier {
  const onnx = bytesOf(path);
  const manifest = manifestOf(rewardManifestPath(path));
  const digest = sha256Hex(onnx);
  if (expected.sha256 !== undefined && digest !== expected.sha256) {
    throw refused(`${path} is another classifier than the task's file names (rewardClassifier.sha256)`, REMEDY_DIGEST);
  }
  if (digest !== manifest.digest) {
    throw refused(
      `${path} is not the file that ${basename(rewardManifestPath(path))} describes`,
      'Copy both files again.',
    );
  }
  if (manifest.schemaHash !== expected.schemaHash || manifest.observationSize !== expected.observationSize) {
    throw refused(
      `${path} is for ${manifest.robot}/${manifest.task} (schema ${manifest.schemaHash}), not for this robot and task (${expected.schemaHash})`,
      'Train one on labelled states of this task: rein reward collect, then rein reward train.',
    );
  }
  const model = readDenseModel(onnx);
  if (typeof model === 'string') throw refused(`${path} ${model}`, 'Take a file that rein reward train wrote.');
  if (model.inputSize !== manifest.observationSize || model.outputSize !== 1) {
    throw refused(`${path} takes ${model.inputSize} numbers and gives ${model.outputSize}`, 'Copy both files again.');
  }
  return new RewardClassifier(manifest, model);
}

const REMEDY_DIGEST = 'Put that file back, or write the digest of this one; a run keeps the classifier it began with.';

/** Reads and checks the manifest of the classifier at `path`. Throws `ReinError('task')`. */
export function readRewardManifest(path: string): RewardManifest {
  return manifestOf(rewardManifestPath(path));
}

/** Path of the manifest of the classifier `file`. */
export function rewardManifestPath(file: string): string {
  return join(dirname(file), `${basename(file, '.onnx')}.json`);
}

function bytesOf(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw refused(`${path} cannot be read: ${why}`, 'Name a file that rein reward train wrote.', cause);
  }
}

function manifestOf(file: string): RewardManifest {
  const fields = parseObject(bytesOf(file));
  const problem = fields === undefined ? 'is no JSON object' : manifestProblem(fields);
  if (problem !== undefined) throw refused(`${file} ${problem}`, 'Copy it again from where it was trained.');
  return fields as unknown as RewardManifest;
}

function manifestProblem(fields: Record<string, unknown>): string | undefined {
  if (fields['format'] !== FORMAT) return `does not say "format": "${FORMAT}"`;
  for (const key of ['digest', 'task', 'robot', 'schemaHash', 'createdAt']) {
    if (typeof fields[key] !== 'string') return `has no text '${key}'`;
  }
  if (!isCount(fields['observationSize'])) return "has no whole number 'observationSize'";
  const { threshold } = fields;
  if (typeof threshold !== 'number' || !(threshold > 0 && threshold <= 1)) return "has no 'threshold' from 0 to 1";
  const isWhole = ['labels', 'heldOut'].every((key) => asObject(fields[key]) !== undefined);
  return isWhole && Array.isArray(fields['fields']) ? undefined : "has no 'fields', 'labels' or 'heldOut'";
}

function refused(message: string, remedy: string, cause?: unknown): ReinError {
  return new ReinError('task', `${message}.`, cause === undefined ? { remedy } : { remedy, cause });
}
