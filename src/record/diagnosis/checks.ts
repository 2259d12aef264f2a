/** All checks, in the order in which they are shown: what makes the others meaningless comes first. */
import { ENTROPY, FILTERS, SATURATED, STANDING } from './action-checks.ts';
import type { Check } from './check.ts';
import { LEARNER_BEHIND, NOT_FINITE, STALE_WEIGHTS } from './learner-checks.ts';
import { OBSERVATION_FROZEN, OBSERVATION_GLITCHES, OBSERVATION_SCALE } from './observation-checks.ts';
import {
  DEMONSTRATIONS_CONTRADICT,
  DEMONSTRATIONS_MISSING,
  DEMONSTRATIONS_OTHERWISE,
  HELP_RARE,
  HELP_TOO_MUCH,
} from './people-checks.ts';
import { DISCOUNT, REWARD_NEVER, REWARD_SUSPICIOUS, TIME_LIMIT } from './reward-checks.ts';
import { OFFLINE_FIT, VALUES_COLLAPSED, VALUES_HIGH } from './value-checks.ts';

export const CHECKS: readonly Check[] = [
  REWARD_NEVER,
  REWARD_SUSPICIOUS,
  TIME_LIMIT,
  DISCOUNT,
  DEMONSTRATIONS_MISSING,
  DEMONSTRATIONS_CONTRADICT,
  DEMONSTRATIONS_OTHERWISE,
  OBSERVATION_FROZEN,
  OBSERVATION_SCALE,
  OBSERVATION_GLITCHES,
  STANDING,
  FILTERS,
  SATURATED,
  ENTROPY,
  HELP_TOO_MUCH,
  HELP_RARE,
  LEARNER_BEHIND,
  STALE_WEIGHTS,
  NOT_FINITE,
  VALUES_HIGH,
  VALUES_COLLAPSED,
  OFFLINE_FIT,
];
