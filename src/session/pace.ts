/** Timing of a session: the only difference between a robot in real time and one in lock-step with its learner. */
import { withoutFullStop } from '../model/index.ts';
import type { PolicyNoise } from '../policy/index.ts';
import type { SceneLayout } from '../rows/index.ts';
import type { PersonDemonstrator } from '../teleop/index.ts';
import type { Activity } from './activity.ts';
import type { WeightsSource } from './weights/weights-source.ts';

/**
 * In real time (`RealTime`) the robot goes on whatever its learner does, and waits for people. In lock-step, robot and learner are never
 * further apart than a fixed number of steps, so that a run repeats exactly, as fast as the machine allows. Episodes, recording and log are
 * the same in both.
 */
export interface Pace {
  readonly weights: WeightsSource;
  /** Reason of the last stop after which the robot was restarted; `undefined` if there was none, or a person is present to look. */
  readonly restartReason: string | undefined;
  /** Resolves when the learner is joined, or need not be waited for. */
  join(activity: Activity<void>): Promise<void>;
  /** Resolves when the robot has permission to begin an episode. */
  awaitLeave(activity: Activity<unknown>): Promise<void>;
  /** Resolves when the person begins to demonstrate the task, or gives up, if that precedes the episode's beginning. */
  awaitPerson(activity: Activity<void>, shown: ShownByPerson): Promise<void>;
  /** Largest number of steps of the next training episode; 0: training is over. */
  nextEpisode(): Promise<number>;
  /** Called before each step of an episode, in training before the weights' own `beforeStep`. */
  beforeStep(): void | Promise<void>;
  /** Called before each step of a demonstration; `shown` if a person gives it. */
  beforeShownStep(shown: ShownByPerson | undefined): void | Promise<void>;
  /** Called when an episode of a run has ended, early if `cut` is given. Resolves to true if another may follow. */
  afterEpisode(activity: Activity<unknown>, cut: CutEpisode | undefined): Promise<boolean>;
}

/** A demonstration given by a person. */
export interface ShownByPerson {
  readonly person: PersonDemonstrator;
  /** True if the person has given up this demonstration, or all that remain. */
  readonly isGivenUp: () => boolean;
}

export interface CutEpisode {
  readonly why: string;
  /** `person`: only a person can resolve it, whatever the guard's state. */
  readonly needs: 'guard' | 'person';
}

/** Message for people about it. */
export function cutMessage({ why }: CutEpisode): string {
  return `The episode ended early: ${withoutFullStop(why)}.`;
}

/** Random draws of a session. Streams are drawn from in the order of episodes. */
export interface Draws {
  readonly exploring: PolicyNoise;
  readonly evaluating: PolicyNoise;
  /** Initial layout of an episode of this kind; `undefined` on a robot whose surroundings are arranged by people. */
  layout(stream: LayoutStream): SceneLayout | undefined;
}

/**
 * `first`: before any episode, if a simulated arm stands at an impossible pose. `setBack`: after a failed return, on a robot that goes back
 * by itself.
 */
export type LayoutStream = 'first' | 'setBack' | 'demo' | 'training' | 'evaluation';
