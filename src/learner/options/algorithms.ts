/** Which algorithms there are. Each is loaded, and the engine that it is built from, only when something trains with it. */
import { z } from 'zod';
import { checkGiven, didYouMean, openPlugin, type PluginReference, ReinError } from '../../core/index.ts';
import type { Algorithm, AlgorithmPlugin } from '../update/algorithm.ts';
import { type LearnerConfig, learnerSettings } from './learner-config.ts';

/** All algorithms by the name that a configuration chooses them with, in the order of the documents. */
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

/** The word for an algorithm of others, which `algorithmPlugin` names. */
const PLUGIN = 'plugin';

/** The names of our own that a configuration can choose from. */
export const ALGORITHMS: readonly string[] = Object.keys(LOADERS);

/** The algorithm that `config` names. Throws `ReinError('config')` where there is none, or a plugin is not what it has to be. */
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

/** Refuses what keeps a learner from training with what a plugin gave; the graph decides on the rest. */
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

/** A learner's file: which algorithm, and its settings. */
export const learnerSchema: z.ZodType<LearnerConfig> = learnerSettings
  .extend({
    algorithm: z
      .enum([...ALGORITHMS, PLUGIN])
      .meta({ ...algorithm.unwrap().meta() })
      .default(algorithm.parse(undefined)),
  })
  .meta({ ...learnerSettings.meta() });
