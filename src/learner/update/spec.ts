/** What a learner is built for, and what networks are to it. */
import type { ObservationParts, Rng } from '../../core/index.ts';
import type { ParameterLayout } from '../engine/parameters.ts';
import type { LearnerConfig } from '../options/learner-config.ts';

/** The sizes and settings that everything is built for. */
export interface LearnerSpec {
  readonly parts: ObservationParts;
  /** A: numbers of an action. */
  readonly actionSize: number;
  readonly config: LearnerConfig;
}

/** A network: `members` of one layout side by side, with moments of the optimiser and, where asked for, a slow copy. */
export interface NetworkDef {
  readonly name: string;
  readonly layout: ParameterLayout;
  /** Absent: one network, without a leading axis. */
  readonly members?: number;
  /** Keeps a copy, `Step.target`, that follows as `Step.follow` says. Starts equal. */
  readonly hasTarget?: boolean;
  /** Writes the first values of one member; absent: `initialise` of the networks. */
  readonly initialise?: (layout: ParameterLayout, rng: Rng, out: Float32Array) => void;
}

/** Numbers of the state that no optimiser moves: running means, multipliers. */
export interface NumbersDef {
  readonly name: string;
  readonly initial: readonly number[];
}
