/** How a session keeps time: the one thing in which a robot in real time and one in lock-step with its learner differ. */
import { type SceneLayout, withoutFullStop } from '../core/index.ts';
import type { PolicyNoise } from '../policy/index.ts';
import type { PersonDemonstrator } from '../teleop/index.ts';
import type { Activity } from './activity.ts';
import type { WeightsSource } from './weights/weights-source.ts';

/**
 * In real time (`RealTime`) the robot goes on whatever its learner does, and waits for people. In lock-step robot and learner are never
 * further apart than a fixed number of steps, so that a run repeats exactly, as fast as the machine allows. Episodes, recording
 * and log are the same in both.
 */
export interface Pace {
  readonly weights: WeightsSource;
  /** What stopped the robot last so that it had to be started anew; `undefined` where nothing did, or a person is there to look. */
  readonly restartReason: string | undefined;
  /** Resolves when the learner is joined, or need not be waited for. */
  join(activity: Activity<void>): Promise<void>;
  /** Resolves when the robot has leave to begin an episode. */
  awaitLeave(activity: Activity<unknown>): Promise<void>;
  /** Resolves when the person begins to show the task, or no longer wants to, where that comes before the episode begins. */
  awaitPerson(activity: Activity<void>, shown: ShownByPerson): Promise<void>;
  /** How many steps the next training episode may take at most; 0: training is over. */
  nextEpisode(): Promise<number>;
  /** Called before each step of an episode, in training before the weights' own `beforeStep`. */
  beforeStep(): void | Promise<void>;
  /** Called before each step of a demonstration; `shown` where a person gives it. */
  beforeShownStep(shown: ShownByPerson | undefined): void | Promise<void>;
  /** An episode of a run has ended, early where `cut` says so: whether another may follow. */
  afterEpisode(activity: Activity<unknown>, cut: CutEpisode | undefined): Promise<boolean>;
}

/** A demonstration that a person gives. */
export interface ShownByPerson {
  readonly person: PersonDemonstrator;
  /** They have given it up, or all that are left. */
  readonly isGivenUp: () => boolean;
}

export interface CutEpisode {
  readonly why: string;
  /** `person`: only they can mend it, whatever the guard says. */
  readonly needs: 'guard' | 'person';
}

/** What people are told of it. */
export function cutMessage({ why }: CutEpisode): string {
  return `The episode ended early: ${withoutFullStop(why)}.`;
}

/** What chance decides in a session. Streams are drawn from in the order of episodes. */
export interface Draws {
  readonly exploring: PolicyNoise;
  readonly evaluating: PolicyNoise;
  /** Where an episode of this kind begins; `undefined` on a robot whose surroundings people arrange. */
  layout(stream: LayoutStream): SceneLayout | undefined;
}

/**
 * `first`: before any episode, where a simulated arm stands somewhere impossible. `setBack`: after a way back that did not get there, where
 * the robot goes back by itself.
 */
export type LayoutStream = 'first' | 'setBack' | 'demo' | 'training' | 'evaluation';
