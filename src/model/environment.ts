/** A simulated task for learning, stepped without real time. Used by studies of the learner. */
import type { ActionRange } from './action-range.ts';
import type { Rng } from './rng.ts';

/** Parts of an observation vector, in order. A part of size 0 or `undefined` is absent. */
export interface ObservationParts {
  /** State numbers, visible to actor and critics. */
  readonly stateSize: number;
  /** An image of `channels`·`height`·`width` numbers in [0, 1], channel first, visible to actor and critics. */
  readonly image?: ImageShape;
  /** Components of the base policy's action, visible to actor and critics: the action size if there is a base policy. */
  readonly baseActionSize?: number;
  /** Numbers visible to critics only: known in simulation, not on the robot. */
  readonly privilegedSize?: number;
}

/** Shape of one image. */
export interface ImageShape {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/** Numbers of one image. */
export function imageSize({ channels, height, width }: ImageShape): number {
  return channels * height * width;
}

/** Numbers of the whole observation vector. */
export function totalObservationSize(parts: ObservationParts): number {
  return policyObservationSize(parts) + (parts.privilegedSize ?? 0);
}

/** Numbers visible to the policy: all but the privileged ones, which come last. */
export function policyObservationSize({ stateSize, image, baseActionSize }: ObservationParts): number {
  return stateSize + (image === undefined ? 0 : imageSize(image)) + (baseActionSize ?? 0);
}

/**
 * One task. `observation`, `reward` and the flags are those of the last `reset` or `step`. The same generator and the same
 * actions repeat episodes bit for bit.
 */
export interface Environment {
  readonly name: string;
  readonly parts: ObservationParts;
  /** A: number of action components, each in [−1, 1]; the environment scales them to physical units. */
  readonly actionSize: number;
  /** [A] physical range of each component, for exported policies. Absent: unknown. */
  readonly actionRanges?: readonly ActionRange[] | undefined;
  /** Steps after which an episode is truncated (not terminated). */
  readonly maxSteps: number;
  /** Simulated time of one step, s. */
  readonly periodS: number;
  /** [O], the `parts` concatenated. Reused by the next step: copy it to keep it. */
  readonly observation: Float32Array;
  /** [A] action executed by the last step, after clipping and the environment's filters. Reused by the next step. */
  readonly executedAction: Float32Array;
  readonly reward: number;
  /** ≥ 0: cost of the step besides its reward (energy, safety), in the environment's unit; 0 if it has none. */
  readonly cost: number;
  /** The task itself ended the episode. */
  readonly isTerminated: boolean;
  /** The task was solved in this step; `undefined` if the task has returns only. */
  readonly isSuccess: boolean | undefined;
  /** Starts an episode drawn from `rng`. */
  reset(rng: Rng): void;
  /** Applies `action` [A], clipped to [−1, 1], for one period. */
  step(action: Float32Array): void;
  close(): void;
}
