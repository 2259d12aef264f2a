/**
 * One policy step, as it is journalled, sent and learned from (`docs/architecture.md`, "A step"). Critics learn on
 * `executed`: the action applied to the robot after every filter, in normalised units.
 */
import { flag, floats, number, type RowOf, whole, word } from './fields.ts';

/** Source of the step's action. The index is the wire code: never reorder, only append. */
export const SOURCES = [
  'policy',
  'human_recover',
  'human_correct',
  'scripted_recover',
  'scripted_correct',
  'demo',
] as const;
export type Source = (typeof SOURCES)[number];

/** True if the operator (or a scripted stand-in) decided: such steps also go to the demonstration buffer. */
export function isIntervention(source: Source): boolean {
  return source !== 'policy' && source !== 'demo';
}

/**
 * Fields of a step, in the order of a record's bytes (`src/link/record.ts`): a change is a new version of the record. Sizes
 * are fixed by the run's schema: O observation numbers, A action numbers.
 */
export const TRANSITION = {
  /** Increments with each recorded step within an epoch, from 0; `epoch` and `seq` identify the step permanently. */
  seq: whole('u64'),
  /** Number of starts of the robot process so far in this run. */
  epoch: whole(),
  episode: whole(),
  /** Step within the episode, from 0. */
  step: whole(),
  /** Number of the run of consecutive steps by one decider; next observations never cross it unless stored. */
  segment: whole(),
  /** Version of the weights that acted: 0 = untrained or none. */
  policyVersion: whole(),
  /** Bits of the safety stages that changed a command in this step (`src/safety/bits.ts`). */
  filterBits: whole(),
  /** Age of the observation when the action was decided, ms. */
  observationAgeMs: number(),
  reward: number(),
  /** Cost of the step from filter activity, ≥ 0: the fraction of ticks changed by filters. */
  cost: number(),
  /** Smallest margin of the step: 1 in the middle of all limits, 0 at one, below 0 beyond. */
  marginMin: number(),
  /** Energy that the step's set-points injected into the robot, J, ≥ 0; 0 without an energy tank. */
  tankDrainJ: number(),
  /** Content of the energy tank at the step's end, as a fraction of its capacity; 0 without one. */
  tankLevel: number(),
  source: word(SOURCES),
  /** The task ended by itself (success, failure): no bootstrap. */
  terminated: flag(),
  /** The episode was cut (time limit, stop): bootstrap from `nextObservation`. */
  truncated: flag(),
  /** The critical phase had not begun: the base policy drove alone, unless the operator did. Its policy version is 0. */
  isBasePhase: flag(),
  /** [O] observation on which the action was decided. */
  observation: floats('observationSize'),
  /** [O] observation after the step. */
  nextObservation: floats('observationSize'),
  /** [A] action requested by the policy; NaN-free; equal to `executed` if no filter acted. */
  policyAction: floats('actionSize'),
  /** [A] action requested by the operator; zeros unless the source is a human or scripted one. */
  humanAction: floats('actionSize'),
  /** [A] action executed after all filters, normalised. */
  executed: floats('actionSize'),
};

export interface Transition extends RowOf<typeof TRANSITION> {}
