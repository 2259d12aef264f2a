/** Duration of a decision and of a weight swap on this machine, with a network of the size that tasks use. */
import { type PolicyWeights, quantile, Rng, sealWeights } from '../../src/model/index.ts';
import { OnnxPolicy, type PolicyNoise } from '../../src/policy/index.ts';
import { writeMlpGraph } from './mlp-graph.ts';

/** Quantiles of a duration. */
export interface DurationQuantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface PolicyBenchResult {
  /** One decision, from the call to its result, ms. */
  readonly inferenceMs: DurationQuantiles;
  /** A decision requested while new weights are verified and tried beside it, ms. */
  readonly inferenceDuringSwapMs: DurationQuantiles;
  /** One swap with verification and trial, from the call until the new weights act, ms. */
  readonly swapMs: DurationQuantiles;
}

const OBSERVATION_SIZE = 54;
const WARM_UP = 200;

/** Policy of the usual size with random weights, for repeated decisions and swaps. */
export class PolicyExercise {
  /** Result of the last decision, [A]. */
  readonly action: Float32Array;
  readonly #policy: OnnxPolicy;
  readonly #rng = new Rng(1);
  readonly #noise: PolicyNoise = { rng: new Rng(2), purpose: 'explore' };
  readonly #observation: Float32Array = new Float32Array(OBSERVATION_SIZE);

  private constructor(actionSize: number) {
    this.#policy = new OnnxPolicy({ observationSize: OBSERVATION_SIZE, actionSize, schemaHash: 'bench' });
    this.action = new Float32Array(actionSize);
    this.#rng.fillNormal(this.#observation);
  }

  /** Resolves with the first weights swapped in, after warm-up. */
  static async start(actionSize: number): Promise<PolicyExercise> {
    const exercise = new PolicyExercise(actionSize);
    await exercise.swap();
    for (let i = 0; i < WARM_UP; i++) await exercise.decide();
    return exercise;
  }

  get version(): number {
    return this.#policy.version;
  }

  /** Makes one decision; resolves to its duration, ms. */
  async decide(): Promise<number> {
    const startMs = performance.now();
    await this.#policy.decide(this.#observation, this.#noise, this.action);
    return performance.now() - startMs;
  }

  /** Makes new weights and swaps them in; resolves to the duration of the swap, ms. */
  async swap(): Promise<number> {
    const weights = benchWeights(this.version + 1, this.#policy.actionSize, this.#rng);
    const startMs = performance.now();
    const swapped = await this.#policy.swap(weights);
    if (!swapped.ok) throw swapped.error;
    return performance.now() - startMs;
  }

  close(): Promise<void> {
    return this.#policy.close();
  }
}

/** Measures `inferences` decisions, then `swaps` swaps with decisions beside them. About 1 s at the defaults. */
export async function benchPolicy(inferences = 5000, swaps = 200): Promise<PolicyBenchResult> {
  const exercise = await PolicyExercise.start(4);
  try {
    const inferenceMs: number[] = [];
    for (let i = 0; i < inferences; i++) inferenceMs.push(await exercise.decide());
    const swapMs: number[] = [];
    const besideMs: number[] = [];
    for (let i = 0; i < swaps; i++) {
      let isSwapping = true;
      const swap = exercise.swap().finally(() => {
        isSwapping = false;
      });
      while (isSwapping) besideMs.push(await exercise.decide());
      swapMs.push(await swap);
    }
    return {
      inferenceMs: quantiles(inferenceMs),
      inferenceDuringSwapMs: quantiles(besideMs),
      swapMs: quantiles(swapMs),
    };
  } finally {
    await exercise.close();
  }
}

function benchWeights(version: number, actionSize: number, rng: Rng): PolicyWeights {
  const { graph, shapes, weights } = writeMlpGraph({
    observationSize: OBSERVATION_SIZE,
    hiddenSizes: [128, 128],
    actionSize,
    parameters: 'inputs',
    valueAt: () => 0.05 * (rng.uniform() - 0.5),
  });
  const fields = {
    runId: 'bench',
    version,
    parent: null,
    trainingStep: 0,
    updates: 0,
    schemaHash: 'bench',
    createdAt: '',
    shapes,
  };
  return sealWeights(fields, graph, weights);
}

function quantiles(values: readonly number[]): DurationQuantiles {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99), max: quantile(values, 1) };
}
