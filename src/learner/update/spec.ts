/** Specification of a learner, and definitions of its networks. */
import type { ObservationParts, Rng } from '../../model/index.ts';
import type { ParameterLayout } from '../engine/parameters.ts';
import type { LearnerConfig } from '../options/learner-config.ts';

/** Sizes and settings that everything is built for. */
export interface LearnerSpec {
  readonly parts: ObservationParts;
  /** A: numbers of an action. */
  readonly actionSize: number;
  readonly config: LearnerConfig;
}

/** A network: `members` of one layout side by side, with optimiser moments and, if requested, a slow copy. */
export interface NetworkDef {
  readonly name: string;
  readonly layout: ParameterLayout;
  /** Absent: one network, without a leading axis. */
  readonly members?: number;
  /** Keeps a slow copy, `Step.target`, updated by `Step.follow`. Initially equal. */
  readonly hasTarget?: boolean;
  /** Writes the initial values of one member; absent: `initialise` of the networks. */
  readonly initialise?: (layout: ParameterLayout, rng: Rng, out: Float32Array) => void;
}

/** State values that no optimiser updates: running means, multipliers. */
export interface NumbersDef {
  readonly name: string;
  readonly initial: readonly number[];
}
