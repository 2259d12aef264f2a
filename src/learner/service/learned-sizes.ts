/** What the learner of a robot's run works with, and what its checkpoints must fit. */
import { type ObservationParts, totalObservationSize } from '../../core/index.ts';
import type { Agent } from '../agent/agent.ts';
import type { CheckpointExpectation } from '../checkpoint.ts';
import type { ObservationEncoder } from '../imports/observation-encoder.ts';
import type { LearnerConfig } from '../options/learner-config.ts';

/** The parts of a run's setup that a learner works with. */
export interface LearnerSetup {
  readonly config: {
    readonly seed: number;
    readonly learner: LearnerConfig;
    /** `demonstrations`: episodes that the learner waits for before it begins. */
    readonly task: { readonly demonstrations: number };
  };
  readonly task: { readonly maxSteps: number };
  readonly schemaHash: string;
  readonly observationSize: number;
  readonly parts: ObservationParts;
  readonly actionSize: number;
  /** What the numbers of observations, actions and rewards mean, by dotted key: a robot must agree on each. */
  readonly meaning: Readonly<Record<string, unknown>>;
}

/** Sizes of what the agent works with: the task's observations, or what `eyes` make of them. */
export function learnedSizes(
  { parts: raw, actionSize }: LearnerSetup,
  eyes: ObservationEncoder | undefined,
): { readonly observationSize: number; readonly parts: ObservationParts; readonly actionSize: number } {
  const { parts } = eyes ?? { parts: raw };
  return { observationSize: totalObservationSize(parts), parts, actionSize };
}

/** Names the encoder in a checkpoint, where there is one. */
export function encoderOf(eyes: ObservationEncoder | undefined): { readonly encoderDigest?: string } {
  return eyes === undefined ? {} : { encoderDigest: eyes.digest };
}

/** What a checkpoint must be for `agent` to continue from it. */
export function expectedCheckpoint(
  setup: LearnerSetup,
  eyes: ObservationEncoder | undefined,
  { stateSize }: Agent,
): CheckpointExpectation {
  const { observationSize, actionSize } = learnedSizes(setup, eyes);
  return { schemaHash: setup.schemaHash, observationSize, actionSize, stateSize, ...encoderOf(eyes) };
}
