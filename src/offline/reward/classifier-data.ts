/** Labelled states as network inputs: selected columns of an observation, folds by episode, and cross-validated predictions. */

import {
  buildClassifier,
  type Calibration,
  type ClassifierFit,
  ClassifierTrainer,
  calibrate,
  sigmoidOf,
} from '../../learner/index.ts';
import { frameSize, type ObservationSpec, observationSize, ReinError, type Rng } from '../../model/index.ts';
import { readDenseModel } from '../../onnx/index.ts';
import { episodeText, type LabelFile, type LabelledState } from '../../record/index.ts';
import type { Scored } from './threshold.ts';

/** Labelled states, reduced to the columns that a network reads. */
export class ClassifierStates {
  readonly states: readonly Float32Array[];
  readonly isSuccess: readonly boolean[];
  readonly #labelled: readonly LabelledState[];
  readonly #columns: readonly number[];
  readonly #observationSize: number;

  /** `fields`: names of fields of the newest frame. Throws `ReinError('config')` for an unknown field. */
  constructor({ header, states }: LabelFile, fields: readonly string[]) {
    this.#columns = columnsOf(header.observation, fields);
    this.#labelled = states;
    this.#observationSize = observationSize(header.observation);
    this.states = states.map(({ observation }) => Float32Array.from(this.#columns, (column) => observation[column]!));
    this.isSuccess = states.map(({ success }) => success);
  }

  /** Number of inputs of the network. */
  get inputs(): number {
    return this.#columns.length;
  }

  /** Builds the model around a network that was trained on these columns. */
  model(fit: ClassifierFit, calibration?: Calibration): Uint8Array {
    const around = { observationSize: this.#observationSize, columns: this.#columns };
    return buildClassifier(fit, calibration === undefined ? around : { ...around, calibration });
  }

  /**
   * Predictions for states of held-out episodes, one network for each of `folds`, calibrated over all of them together.
   */
  async heldOut(
    trainer: ClassifierTrainer,
    folds: readonly number[],
    seed: number,
  ): Promise<{ readonly calibration: Calibration; readonly scored: readonly Scored[] }> {
    const logits = folds.map(() => 0);
    for (let fold = 0; fold <= Math.max(...folds); fold++) {
      const isTrained = (_: unknown, i: number): boolean => folds[i] !== fold;
      const data = { states: this.states.filter(isTrained), isSuccess: this.isSuccess.filter(isTrained) };
      // Evaluated with the code that judges on the robot.
      const model = readDenseModel(this.model(await trainer.fit(data, seed + fold)));
      if (typeof model === 'string') throw new TypeError(`a classifier that was built ${model}`);
      for (const [i, own] of folds.entries())
        if (own === fold) logits[i] = model.run(this.#labelled[i]!.observation)[0]!;
    }
    const calibration = calibrate(logits, this.isSuccess);
    const scored = logits.map((logit, i) => ({
      probability: sigmoidOf(calibration.slope * logit + calibration.offset),
      success: this.isSuccess[i]!,
    }));
    return { calibration, scored };
  }
}

/** Fold of each state: states of one episode are alike, so they share a fold. Episodes with successes are dealt out first. */
export function foldsOf(states: readonly LabelledState[], wanted: number, rng: Rng): number[] {
  const episodes = [...new Set(states.map(episodeText))].map((name) => ({ name, draw: rng.uniform() }));
  const good = new Set(states.filter(({ success }) => success).map(episodeText));
  const folds = Math.min(wanted, good.size);
  episodes.sort((a, b) => Number(good.has(b.name)) - Number(good.has(a.name)) || a.draw - b.draw);
  const foldOf = new Map(episodes.map(({ name }, i) => [name, i % folds]));
  return states.map((state) => foldOf.get(episodeText(state))!);
}

/** An action is a command and tells nothing about the state: fields that hold actions are used only if named explicitly. */
const ACTION_FIELDS: ReadonlySet<string> = new Set(['previous_executed']);
/** Smallest fraction by which a field must lower the held-out loss to be included. */
const WORTH = 0.3;

/**
 * Greedy forward selection of the fields that predict success best: adds the field that lowers the held-out cross-entropy
 * most, while one does. Networks soon overfit a few hundred labels on uninformative inputs.
 */
export async function chooseFields(file: LabelFile, folds: readonly number[], seed: number): Promise<string[]> {
  const left = new Set(
    file.header.observation.fields.map(({ name }) => name).filter((name) => !ACTION_FIELDS.has(name)),
  );
  const chosen: string[] = [];
  let loss = Number.POSITIVE_INFINITY;
  while (left.size > 0) {
    let best: { readonly name: string; readonly loss: number } | undefined;
    for (const name of left) {
      const data = new ClassifierStates(file, [...chosen, name]);
      const found = await withTrainer(data, async (trainer) =>
        crossEntropy((await data.heldOut(trainer, folds, seed)).scored),
      );
      if (best === undefined || found < best.loss) best = { name, loss: found };
    }
    if (best === undefined || best.loss > loss * (1 - WORTH)) break;
    loss = best.loss;
    chosen.push(best.name);
    left.delete(best.name);
  }
  return chosen;
}

/** Calls `use` with a trainer for the columns of `data`. */
export async function withTrainer<T>(
  data: ClassifierStates,
  use: (trainer: ClassifierTrainer) => Promise<T>,
): Promise<T> {
  const trainer = await ClassifierTrainer.open(data.inputs);
  try {
    return await use(trainer);
  } finally {
    await trainer.close();
  }
}

function crossEntropy(scored: readonly Scored[]): number {
  return scored.reduce((sum, { probability: p, success }) => sum - Math.log(Math.max(1e-9, success ? p : 1 - p)), 0);
}

/** Indices of the fields `names` in the newest frame of an observation. */
function columnsOf(spec: ObservationSpec, names: readonly string[]): number[] {
  let at = frameSize(spec) * (spec.frames - 1);
  const places = new Map<string, number[]>();
  for (const { name, size } of spec.fields) {
    const from = at;
    places.set(
      name,
      Array.from({ length: size }, (_, i) => from + i),
    );
    at += size;
  }
  return names.flatMap((name) => {
    const place = places.get(name);
    if (place !== undefined) return place;
    throw new ReinError('config', `The labelled observations have no field "${name}".`, {
      remedy: `They have ${[...places.keys()].join(', ')}.`,
    });
  });
}
