/** The contract of a task: what is seen, what counts, where an episode starts. Pure: no clock, no I/O. */
import {
  type ActionSpec,
  type GuardFrame,
  type ObservationSpec,
  ReinError,
  type Rng,
  type SceneLayout,
} from '../core/index.ts';
import type { ObservationSource, ObservationTopic } from './observation-source.ts';

/** What success is where nothing measures it: with a terminal's keys, and with the page's buttons. */
export const JUDGED_BY_PERSON =
  'a person judges it: m or Success marks a success, n or Failure a failure, and either ends the episode';

/** What a step led to. */
export interface Verdict {
  reward: number;
  /** The task is decided: no return is to be expected after this step. */
  terminated: boolean;
  success: boolean;
}

/** What an episode ends as that is decided. */
export type Outcome = 'success' | 'failure';

export interface Task {
  readonly name: string;
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  /** Names that the driver's `RobotState.signals` must have, in this order. */
  readonly signalNames: readonly string[];
  /** How many policy steps late frames are shown. Default: 0. */
  readonly observationDelaySteps?: number;
  /** Policy steps after which an episode is cut. */
  readonly maxSteps: number;
  /** Whether people decide when an episode is a success or a failure. Default: only `judge` does. */
  readonly takesMarks?: boolean;
  /** Whether `judge` by itself can tell a success. Default: unless people decide. */
  readonly hasRules?: boolean;
  /** False: nothing says what a success is, and people only drive. Default: true. */
  readonly isJudged?: boolean;
  /** People arrange the surroundings: `drawLayout` throws and is not to be called. Default: software does. */
  readonly isArrangedByPeople?: boolean;
  /** Topics that the observation reads. Default: none. */
  readonly topics?: readonly ObservationTopic[];
  /** Where the values of `topics` come from, in the same order; before the first `observe`. */
  attach?(sources: readonly ObservationSource[]): void;
  /** Draws one episode's start. The same generator state gives the same start. Throws `ReinError('task')` when none is reachable. */
  drawLayout(rng: Rng): SceneLayout;
  /**
   * Writes one frame of the observation ([frameSize] at `offset` of `out`) from the guard's newest frame and the
   * action executed in the step before ([A], normalised). Values are scaled to about [−1, 1]. No allocation.
   */
  observe(out: Float32Array, offset: number, frame: GuardFrame, previousExecuted: Float32Array): void;
  /** What counts as success, one sentence for people. */
  readonly goal: string;
  /** Writes the way from the tool point to where the task wants it, [3] m, base frame, as far as it is known. Absent: no place is named. */
  offset?(frame: GuardFrame, out: Float64Array): void;
  /** Loads what judging needs, before anything moves. Default: nothing. Throws `ReinError('task')`. */
  open?(): void;
  /** An episode begins, with the robot as `frame` says: what was remembered of the one before is forgotten. */
  begin?(frame: GuardFrame): void;
  /** What an episode would be from its start, with the robot as `frame` says and seen as `observation`. Absent, `undefined`: neither. */
  startsAs?(frame: GuardFrame, observation: Float32Array): Outcome | undefined;
  /**
   * Judges the step that ended in `frame`, of which the policy sees `observation`, [O] but for the base policy's action, which is still
   * that of the step before. No allocation.
   */
  judge(frame: GuardFrame, out: Verdict, observation: Float32Array): void;
  /** Where a classifier decides: what the task's own rules say of the newest step. Reused. */
  readonly ownVerdict?: Readonly<Verdict>;
}

/** The error where each of `draws` starts was a `outcome` already, and would teach nothing. */
export function startsOver(name: string, outcome: Outcome, draws: number): ReinError {
  return new ReinError('task', `Task ${name} is a ${outcome} from the start: ${draws} layouts drawn, and all are.`, {
    remedy: `Start farther away (start, scene.bodies), or make the rules of ${outcome} narrower.`,
  });
}
