/**
 * One policy step, as it is journalled, sent and learned from (`docs/architecture.md`, "A step").
 * Critics learn on `executed`: what the robot was made to do after every filter, in normalised units.
 */

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

/** A step with its sizes fixed by the run's schema: O observation numbers, A action numbers. */
export interface Transition {
  /** Starts of the robot process so far in this run; with `seq` it names the step for ever. */
  epoch: number;
  /** Counts up by one per recorded step within an epoch, from 0. */
  seq: number;
  episode: number;
  /** Step within the episode, from 0. */
  step: number;
  /** Counts runs of steps one decider made; next observations never cross it unless stored. */
  segment: number;
  source: Source;
  /** Weights that acted: 0 = untrained or none. */
  policyVersion: number;
  /** Age of the observation when the action was decided, ms. */
  observationAgeMs: number;
  /** [O] the observation the action was decided on. */
  readonly observation: Float32Array;
  /** [O] the observation after the step. */
  readonly nextObservation: Float32Array;
  /** [A] what the policy asked for; NaN-free; equal to `executed` where no filter acted. */
  readonly policyAction: Float32Array;
  /** [A] what the person asked for; zeros unless the source is a human or scripted one. */
  readonly humanAction: Float32Array;
  /** [A] what was executed after all filters, normalised. */
  readonly executed: Float32Array;
  reward: number;
  /** Cost of the step from filter activity, ≥ 0: the share of ticks the filters changed. */
  cost: number;
  /** The least margin of the step: 1 in the middle of all limits, 0 at one, below 0 beyond. */
  marginMin: number;
  /** Energy that the step's set-points put into the robot, J, ≥ 0; 0 without an energy tank. */
  tankDrainJ: number;
  /** Content of the energy tank at the step's end, as a share of what it holds; 0 without one. */
  tankLevel: number;
  /** The task ended by itself (success, failure): no bootstrap. */
  terminated: boolean;
  /** The episode was cut (time limit, stop): bootstrap from `nextObservation`. */
  truncated: boolean;
  /** The critical phase had not begun: the base policy drove alone, unless a person did. Its policy version is 0. */
  isBasePhase: boolean;
  /** Bits of the safety stages that changed a command in this step (`src/safety/bits.ts`). */
  filterBits: number;
}

/** A transition with all arrays allocated and everything zero. */
export function createTransition(observationSize: number, actionSize: number): Transition {
  return {
    epoch: 0,
    seq: 0,
    episode: 0,
    step: 0,
    segment: 0,
    source: 'policy',
    policyVersion: 0,
    observationAgeMs: 0,
    observation: new Float32Array(observationSize),
    nextObservation: new Float32Array(observationSize),
    policyAction: new Float32Array(actionSize),
    humanAction: new Float32Array(actionSize),
    executed: new Float32Array(actionSize),
    reward: 0,
    cost: 0,
    marginMin: 0,
    tankDrainJ: 0,
    tankLevel: 0,
    terminated: false,
    truncated: false,
    isBasePhase: false,
    filterBits: 0,
  };
}

/** Copies `from` into `into`, arrays included. Sizes must match. Tick-safe. */
export function copyTransition(into: Transition, from: Transition): void {
  into.epoch = from.epoch;
  into.seq = from.seq;
  into.episode = from.episode;
  into.step = from.step;
  into.segment = from.segment;
  into.source = from.source;
  into.policyVersion = from.policyVersion;
  into.observationAgeMs = from.observationAgeMs;
  into.observation.set(from.observation);
  into.nextObservation.set(from.nextObservation);
  into.policyAction.set(from.policyAction);
  into.humanAction.set(from.humanAction);
  into.executed.set(from.executed);
  into.reward = from.reward;
  into.cost = from.cost;
  into.marginMin = from.marginMin;
  into.tankDrainJ = from.tankDrainJ;
  into.tankLevel = from.tankLevel;
  into.terminated = from.terminated;
  into.truncated = from.truncated;
  into.isBasePhase = from.isBasePhase;
  into.filterBits = from.filterBits;
}
