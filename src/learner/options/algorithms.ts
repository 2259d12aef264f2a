/** Which algorithms there are. Each is loaded, and the engine that it is built from, only when something trains with it. */
import { z } from 'zod';
import { didYouMean, ReinError } from '../../core/index.ts';
import type { Algorithm } from '../update/algorithm.ts';
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

/** The names that a configuration can choose from. */
export const ALGORITHMS: readonly string[] = Object.keys(LOADERS);

/** The algorithm called `name`. Throws `ReinError('config')` where there is none. */
export async function loadAlgorithm(name: string): Promise<Algorithm> {
  const load = LOADERS[name];
  if (load !== undefined) return load();
  throw new ReinError('config', `There is no algorithm "${name}"${didYouMean(name, ALGORITHMS) || '.'}`, {
    remedy: `Algorithms: ${ALGORITHMS.join(', ')}.`,
  });
}

const { algorithm } = learnerSettings.shape;

/** A learner's file: which algorithm, and its settings. */
export const learnerSchema: z.ZodType<LearnerConfig> = learnerSettings
  .extend({
    algorithm: z
      .enum(ALGORITHMS as [string])
      .meta({ ...algorithm.unwrap().meta() })
      .default(algorithm.parse(undefined)),
  })
  .meta({ ...learnerSettings.meta() });
