/** Services and actions of the node, and their refusals: one message each, never a crash. */
import { messageOf, ReinError } from '../../model/index.ts';
import { encodeJson } from '../../rows/index.ts';
import type { EvaluationReport, LiveSession } from '../../session/index.ts';
import type { PersonRequest, RunWatcher } from '../../session/person-request.ts';
import {
  Evaluate,
  type EvaluateFeedback,
  type EvaluateGoal,
  type EvaluateResult,
  MARK,
  Mark,
  RunEpisode,
  type RunEpisodeFeedback,
  type RunEpisodeGoal,
  type RunEpisodeResult,
  SavePolicy,
  type SavePolicyAnswer,
  type SavePolicyRequest,
  Trigger,
  type TriggerAnswer,
} from '../messages/definitions.ts';
import type { ActionOutcome, RosPort } from '../port/ros-port.ts';
import type { SessionHolder } from './session-holder.ts';

/** State of the node that refusals depend on. */
export interface Permission {
  readonly holder: SessionHolder;
  /** The node is active. */
  readonly isActive: boolean;
  readonly fullName: string;
}

export interface ServicesOptions {
  readonly port: RosPort;
  readonly permission: Permission;
  /** Called when an activity started by a service fails later. */
  readonly onFailure: (error: unknown) => void;
}

/** Offers the node's services. Each call is answered; failures with `success: false` and a message. */
export function offerServices(options: ServicesOptions): void {
  const { port, permission } = options;
  const trigger = (name: string, act: () => string | Promise<string>): void =>
    port.serve(Trigger, name, () => answer(act), failed);
  trigger('~/stop', async () => {
    await openSessionOf(permission).stop('~/stop was called');
    return 'The robot brakes and holds, until ~/reset.';
  });
  trigger('~/reset', async () => {
    const session = movableSessionOf(permission);
    if (await session.reset()) return 'The robot holds and may move again.';
    return `There was nothing to reset; ${session.state.mode === 'idle' ? 'the robot holds' : 'the current activity continues'}.`;
  });
  trigger('~/resume', () => {
    const activity = movableSessionOf(permission).resume();
    activity.done.catch(options.onFailure);
    return 'Episode after episode, until ~/stop.';
  });
  trigger('~/start_episode', () => {
    const activity = movableSessionOf(permission).runEpisode({ purpose: 'training' });
    activity.done.catch(options.onFailure);
    return 'One episode.';
  });
  trigger('~/rollback_policy', () => `Policy ${openSessionOf(permission).rollbackPolicy()} acts.`);
  port.serve(
    Mark,
    '~/mark',
    ({ mark, note }) =>
      answer(() => {
        if (mark !== MARK.SUCCESS && mark !== MARK.FAILURE) {
          throw new RangeError(`mark is ${mark}, it must be ${MARK.SUCCESS} (success) or ${MARK.FAILURE} (failure)`);
        }
        const marked = openSessionOf(permission).mark(mark === MARK.SUCCESS ? 'success' : 'failure', note);
        if (!marked.isTaken) throw new RangeError(marked.message);
        return marked.message;
      }),
    failed,
  );
  const unsaved = (message: string): SavePolicyAnswer => ({ ...failed(message), path: '', version: 0n });
  const save = async (request: SavePolicyRequest): Promise<SavePolicyAnswer> => {
    try {
      const { path, version } = await openSessionOf(permission).savePolicy(request.path);
      return { success: true, message: `Policy ${version} is saved.`, path, version: BigInt(version) };
    } catch (error) {
      return unsaved(answerTo(error));
    }
  };
  port.serve(SavePolicy, '~/save_policy', save, unsaved);
}

/** Answer if a handler fails or its result does not fit, so that the caller does not wait in vain. */
function failed(message: string): TriggerAnswer {
  return { success: false, message };
}

async function answer(act: () => string | Promise<string>): Promise<TriggerAnswer> {
  try {
    return { success: true, message: await act() };
  } catch (error) {
    return failed(answerTo(error));
  }
}

/**
 * Applies the services' permissions to requests from the monitor: those that let the robot move are refused while the
 * node is inactive, with a sentence on the page. All others go to the listener set by `asks` of the result, the
 * session's own panel.
 */
export function withLeave({ permission, onFailure }: Omit<ServicesOptions, 'port'>, watcher: RunWatcher): RunWatcher {
  let ask: ((request: PersonRequest) => void) | undefined;
  const refuse = (error: unknown): void =>
    watcher.packet(encodeJson('notice', { line: answerTo(error), atMs: Date.now() }));
  // A start overtaken by a stop begins nothing.
  let said = 0;
  const start = async (): Promise<void> => {
    const session = movableSessionOf(permission);
    const mine = ++said;
    ask?.({ kind: 'start' });
    await session.reset();
    if (mine === said && session.state.mode === 'idle') session.resume().done.catch(onFailure);
  };
  watcher.asks((request) => {
    if (request.kind === 'stop') said++;
    if (request.kind === 'start') start().catch(refuse);
    else if (request.kind === 'reset') (async () => movableSessionOf(permission).reset())().catch(refuse);
    else ask?.(request);
  });
  return {
    packet: (packet) => watcher.packet(packet),
    asks: (to) => {
      ask = to;
    },
  };
}

const CANCELED = 'canceled';
const PURPOSES = ['training', 'evaluation'] as const;

/**
 * Offers the node's actions, with feedback; a cancel ends the episode and holds. `onRefusal`: reports why a goal is
 * refused, which ROS does not carry.
 */
export function offerActions(port: RosPort, permission: Permission, onRefusal: (message: string) => void): void {
  port.serveAction(RunEpisode, '~/run_episode', {
    admit: (goal) => refusalOf(permission, (session) => session.whyNotEpisode) ?? purposeRefusal(goal),
    refused: (message) => onRefusal(`~/run_episode: ${ended(message)}`),
    execute: (goal, feedback, signal) => runEpisode(permission, goal, feedback, signal),
  });
  port.serveAction(Evaluate, '~/evaluate', {
    admit: () => refusalOf(permission, (session) => session.whyNotEvaluate),
    refused: (message) => onRefusal(`~/evaluate: ${ended(message)}`),
    execute: (goal, feedback, signal) => evaluate(permission, goal, feedback, signal),
  });
}

function refusalOf(permission: Permission, whyNot: (session: LiveSession) => Error | undefined): string | undefined {
  try {
    const error = whyNot(movableSessionOf(permission));
    return error === undefined ? undefined : answerTo(error);
  } catch (error) {
    return answerTo(error);
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
    return { status: statusOf(signal), result: { ...nothing, ended_by: answerTo(error) } };
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
  episodes: 0,
  successes: 0,
  successRate: 0,
  low: 0,
  high: 1,
  meanSteps: 0,
  successesPerHour: 0,
  humanStepShare: 0,
};

function resultOf(report: EvaluationReport): EvaluateResult {
  const { episodes, successes, low, high } = report;
  return {
    episodes,
    successes,
    low,
    high,
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

/** Open session. Throws `ReinError('task')` if there is none. */
function openSessionOf({ holder, fullName }: Permission): LiveSession {
  if (holder.session !== undefined) return holder.session;
  const why = {
    closed: `${fullName} is not configured: ros2 lifecycle set ${fullName} configure`,
    opening: waitOf(holder) ?? 'The connection to the robot is being opened; try again in a moment',
    open: 'The connection to the robot is being closed',
    failed: holder.failure?.message ?? 'The connection to the robot could not be opened',
  };
  throw new ReinError('task', ended(why[holder.state]));
}

/** Open session of an active node: motion may begin. Throws `ReinError('task')` otherwise. */
function movableSessionOf(permission: Permission): LiveSession {
  const session = openSessionOf(permission);
  if (permission.isActive) return session;
  const { fullName } = permission;
  throw new ReinError('task', `${fullName} is inactive and may not move: ros2 lifecycle set ${fullName} activate.`);
}

function waitOf({ wait }: SessionHolder): string | undefined {
  return wait === undefined ? undefined : `${wait.message} ${wait.remedy}`;
}

/** One line for the user: problem and remedy. */
function answerTo(error: unknown): string {
  const message = ended(messageOf(error));
  return error instanceof ReinError && error.remedy !== undefined ? `${message} ${ended(error.remedy)}` : message;
}

/** Adds a full stop if missing. */
function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
