/** A simulated task to learn in, step by step and without real time. What studies of the learner run on. */
import type { ActionRange } from './action-range.ts';
import type { Rng } from './rng.ts';

/** The parts of an observation vector, in the order in which they lie in it. A size of 0 or nothing: not there. */
export interface ObservationParts {
  /** Numbers that everybody sees. */
  readonly stateSize: number;
  /** A frame of `channels`·`height`·`width` numbers in [0, 1], channel first, for everybody. */
  readonly image?: ImageShape;
  /** Numbers of a base policy's action, for everybody: the action size where there is a base. */
  readonly baseActionSize?: number;
  /** Numbers that only critics see: known in simulation, not on the robot. */
  readonly privilegedSize?: number;
}

/** Of one frame. */
export interface ImageShape {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/** Numbers of one frame. */
export function imageSize({ channels, height, width }: ImageShape): number {
  return channels * height * width;
}

/** Numbers of the whole vector. */
export function totalObservationSize(parts: ObservationParts): number {
  return policyObservationSize(parts) + (parts.privilegedSize ?? 0);
}

/** Numbers that a policy sees: all but the privileged ones, which come last. */
export function policyObservationSize({ stateSize, image, baseActionSize }: ObservationParts): number {
  return stateSize + (image === undefined ? 0 : imageSize(image)) + (baseActionSize ?? 0);
}

/**
 * One task. `observation`, `reward` and the flags are those of the last `reset` or `step`. Given the same generator and the
 * same actions, episodes repeat bit for bit.
 */
export interface Environment {
  readonly name: string;
  readonly parts: ObservationParts;
  /** A: numbers of an action, each in [−1, 1]; the environment scales them to its units. */
  readonly actionSize: number;
  /** [A] what −1 and 1 of each number are in the world, for exported policies. Absent: nobody has said. */
  readonly actionRanges?: readonly ActionRange[] | undefined;
  /** Steps after which an episode is cut (truncated, not terminated). */
  readonly maxSteps: number;
  /** Simulated time of one step, s. */
  readonly periodS: number;
  /** [O], `parts` one after another. Reused: copy what you keep. */
  readonly observation: Float32Array;
  /** [A] what the action of the last step came to, clipped and after any filter that the environment has. Reused. */
  readonly executedAction: Float32Array;
  readonly reward: number;
  /** ≥ 0: what the step cost beside its reward (energy, safety), in the unit that the environment names; 0 where nothing does. */
  readonly cost: number;
  /** The task itself ended the episode. */
  readonly isTerminated: boolean;
  /** The task was solved in this step; `undefined` where a task knows only returns. */
  readonly isSuccess: boolean | undefined;
  /** Begins an episode that is drawn from `rng`. */
  reset(rng: Rng): void;
  /** Applies `action` [A], clipped to [−1, 1], for one period. */
  step(action: Float32Array): void;
  close(): void;
}
