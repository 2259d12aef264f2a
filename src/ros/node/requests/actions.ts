/** The node's actions: one episode, and an evaluation, with feedback; a cancel ends the episode and holds. */
import type { EvaluationReport, LiveSession } from '../../../runtime/live/index.ts';
import type { ActionOutcome, RosPort } from '../../port/index.ts';
import {
  Evaluate,
  type EvaluateFeedback,
  type EvaluateGoal,
  type EvaluateResult,
  RunEpisode,
  type RunEpisodeFeedback,
  type RunEpisodeGoal,
  type RunEpisodeResult,
} from './interfaces.ts';
import { ended, movableSessionOf, type Permission, sentenceOf } from './refusals.ts';

const CANCELED = 'canceled';
const PURPOSES = ['training', 'evaluation'] as const;

/** `onRefusal`: ROS tells whoever asks that a goal is refused, and not why. */
export function offerActions(port: RosPort, permission: Permission, onRefusal: (sentence: string) => void): void {
  port.serveAction(RunEpisode, '~/run_episode', {
    admit: (goal) => refusalOf(permission, (session) => session.whyNotEpisode) ?? purposeRefusal(goal),
    refused: (sentence) => onRefusal(`~/run_episode: ${ended(sentence)}`),
    execute: (goal, feedback, signal) => runEpisode(permission, goal, feedback, signal),
  });
  port.serveAction(Evaluate, '~/evaluate', {
    admit: () => refusalOf(permission, (session) => session.whyNotEvaluate),
    refused: (sentence) => onRefusal(`~/evaluate: ${ended(sentence)}`),
    execute: (goal, feedback, signal) => evaluate(permission, goal, feedback, signal),
  });
}

function refusalOf(permission: Permission, whyNot: (session: LiveSession) => Error | undefined): string | undefined {
  try {
    const error = whyNot(movableSessionOf(permission));
    return error === undefined ? undefined : sentenceOf(error);
  } catch (error) {
    return sentenceOf(error);
  }
}

function purposeRefusal({ purpose }: RunEpisodeGoal): string | undefined {
  if (purpose === '' || PURPOSES.some((allowed) => allowed === purpose)) return undefined;
  return `purpose is "${purpose}", it must be ${PURPOSES.join(' or ')}.`;
}

async function runEpisode(
  permission: Permission,
  goal: RunEpisodeGoal,
  feedback: (feedback: RunEpisodeFeedback) => void,
  signal: AbortSignal,
): Promise<ActionOutcome<RunEpisodeResult>> {
  const nothing = { success: false, steps: 0, intervention_steps: 0, episode_return: 0 };
  try {
    const session = movableSessionOf(permission);
    const activity = session.runEpisode({
      purpose: goal.purpose === 'evaluation' ? 'evaluation' : 'training',
      maxSteps: goal.max_steps,
      onStep: ({ step, reward, filterBits }) =>
        feedback({ step, reward, authority: session.state.authority, filter_bits: filterBits }),
    });
    const release = cutOn(signal, () => activity.cut(CANCELED));
    const report = await activity.done.finally(release);
    const { success, steps, interventionSteps, returnSum, endedBy, abortedBy, isDecided } = report;
    const wasCut = abortedBy !== undefined && !isDecided;
    return {
      status: wasCut ? statusOf(signal) : 'succeeded',
      result: { success, steps, intervention_steps: interventionSteps, episode_return: returnSum, ended_by: endedBy },
    };
  } catch (error) {
    return { status: statusOf(signal), result: { ...nothing, ended_by: sentenceOf(error) } };
  }
}

async function evaluate(
  permission: Permission,
  goal: EvaluateGoal,
  feedback: (feedback: EvaluateFeedback) => void,
  signal: AbortSignal,
): Promise<ActionOutcome<EvaluateResult>> {
  try {
    const activity = movableSessionOf(permission).evaluate({
      episodes: goal.episodes,
      onEpisode: (done, successes) => feedback({ done, successes }),
    });
    const release = cutOn(signal, () => activity.cut(CANCELED));
    const report = await activity.done.finally(release);
    return { status: report.endedEarly === undefined ? 'succeeded' : statusOf(signal), result: resultOf(report) };
  } catch {
    return { status: statusOf(signal), result: resultOf(NO_EPISODES) };
  }
}

const NO_EPISODES: EvaluationReport = {
  ...{ episodes: 0, successes: 0, successRate: 0, low: 0, high: 1, meanSteps: 0 },
  ...{ successesPerHour: 0, humanStepShare: 0 },
};

function resultOf(report: EvaluationReport): EvaluateResult {
  const { episodes, successes, low, high } = report;
  return {
    ...{ episodes, successes, low, high },
    success_rate: report.successRate,
    mean_steps: report.meanSteps,
    successes_per_hour: report.successesPerHour,
    human_step_share: report.humanStepShare,
  };
}

function statusOf(signal: AbortSignal): 'canceled' | 'aborted' {
  return signal.aborted ? 'canceled' : 'aborted';
}

function cutOn(signal: AbortSignal, cut: () => void): () => void {
  if (signal.aborted) cut();
  signal.addEventListener('abort', cut);
  return () => signal.removeEventListener('abort', cut);
}
