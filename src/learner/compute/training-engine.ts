/**
 * Where the numbers of a training live and where its graphs run: in this thread, or in one of its own. The agent fills
 * inputs, asks for calls and reads the state; it never sees which.
 */
import type { PackedError } from '../../core/index.ts';
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

/** What the thread is started with. */
export interface EngineStart {
  readonly spec: LearnerSpec;
  readonly hasRobot: boolean;
}

/** What the agent asks for. Requests are answered in their order, one answer each. */
export type EngineRequest =
  /** `sets`: the same inputs twice, in shared memory. */
  | {
      readonly kind: 'open';
      readonly phase: PhaseName;
      readonly updates: number;
      readonly sets: readonly InputArrays[];
    }
  | { readonly kind: 'run'; readonly phase: PhaseName; readonly set: number }
  | { readonly kind: 'shut'; readonly phase: PhaseName }
  | { readonly kind: 'read'; readonly part: string | undefined }
  | { readonly kind: 'write'; readonly values: Float32Array; readonly part: string | undefined }
  | { readonly kind: 'values'; readonly observations: Float32Array; readonly actions: Float32Array }
  /** The thread ends by itself after it: it must not be terminated during a call, which would abort the process. */
  | { readonly kind: 'close' };

/** What comes back. */
export type EngineAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly report: CallReport }
  | { readonly kind: 'numbers'; readonly numbers: Float32Array }
  | { readonly kind: 'failed'; readonly error: PackedError | Error };
