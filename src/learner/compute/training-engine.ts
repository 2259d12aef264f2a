/**
 * Engine that holds the numbers of a training and runs its graphs: in this thread, or in a worker thread. The agent fills
 * inputs, starts calls and reads the state, without knowing which.
 */
import type { PhaseName } from '../update/algorithm.ts';
import type { DeclaredInput } from '../update/input-table.ts';
import type { LearnerSpec } from '../update/spec.ts';
import type { InputArrays } from '../update/update-inputs.ts';

/** A phase that is ready to run, with its sets of inputs: with two, one is filled while the other computes. */
export interface OpenPhase {
  /** Declaration of each array of a set. */
  readonly inputs: readonly DeclaredInput[];
  readonly sets: readonly InputArrays[];
}

/** Values reported by a call; `isSound` if all are finite. */
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
  /** Runs one call on input set `set` of `phase`. The state changes only if all reported values are finite. */
  run(phase: PhaseName, set: number): Promise<CallReport>;
  /** Releases the graph of `phase`. */
  shut(phase: PhaseName): Promise<void>;
  /** A copy of the whole state, or of one part of it. */
  read(part?: string): Promise<Float32Array>;
  /** Replaces the whole state, or one part of it. Throws `ReinError` if the size differs. */
  write(values: Float32Array, part?: string): Promise<void>;
  /** Q(s, a) of `observations` [n, O] and `actions` [n, A], [n]. */
  criticValues(observations: Float32Array, actions: Float32Array): Promise<Float32Array>;
  close(): Promise<void>;
}
