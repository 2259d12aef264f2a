/** Registry of algorithms. Each is loaded, with the engine that it is built on, only when something trains with it. */
import { z } from 'zod';
import { checkGiven, openPlugin, type PluginReference } from '../../host/index.ts';
import { didYouMean, ReinError } from '../../model/index.ts';
import type { Algorithm, AlgorithmPlugin } from '../update/algorithm.ts';
import { type LearnerConfig, learnerSettings } from './learner-config.ts';

/** All algorithms by the name used in configurations, in the order of the documentation. */
const LOADERS: Readonly<Record<string, () => Promise<Algorithm>>> = {
  sac: async () => (await import('../algorithms/sac.ts')).sac,
  rlpd: async () => (await import('../algorithms/rlpd.ts')).rlpd,
  'hil-serl': async () => (await import('../algorithms/hil-serl.ts')).hilSerl,
  td3: async () => (await import('../algorithms/td3.ts')).td3,
  residual: async () => (await import('../algorithms/residual.ts')).residual,
  wsrl: async () => (await import('../algorithms/wsrl.ts')).wsrl,
  dsact: async () => (await import('../algorithms/dsact.ts')).dsact,
  expo: async () => (await import('../algorithms/expo.ts')).expo,
  bc: async () => (await import('../algorithms/imitation.ts')).bc,
  passive: async () => (await import('../algorithms/passive.ts')).passive,
};

/** Name of a third-party algorithm, given by `algorithmPlugin`. */
const PLUGIN = 'plugin';

/** Names of the built-in algorithms. */
export const ALGORITHMS: readonly string[] = Object.keys(LOADERS);

/** Loads the algorithm of `config`. Throws `ReinError('config')` if there is none, or a plugin violates its contract. */
export async function loadAlgorithm({
  algorithm: name,
  algorithmPlugin,
}: Pick<LearnerConfig, 'algorithm' | 'algorithmPlugin'>): Promise<Algorithm> {
  if (algorithmPlugin !== undefined) return pluginAlgorithm(algorithmPlugin);
  const load = LOADERS[name];
  if (load !== undefined) return load();
  throw new ReinError('config', `There is no algorithm "${name}"${didYouMean(name, ALGORITHMS) || '.'}`, {
    remedy: `Algorithms: ${ALGORITHMS.join(', ')}.`,
  });
}

/** Creates a plugin's algorithm. Rejects what would keep the learner from training with it; the graph checks the rest. */
function pluginAlgorithm(reference: PluginReference): Algorithm {
  const { plugin, options } = openPlugin<AlgorithmPlugin>('algorithm', reference);
  const algorithm = plugin.create(options);
  const refuse = checkGiven('algorithm', plugin.name, algorithm);
  const { name, update }: Partial<Algorithm> = algorithm;
  if (typeof name !== 'string' || name === '') refuse('it has no name');
  if (typeof update?.inner !== 'function') refuse('it has no update.inner, the function of its training call');
  return algorithm;
}

const { algorithm } = learnerSettings.shape;

/** Schema of a learner's file: the algorithm and its settings. */
export const learnerSchema: z.ZodType<LearnerConfig> = learnerSettings
  .extend({
    algorithm: z
      .enum([...ALGORITHMS, PLUGIN])
      .meta({ ...algorithm.unwrap().meta() })
      .default(algorithm.parse(undefined)),
  })
  .meta({ ...learnerSettings.meta() });
