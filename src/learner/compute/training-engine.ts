/**
 * Where the numbers of a training live and where its graphs run: in this thread, or in one of its own. The agent fills
 * inputs, asks for calls and reads the state; it never sees which.
 */
import type { PhaseName } from '../update/algorithm.ts';
import type { DeclaredInput } from '../update/input-table.ts';
import type { LearnerSpec } from '../update/spec.ts';
import type { InputArrays } from '../update/update-inputs.ts';

/** A phase that is ready to run, and how many sets of inputs it has: with two, one is filled while the other computes. */
export interface OpenPhase {
  /** What each array of a set is filled with. */
  readonly inputs: readonly DeclaredInput[];
  readonly sets: readonly InputArrays[];
}

/** What a call reported, and whether all of it was finite. */
export interface CallReport {
  /** Means over the critic updates of the call, and the numbers of its outer update, by name. */
  readonly values: Readonly<Record<string, number>>;
  readonly isSound: boolean;
}

/** Calls must be awaited one at a time. All reject with `ReinError` ('policy') once the engine is lost. */
export interface TrainingEngine {
  readonly spec: LearnerSpec;
  /** Builds and loads the graph of `phase` for calls of `updates` inner updates. */
  open(phase: PhaseName, updates: number): Promise<OpenPhase>;
  /** One call on inputs `set` of `phase`. The state changes only where everything that it reports is finite. */
  run(phase: PhaseName, set: number): Promise<CallReport>;
  /** Lets go of the graph of `phase`. */
  shut(phase: PhaseName): Promise<void>;
  /** A copy of the whole state, or of one part of it. */
  read(part?: string): Promise<Float32Array>;
  /** Replaces the whole state, or one part of it. Throws `ReinError` where the size is another's. */
  write(values: Float32Array, part?: string): Promise<void>;
  /** Q(s, a) of `observations` [n, O] and `actions` [n, A], [n]. */
  criticValues(observations: Float32Array, actions: Float32Array): Promise<Float32Array>;
  close(): Promise<void>;
}
