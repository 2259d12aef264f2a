/** Cost of success: successes per hour of the robot's time, and share of the work done by operators. */
import { percent } from '../model/index.ts';

/** Work done on a robot. */
export interface Work {
  /** Successful episodes, with help or without. */
  readonly successes: number;
  /** Policy steps, and those of them decided by an operator or the scripted operator. */
  readonly steps: number;
  readonly helpedSteps: number;
  /** The robot's own time, resets and waits included, s: simulated time in simulation. */
  readonly robotS: number;
}

/** Rates reported together with success. */
export interface WorkRates {
  /** Successful episodes per hour of the robot's time, resets included; absent if no time has passed. */
  readonly successesPerHour?: number | undefined;
  /** Share of the steps decided by an operator or the scripted operator, 0..1. */
  readonly humanStepShare: number;
}

/** Rates of `work`. */
export function workRates({ successes, steps, helpedSteps, robotS }: Work): WorkRates {
  const humanStepShare = steps > 0 ? helpedSteps / steps : 0;
  return robotS > 0 ? { successesPerHour: (3600 * successes) / robotS, humanStepShare } : { humanStepShare };
}

/** Rates as text: `61 successes an hour, resets included; 7.5 % of the steps by people or the script`. */
export function workRatesText({ successesPerHour, humanStepShare }: WorkRates): string {
  const help = `${percent(humanStepShare)} of the steps by people or the script`;
  return successesPerHour === undefined
    ? help
    : `${perHourText(successesPerHour)} successes an hour, resets included; ${help}`;
}

/** Formats successes per hour: one decimal below 10. */
export function perHourText(successesPerHour: number): string {
  return successesPerHour.toFixed(successesPerHour < 10 ? 1 : 0);
}

/** Fields of an episode's record used for rates. */
export interface EpisodeWork {
  readonly success: boolean;
  readonly steps: number;
  readonly interventionSteps: number;
  readonly cutBy?: string;
  /** End: the robot's own time, or the run's if that is unknown, s. */
  readonly robotS?: number;
  readonly tS: number;
}

/**
 * Work of `episodes`, in order. Time and successes count from the end of the first one; if time goes back, the run was
 * restarted, and the interval is not counted. Cut episodes are no successes, but took their time.
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
