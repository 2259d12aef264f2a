/** Small policies for tests. */

import { type MlpOptions, writeMlpGraph } from '../../bench/policy/mlp-graph.ts';
import { type PolicyWeights, sealWeights, type WeightsManifest } from '../../src/model/index.ts';

export const O = 5;
export const A = 2;
export const SCHEMA = 'a1b2c3d4e5f60718';

/** Numbers of noise that action heads take. */
export const Z = 3;

/** Parameters of the network's `log_std` head, the last of all. */
const LOG_STD_PARAMETERS = 9 * A;

type Network = Partial<
  Pick<MlpOptions, 'hiddenSizes' | 'observationSize' | 'actionSize' | 'head' | 'metadata' | 'batch'>
>;

/**
 * Weights whose every parameter is `value(i)`, or `value` and 0 in the `log_std` head; with a manifest that fits unless
 * `change` says otherwise.
 */
export function weightsOf(
  version: number,
  value: number | ((i: number) => number),
  change: Partial<WeightsManifest> = {},
  network: Network = {},
): PolicyWeights {
  const { graph, shapes, weights } = writeMlpGraph({
    ...layout(network),
    parameters: 'inputs',
    valueAt: typeof value === 'number' ? () => value : value,
  });
  const isGaussian = (network.head ?? 'gaussian') === 'gaussian';
  if (isGaussian && typeof value === 'number') weights.fill(0, weights.length - LOG_STD_PARAMETERS);
  const fields: Omit<WeightsManifest, 'digest'> = {
    runId: 'run-a',
    version,
    parent: version - 1,
    trainingStep: 100 * version,
    updates: 400 * version,
    schemaHash: SCHEMA,
    createdAt: '2026-01-02T03:04:05.000Z',
    shapes,
    ...change,
  };
  const sealed = sealWeights(fields, graph, weights);
  return { ...sealed, manifest: { ...sealed.manifest, ...change } };
}

/** The same network with its weights inside, as a policy file holds it. */
export function bakedPolicy(value: (i: number) => number, network: Network = {}): Uint8Array {
  return writeMlpGraph({ ...layout(network), parameters: 'baked', valueAt: value }).graph;
}

function layout(network: Network): Omit<MlpOptions, 'parameters' | 'valueAt'> {
  const noiseSize = (network.head ?? 'gaussian') === 'gaussian' ? 0 : Z;
  return { observationSize: O, hiddenSizes: [8, 8], actionSize: A, noiseSize, ...network };
}
