/** How long an inference and a swap of weights take on this machine, on a network of the size that tasks use. */
import { Rng } from '../core/index.ts';
import { OnnxPolicy, writeMlpGraph } from './onnx/index.ts';
import { type PolicyWeights, weightsDigest } from './weights.ts';

/** Quantiles of a duration. */
export interface DurationQuantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface PolicyBenchResult {
  /** One inference, from the call to its result, ms. */
  readonly inferenceMs: DurationQuantiles;
  /** An inference asked for while new weights are verified and tried beside it, ms. */
  readonly inferenceDuringSwapMs: DurationQuantiles;
  /** One swap with verification and trial, from the call to the moment that the new weights act, ms. */
  readonly swapMs: DurationQuantiles;
}

const OBSERVATION_SIZE = 84;
const ACTION_SIZE = 4;
const WARM_UP = 200;

/** Measures `inferences` inferences, then `swaps` swaps with inferences beside them. About 1 s at the defaults. */
export async function benchPolicy(inferences = 5000, swaps = 200): Promise<PolicyBenchResult> {
  const policy = new OnnxPolicy({
    observationSize: OBSERVATION_SIZE,
    actionSize: ACTION_SIZE,
    schemaHash: 'bench',
  });
  const rng = new Rng(1);
  const observation = new Float32Array(OBSERVATION_SIZE);
  rng.fillNormal(observation);
  const out = { mean: new Float32Array(ACTION_SIZE), logStd: new Float32Array(ACTION_SIZE) };
  const infer = async (): Promise<number> => {
    const startMs = performance.now();
    await policy.infer(observation, out);
    return performance.now() - startMs;
  };
  try {
    let version = 0;
    await takeSwap(policy, benchWeights(++version, rng));
    for (let i = 0; i < WARM_UP; i++) await infer();
    const inferenceMs: number[] = [];
    for (let i = 0; i < inferences; i++) inferenceMs.push(await infer());
    const swapMs: number[] = [];
    const besideMs: number[] = [];
    for (let i = 0; i < swaps; i++) {
      let isSwapping = true;
      const swap = takeSwap(policy, benchWeights(++version, rng)).finally(() => {
        isSwapping = false;
      });
      while (isSwapping) besideMs.push(await infer());
      swapMs.push(await swap);
    }
    return {
      inferenceMs: quantiles(inferenceMs),
      inferenceDuringSwapMs: quantiles(besideMs),
      swapMs: quantiles(swapMs),
    };
  } finally {
    await policy.close();
  }
}

async function takeSwap(policy: OnnxPolicy, weights: PolicyWeights): Promise<number> {
  const startMs = performance.now();
  const swapped = await policy.swap(weights);
  if (!swapped.ok) throw swapped.error;
  return performance.now() - startMs;
}

function benchWeights(version: number, rng: Rng): PolicyWeights {
  const { graph, shapes, weights } = writeMlpGraph({
    observationSize: OBSERVATION_SIZE,
    hiddenSizes: [128, 128],
    actionSize: ACTION_SIZE,
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
  return { manifest: { ...fields, digest: weightsDigest(fields, graph, weights) }, graph, weights };
}

function quantiles(values: number[]): DurationQuantiles {
  values.sort((a, b) => a - b);
  const at = (q: number): number => values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
