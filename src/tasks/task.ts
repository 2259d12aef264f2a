/** Interface of a task: observation, reward, success and start. Pure: no clock, no I/O. */
import { type ActionSpec, type ObservationSpec, ReinError, type Rng } from '../model/index.ts';
import type { GuardFrame, SceneLayout } from '../rows/index.ts';
import type { ObservationSource, ObservationTopic } from './observation-source.ts';

/** Success criterion of a task without rules: terminal keys and page buttons. */
export const JUDGED_BY_PERSON =
  'a person judges it: m or Success marks a success, n or Failure a failure, and either ends the episode';

/** Judgement of one step. */
export interface Verdict {
  reward: number;
  /** The episode has terminated: no return is expected after this step. */
  terminated: boolean;
  success: boolean;
}

/** Outcome of a decided episode. */
export type Outcome = 'success' | 'failure';

export interface Task {
  readonly name: string;
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  /** Names that the driver's `RobotState.signals` must have, in this order. */
  readonly signalNames: readonly string[];
  /** Observation delay, policy steps. Default: 0. */
  readonly observationDelaySteps?: number;
  /** Policy steps after which an episode is truncated. */
  readonly maxSteps: number;
  /** True if operators mark episodes as success or failure. Default: only `judge` decides. */
  readonly takesMarks?: boolean;
  /** True if `judge` can detect success by itself. Default: true unless `takesMarks`. */
  readonly hasRules?: boolean;
  /** False: there is no success criterion, and operators only drive. Default: true. */
  readonly isJudged?: boolean;
  /** True if people arrange the surroundings: `drawLayout` throws and must not be called. Default: software does. */
  readonly isArrangedByPeople?: boolean;
  /** Topics that the observation reads. Default: none. */
  readonly topics?: readonly ObservationTopic[];
  /** Sets the sources of `topics`, in the same order; called before the first `observe`. */
  attach?(sources: readonly ObservationSource[]): void;
  /** Draws one episode's start. The same generator state gives the same start. Throws `ReinError('task')` if none is reachable. */
  drawLayout(rng: Rng): SceneLayout;
  /**
   * Writes one frame of the observation ([frameSize] at `offset` of `out`) from the guard's newest frame and the
   * action executed in the previous step ([A], normalised). Values are scaled to about [−1, 1]. No allocation.
   */
  observe(out: Float32Array, offset: number, frame: GuardFrame, previousExecuted: Float32Array): void;
  /** Success criterion, one sentence for display. */
  readonly goal: string;
  /** Writes the vector from the tool point to its target, [3] m, base frame, as far as it is known. Absent: there is no target. */
  offset?(frame: GuardFrame, out: Float64Array): void;
  /** Loads what `judge` needs, before anything moves. Default: nothing. Throws `ReinError('task')`. */
  open?(): void;
  /** Begins an episode with the robot at `frame`: clears the state of the previous one. */
  begin?(frame: GuardFrame): void;
  /** Outcome that the start (robot at `frame`, policy sees `observation`) already is. Absent, `undefined`: none. */
  startsAs?(frame: GuardFrame, observation: Float32Array): Outcome | undefined;
  /**
   * Judges the step that ended in `frame`. `observation` [O] is what the policy sees, except that the base policy's action is still
   * that of the previous step. No allocation.
   */
  judge(frame: GuardFrame, out: Verdict, observation: Float32Array): void;
  /** If a classifier decides: verdict of the task's own rules on the newest step. Reused. */
  readonly ownVerdict?: Readonly<Verdict>;
}

/** Error if each of `draws` starts is already a `outcome`: such episodes teach nothing. */
export function startsOver(name: string, outcome: Outcome, draws: number): ReinError {
  return new ReinError('task', `Task ${name} is a ${outcome} from the start: ${draws} layouts drawn, and all are.`, {
    remedy: `Start farther away (start, scene.bodies), or make the rules of ${outcome} narrower.`,
  });
}
