/**
 * Which weights act at which step, so that a simulated run repeats exactly: the learner publishes at fixed numbers of
 * updates, and the robot applies each version a fixed number of steps later, whenever it arrived.
 */
import { type LearnerConfig, updatesPerCall } from '../learner/options.ts';

/**
 * Steps that the robot may be ahead of the weights it acts on. Enough for both processes to be always busy; small
 * against the hundreds of steps in which a policy changes.
 */
export const LAG_STEPS = 60;

/**
 * The version that acts at `onlineSteps` accepted steps; the first version is that of the demonstrations. A learner makes
 * its updates in whole calls, and publishes at most once a call.
 */
export function versionDue(config: LearnerConfig, onlineSteps: number): number {
  const { utd, publishEveryUpdates, warmupSteps } = config;
  const perCall = updatesPerCall(config);
  const calls = Math.floor((utd * Math.max(0, onlineSteps - warmupSteps - LAG_STEPS)) / perCall);
  return 1 + Math.floor((calls * Math.min(perCall, publishEveryUpdates)) / publishEveryUpdates);
}
