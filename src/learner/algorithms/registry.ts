import type { AlgorithmName } from '../options/learner-config.ts';
import type { Algorithm } from '../program/algorithm.ts';
import { dsact } from './dsact.ts';
import { expo } from './expo.ts';
import { hilSerl } from './hil-serl.ts';
import { bc } from './imitation.ts';
import { passive } from './passive.ts';
import { residual } from './residual.ts';
import { rlpd } from './rlpd.ts';
import { sac } from './sac.ts';
import { td3 } from './td3.ts';
import { wsrl } from './wsrl.ts';

/** All algorithms by the name that a configuration chooses them with. */
export const ALGORITHM: Readonly<Record<AlgorithmName, Algorithm>> = {
  sac,
  rlpd,
  'hil-serl': hilSerl,
  td3,
  residual,
  wsrl,
  dsact,
  expo,
  bc,
  passive,
};
