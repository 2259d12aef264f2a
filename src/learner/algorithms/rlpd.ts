/**
 * RLPD: soft actor-critic that starts from prior data (Ball et al., https://arxiv.org/abs/2302.02948). Its three changes
 * are not in the losses: half of each batch comes from demonstrations and interventions (`demoFraction`), critics use
 * layer normalisation (`layerNorm`), and the target is the minimum over a random subset of a large ensemble (`critics`,
 * `criticSubset`).
 */
import type { Algorithm } from '../update/algorithm.ts';
import { sac } from './sac.ts';

/** RLPD. */
export const rlpd: Algorithm = { ...sac, name: 'rlpd' };
