/**
 * One policy step, as it is journalled, sent and learned from (`docs/architecture.md`, "A step").
 * Critics learn on `executed`: what the robot was made to do after every filter, in normalised units.
 */
import { flag, floats, number, type RowOf, whole, word } from '../rows/index.ts';

/** Who decided the step's action. The order is the wire's code: never reorder, only append. */
export const SOURCES = [
  'policy',
  'human_recover',
  'human_correct',
  'scripted_recover',
  'scripted_correct',
  'demo',
] as const;
export type Source = (typeof SOURCES)[number];

/** True where a person (or the scripted stand-in for one) decided: such steps also go to the demonstration buffer. */
export function isIntervention(source: Source): boolean {
  return source !== 'policy' && source !== 'demo';
}

/**
 * The fields of a step, in the order of a record's bytes (`src/link/record.ts`): a change is a new version of the record. Sizes are
 * fixed by the run's schema: O observation numbers, A action numbers.
 */
export const TRANSITION = {
  /** Counts up by one per recorded step within an epoch, from 0; with `epoch` it names the step for ever. */
  seq: whole('u64'),
  /** Starts of the robot process so far in this run. */
  epoch: whole(),
  episode: whole(),
  /** Step within the episode, from 0. */
  step: whole(),
  /** Counts runs of steps one decider made; next observations never cross it unless stored. */
  segment: whole(),
  /** Weights that acted: 0 = untrained or none. */
  policyVersion: whole(),
  /** Bits of the safety stages that changed a command in this step (`src/safety/bits.ts`). */
  filterBits: whole(),
  /** Age of the observation when the action was decided, ms. */
  observationAgeMs: number(),
  reward: number(),
  /** Cost of the step from filter activity, ≥ 0: the share of ticks the filters changed. */
  cost: number(),
  /** The least margin of the step: 1 in the middle of all limits, 0 at one, below 0 beyond. */
  marginMin: number(),
  /** Energy that the step's set-points put into the robot, J, ≥ 0; 0 without an energy tank. */
  tankDrainJ: number(),
  /** Content of the energy tank at the step's end, as a share of what it holds; 0 without one. */
  tankLevel: number(),
  source: word(SOURCES),
  /** The task ended by itself (success, failure): no bootstrap. */
  terminated: flag(),
  /** The episode was cut (time limit, stop): bootstrap from `nextObservation`. */
  truncated: flag(),
  /** The critical phase had not begun: the base policy drove alone, unless a person did. Its policy version is 0. */
  isBasePhase: flag(),
  /** [O] the observation the action was decided on. */
  observation: floats('observationSize'),
  /** [O] the observation after the step. */
  nextObservation: floats('observationSize'),
  /** [A] what the policy asked for; NaN-free; equal to `executed` where no filter acted. */
  policyAction: floats('actionSize'),
  /** [A] what the person asked for; zeros unless the source is a human or scripted one. */
  humanAction: floats('actionSize'),
  /** [A] what was executed after all filters, normalised. */
  executed: floats('actionSize'),
};

export interface Transition extends RowOf<typeof TRANSITION> {}
