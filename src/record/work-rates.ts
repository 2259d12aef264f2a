/** What success took: how often it came in an hour of the robot's time, and how much of the work a person did. */
import { percent } from '../core/index.ts';

/** Work that was done on a robot. */
export interface Work {
  /** Successful episodes, with help or without. */
  readonly successes: number;
  /** Policy steps, and those of them that a person or the scripted operator decided. */
  readonly steps: number;
  readonly helpedSteps: number;
  /** The robot's own time that it took, resets and waits included, s: simulated time in simulation. */
  readonly robotS: number;
}

/** What is reported beside success wherever success is. */
export interface WorkRates {
  /** Successful episodes in an hour of the robot's time, resets included; left out where no time has passed. */
  readonly successesPerHour?: number | undefined;
  /** Share of the steps that a person or the scripted operator decided, 0..1. */
  readonly humanStepShare: number;
}

/** The rates of `work`. */
export function workRates({ successes, steps, helpedSteps, robotS }: Work): WorkRates {
  const humanStepShare = steps > 0 ? helpedSteps / steps : 0;
  return robotS > 0 ? { successesPerHour: (3600 * successes) / robotS, humanStepShare } : { humanStepShare };
}

/** The rates in words: `61 successes an hour, resets included; 7.5 % of the steps by people or the script`. */
export function workRatesText({ successesPerHour, humanStepShare }: WorkRates): string {
  const help = `${percent(humanStepShare)} of the steps by people or the script`;
  return successesPerHour === undefined
    ? help
    : `${perHourText(successesPerHour)} successes an hour, resets included; ${help}`;
}

/** A number of successes an hour, as exact as it is of use. */
export function perHourText(successesPerHour: number): string {
  return successesPerHour.toFixed(successesPerHour < 10 ? 1 : 0);
}

/** What an episode's record says of work. */
export interface EpisodeWork {
  readonly success: boolean;
  readonly steps: number;
  readonly interventionSteps: number;
  readonly cutBy?: string;
  /** When it ended: the robot's own time, or where that is unknown the run's, s. */
  readonly robotS?: number;
  readonly tS: number;
}

/**
 * The work of `episodes`, in their order. Time counts from the end of the first one, and so do successes; where it goes back, the
 * run was started again, and what lies between is not counted. Episodes that were cut are no successes, but took their time.
 */
export function workOf(episodes: readonly EpisodeWork[]): Work {
  let [successes, steps, helpedSteps, robotS] = [0, 0, 0, 0];
  let beforeS: number | undefined;
  for (const episode of episodes) {
    const endS = episode.robotS ?? episode.tS;
    steps += episode.steps;
    helpedSteps += episode.interventionSteps;
    if (beforeS !== undefined && endS >= beforeS) {
      robotS += endS - beforeS;
      if (episode.success && episode.cutBy === undefined) successes++;
    }
    beforeS = endS;
  }
  return { successes, steps, helpedSteps, robotS };
}
