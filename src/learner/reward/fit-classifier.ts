/**
 * A small perceptron that classifies states as success or not: binary cross-entropy with smoothed labels, on batches of equally many
 * successes and other states, whatever their ratio among the labels (as HIL-SERL trains its image classifier,
 * https://arxiv.org/abs/2410.21845). Camera images would need an encoder in front of it, as for actors.
 */
import { mean, Rng, variance } from '../../model/index.ts';
import { gradients } from '../engine/autodiff.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import { adam, adamStep } from '../engine/optimiser.ts';
import { type ParameterLayout, type Parameters, pack, unpack } from '../engine/parameters.ts';
import { Bindings, PingPongState, Session } from '../engine/session.ts';
import { dense, hidden, initialise, mlpLayout } from '../networks/mlp.ts';
import { add, mul, sigmoid, softplus, sub } from '../ops/elements.ts';
import { reduceMean } from '../ops/reduce.ts';

/** Training settings of a classifier. */
export interface ClassifierSettings {
  readonly hidden: readonly number[];
  readonly steps: number;
  /** Batch size; half of the states are successes. */
  readonly batch: number;
  readonly learningRate: number;
  readonly weightDecay: number;
  /** Target of a success is 1 − this, of any other state this. */
  readonly labelSmoothing: number;
  /**
   * Fraction of the other states drawn uniformly in and around the range of the labels instead: unlabelled states count as no
   * success. Otherwise a network extrapolates success to any state far enough on the successes' side.
   */
  readonly anywhere: number;
}

export const CLASSIFIER_SETTINGS: ClassifierSettings = {
  hidden: [64, 64],
  steps: 400,
  batch: 128,
  learningRate: 3e-3,
  weightDecay: 1e-2,
  labelSmoothing: 0.05,
  anywhere: 0.25,
};

/** States of [I] numbers each, and their labels. Both classes must be present. */
export interface ClassifierData {
  readonly states: readonly ArrayLike<number>[];
  readonly isSuccess: readonly boolean[];
}

/** A trained network: normalisation and weights. */
export interface ClassifierFit {
  /** [I] Offset subtracted from each number, and factor applied to the result. */
  readonly mean: Float32Array;
  readonly scale: Float32Array;
  readonly layout: ParameterLayout;
  readonly weights: Float32Array;
  /** Mean loss over the last tenth of the steps. */
  readonly loss: number;
}

const HEAD = 'logit';
const PARTS = ['parameters', 'first', 'second'] as const;
const CHANGED: ReadonlySet<string> = new Set(PARTS);
/** Lower limit of the standard deviation: otherwise nearly constant numbers would have their noise amplified. */
const LEAST_DEVIATION = 0.02;

/** Trains any number of classifiers of one size. The same data and seed give the same classifier, bit for bit. */
export class ClassifierTrainer {
  readonly #session: Session;
  readonly #settings: ClassifierSettings;
  readonly #layout: ParameterLayout;
  readonly #inputs: number;

  private constructor(session: Session, settings: ClassifierSettings, layout: ParameterLayout, inputs: number) {
    this.#session = session;
    this.#settings = settings;
    this.#layout = layout;
    this.#inputs = inputs;
  }

  /** Opens a trainer for states of `inputs` numbers. */
  static async open(inputs: number, settings: ClassifierSettings = CLASSIFIER_SETTINGS): Promise<ClassifierTrainer> {
    const layout = mlpLayout(inputs, settings.hidden, { [HEAD]: 1 });
    const session = await Session.create(trainingGraph(inputs, layout, settings));
    return new ClassifierTrainer(session, settings, layout, inputs);
  }

  async fit({ states, isSuccess }: ClassifierData, seed: number): Promise<ClassifierFit> {
    const { steps } = this.#settings;
    const rng = new Rng(seed).fork('reward classifier');
    const normal = normalisation(states, this.#inputs);
    const state = new PingPongState(PARTS.map((name) => ({ name, shape: [this.#layout.size] })));
    initialise(this.#layout, rng, state.part('parameters'));
    const batch = new Batch(this.#inputs, this.#settings);
    const loss = new Float32Array(1);
    const report = new Bindings();
    report.set('loss', loss, [1, 1]);
    const kinds = [true, false].map((kind) => states.filter((_, i) => isSuccess[i] === kind));
    const losses: number[] = [];
    for (let step = 1; step <= steps; step++) {
      batch.draw(step, kinds, normal, rng);
      await this.#session.run([batch.bindings, state.inputs], [state.outputsOf(CHANGED), report]);
      state.commit(CHANGED);
      if (step > 0.9 * steps) losses.push(loss[0]!);
    }
    const { mean: centre, scale } = normal;
    const weights = state.part('parameters').slice();
    return { mean: centre, scale, layout: this.#layout, weights, loss: mean(losses) };
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/** Options of a classifier's model around the network. */
export interface ClassifierModel {
  /** Size of the whole observation. */
  readonly observationSize: number;
  /** [I] Indices of the network's inputs in the observation. */
  readonly columns: readonly number[];
  /** Probability = sigmoid(slope × logit + offset). Absent: the output is the logit. */
  readonly calibration?: { readonly slope: number; readonly offset: number };
}

/** Returns a model with the input `observation` [1, O] and the output `probability`, or `logit` without calibration, [1, 1]. */
export function buildClassifier(fit: ClassifierFit, model: ClassifierModel): Uint8Array {
  const { observationSize, columns, calibration } = model;
  const g = new Graph('reward');
  const spread = (values: Float32Array): Tensor => {
    const all = new Float32Array(observationSize);
    for (const [i, column] of columns.entries()) all[column] = values[i]!;
    return g.constant(all, [1, observationSize]);
  };
  const parameters = Object.fromEntries(
    fit.layout.entries.map(({ name, shape, offset, size }) => {
      const own = fit.weights.subarray(offset, offset + size);
      // Numbers outside the network's inputs get weights of 0 in its first layer.
      if (shape[0] !== columns.length || !name.endsWith('0.weight')) return [name, g.constant(own, shape)];
      const width = shape[1]!;
      const all = new Float32Array(observationSize * width);
      for (const [i, column] of columns.entries()) all.set(own.subarray(i * width, (i + 1) * width), column * width);
      return [name, g.constant(all, [observationSize, width])];
    }),
  );
  const seen = mul(sub(g.input('observation', [1, observationSize]), spread(fit.mean)), spread(fit.scale));
  const logit = logitOf(parameters, seen);
  if (calibration === undefined) g.output('logit', logit);
  else g.output('probability', sigmoid(add(mul(logit, calibration.slope), calibration.offset)));
  return g.serialize();
}

function logitOf(parameters: Parameters, seen: Tensor): Tensor {
  return dense(parameters, HEAD, hidden(parameters, seen));
}

/** Graph of one AdamW step on a batch. */
function trainingGraph(inputs: number, layout: ParameterLayout, settings: ClassifierSettings): Uint8Array {
  const { batch, learningRate, weightDecay } = settings;
  const g = new Graph('reward_training');
  const [parameters, first, second] = PARTS.map((name) => g.input(name, [layout.size]));
  const wanted = g.input('wanted', [batch, 1]);
  const unpacked = unpack(parameters!, layout);
  const logit = logitOf(unpacked, g.input('states', [batch, inputs]));
  // −y log σ(z) − (1 − y) log(1 − σ(z)) = log(1 + eᶻ) − y z
  const loss = reduceMean(sub(softplus(logit), mul(wanted, logit)));
  const leaves = layout.entries.map(({ name }) => unpacked[name]!);
  const gradient = pack(gradients(loss, leaves), layout);
  const before = { parameters: parameters!, first: first!, second: second! };
  const next = adam(before, gradient, g.input('step', [1]), g.input('epsilon', [1]), 1 - learningRate * weightDecay);
  for (const name of PARTS) g.output(`${name}_next`, next[name]);
  g.output('loss', loss);
  return g.serialize();
}

/** Margin around the range of the labels in which states are drawn, as a fraction of the range. */
const AROUND = 1;

/** One batch: half successes, half other states, each sampled with replacement. */
class Batch {
  readonly bindings: Bindings = new Bindings();
  readonly #states: Float32Array;
  readonly #step = new Float32Array(1);
  readonly #epsilon = new Float32Array(1);
  readonly #inputs: number;
  readonly #settings: ClassifierSettings;

  constructor(inputs: number, settings: ClassifierSettings) {
    const { batch, labelSmoothing: smoothing } = settings;
    this.#inputs = inputs;
    this.#settings = settings;
    this.#states = new Float32Array(batch * inputs);
    const wanted = Float32Array.from({ length: batch }, (_, row) => (row % 2 === 0 ? 1 - smoothing : smoothing));
    this.bindings.set('states', this.#states, [batch, inputs]);
    this.bindings.set('wanted', wanted, [batch, 1]);
    this.bindings.set('step', this.#step, [1]);
    this.bindings.set('epsilon', this.#epsilon, [1]);
  }

  /** Draws the batch of step `count`, from 1. `kinds`: the successes, then the other states. */
  draw(count: number, kinds: readonly (readonly ArrayLike<number>[])[], normal: Normalisation, rng: Rng): void {
    const { batch, learningRate, anywhere } = this.#settings;
    for (let row = 0; row < batch; row++) {
      const kind = kinds[row % 2]!;
      const isLabelled = row % 2 === 0 || rng.uniform() >= anywhere;
      const state = isLabelled ? kind[rng.int(kind.length)]! : undefined;
      for (let i = 0; i < this.#inputs; i++) {
        const value = state?.[i] ?? around(normal.low[i]!, normal.high[i]!, rng);
        this.#states[row * this.#inputs + i] = (value - normal.mean[i]!) * normal.scale[i]!;
      }
    }
    const { step, epsilon } = adamStep(count, learningRate);
    this.#step[0] = step;
    this.#epsilon[0] = epsilon;
  }
}

function around(low: number, high: number, rng: Rng): number {
  const reach = AROUND * (high - low);
  return rng.uniformIn(low - reach, high + reach);
}

interface Normalisation extends Pick<ClassifierFit, 'mean' | 'scale'> {
  /** [I] Minimum and maximum of each number. */
  readonly low: readonly number[];
  readonly high: readonly number[];
}

function normalisation(states: readonly ArrayLike<number>[], inputs: number): Normalisation {
  const columns = Array.from({ length: inputs }, (_, i) => states.map((state) => state[i]!));
  return {
    low: columns.map((values) => Math.min(...values)),
    high: columns.map((values) => Math.max(...values)),
    mean: Float32Array.from(columns, mean),
    scale: Float32Array.from(columns, (values) => 1 / Math.max(LEAST_DEVIATION, Math.sqrt(variance(values)))),
  };
}
