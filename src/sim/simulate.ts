/**
 * A whole simulated run: demonstrations, training with interventions, validation, evaluation. Learner and robot
 * are the same programs as on a real robot; only the clock is lock-step, so that a run repeats exactly.
 */

import type { ResolvedConfig } from '../config/index.ts';
import { createSetup, type RunSetup } from '../config/setup.ts';
import { type Close, closedAfter, openedOrClosed } from '../host/index.ts';
import { UpdateContract } from '../learner/index.ts';
import { type LearnerConfig, updatesPerCall } from '../learner/options.ts';
import { counted, ReinError } from '../model/index.ts';
import { type EpisodeRecording, type RunSummary, writeRecording } from '../record/index.ts';
import {
  type Activity,
  abandonRunFolder,
  checkBase,
  createRunFolder,
  type LearnerConnection,
  LiveSession,
  type OperatorsContext,
  openLockStep,
  type RunFolder,
  RunLog,
  type RunWatcher,
  type SessionEvent,
  type SessionParts,
  saveWeights,
  WatchedRun,
} from '../session/index.ts';
import { type RunObserver, SILENT_OBSERVER } from '../session/supervision.ts';
import { checkUnattended, isJudgedByPeople } from '../tasks/index.ts';
import type { TeleopSource } from '../teleop/index.ts';
import { EvaluationPool, NO_TRIAL, type TrialResult, trialRates, workersFor } from './evaluation-pool.ts';
import { LearnerChild } from './learner-child.ts';
import { LockStep, lockStepDraws } from './lock-step.ts';
import type { Judged } from './model-selection.ts';
import { createSimulatedRobot, type SimulatedRobot } from './simulated-robot.ts';
import { summarise } from './summary.ts';
import { TrainingPlan } from './training-plan.ts';

/** Lease of pages, s: on a machine that trains, pages are delayed longer than a real arm may wait for one. */
const PAGE_LEASE_S = 1.5;

export interface SimulationOptions {
  readonly config: ResolvedConfig;
  readonly out: string | undefined;
  /** Default: no observer. */
  readonly observer?: RunObserver | undefined;
  /** Called with the run's folder as soon as it exists. */
  readonly onFolder?: (folder: string) => void;
  /** Requests an orderly end: the arm is stopped, files are closed. */
  readonly signal: AbortSignal;
  /** Creates the teleop sources that may take over, with distinct names. They are closed with the run. Default: none. */
  readonly createOperators?: (people: PeopleContext) => readonly TeleopSource[] | Promise<readonly TeleopSource[]>;
  /** Shows the run elsewhere, and forwards requests from there. Default: none. */
  readonly watcher?: RunWatcher | undefined;
  /** `on`: `trace.mcap` is written. Default: off. */
  readonly trace?: 'on' | 'off' | undefined;
  /** `people`: operators may mark the episodes of a task that people judge. Default: nobody. */
  readonly judges?: 'people' | 'nobody' | undefined;
  /** Source of the demonstrations; `people` needs `createOperators`. Default: the script. */
  readonly demonstrations?: 'scripted' | 'people';
}

/** Context passed to `createOperators`. */
export type PeopleContext = Pick<OperatorsContext, 'setup' | 'folder' | 'heard' | 'onEvent' | 'robot'>;

export interface SimulationResult {
  readonly folder: string;
  readonly summary: RunSummary;
  readonly policyFile: string;
  /** Reasons why the task's target was missed; empty if it was met. */
  readonly missed: readonly string[];
}

/** Seed of the final evaluation episodes: the same for every training seed and every method that is compared. */
const EVALUATION_SEED = 20_000;
/** Maps a user's `seed` to the seed of evaluation episodes; 0 gives those of every simulated run. */
export function evaluationSeed(seed: number): number {
  return EVALUATION_SEED + seed;
}

const ROBOT_ID = 'sim-1';
/** Events that a run reports in its own way, or that only occur when the learner ends, which ends the run. */
const QUIET: readonly string[] = ['learnerConnected', 'learnerLost', 'waitingForWeights'];

/** Parts of a simulated run. */
interface Rig {
  readonly setup: RunSetup;
  readonly folder: RunFolder;
  readonly log: RunLog;
  readonly robot: SimulatedRobot;
  readonly learner: LearnerChild;
  readonly session: LiveSession;
  readonly connection: LearnerConnection;
  readonly plan: TrainingPlan;
  readonly pool: EvaluationPool;
  readonly signal: AbortSignal;
}

/**
 * Runs the whole job. Rejects with `ReinError` if it cannot be done, and with `AbortError` (the signal's reason) if
 * it was asked to end; arm and files are left in order in every case.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const config = askingByProgress(options.config);
  checkUnattended(config.task, options.judges);
  checkJudged(options);
  const setup = createSetup(config);
  await checkBase(setup);
  const folder = await createRunFolder(config, options.out, new Date());
  options.onFolder?.(folder.path);
  return closedAfter(async (closes) => work(await assemble(setup, folder, options, closes)));
}

/** Rejects scripted demonstrations of a task that people judge: without marks they would never be done. */
function checkJudged({ config: { task }, demonstrations = 'scripted' }: SimulationOptions): void {
  if (!isJudgedByPeople(task) || task.demonstrations === 0 || demonstrations === 'people') return;
  throw new ReinError(
    'task',
    `Task ${task.name} is judged by people, who also have to show it: ${task.demonstrations} times.`,
    {
      remedy: 'Take --demonstrations people, or write demonstrations: 0 into its file.',
    },
  );
}

/** Asks for help by progress: values arrive at machine-dependent times, but a seed must give the same policy on any machine. */
function askingByProgress(config: ResolvedConfig): ResolvedConfig {
  const { task } = config;
  return { ...config, task: { ...task, help: { ...task.help, by: 'progress' } } };
}

function reportProgress({ task }: ResolvedConfig, { listeners }: SessionParts): void {
  if (task.help.by === 'progress' || task.help.afterSteps === 0) return;
  const message = 'In rein sim the robot asks for help by its progress, not by value.';
  listeners.report({ level: 'warn', name: 'helpByProgress', message });
}

async function assemble(setup: RunSetup, folder: RunFolder, options: SimulationOptions, closes: Close[]): Promise<Rig> {
  const { path, runId } = folder;
  const { watcher, trace = 'off', observer = SILENT_OBSERVER } = options;
  const run = { setup, runId, folder: path, command: 'sim', observer };
  const watched = new WatchedRun({ ...run, watcher, trace, leaseS: PAGE_LEASE_S, pace: 'lockStep' });
  closes.push(() => watched.close());
  const log = new RunLog(path, runId, setup, watched.observer);
  closes.push(() => log.close());
  log.phase('preparing');
  const trouble = new AbortController();
  const signal = AbortSignal.any([options.signal, trouble.signal]);
  const learner = await startLearner(folder, log, trouble);
  closes.push(() => learner.close());
  const { validation, evaluation } = setup.config.task;
  const workers = workersFor(Math.max(validation.episodes, evaluation.episodes));
  const pool = new EvaluationPool(setup.config, workers, 'rest');
  closes.push(() => pool.close());
  const robot = await createSimulatedRobot(setup, log, signal);
  closes.push(() => robot.close());
  let session: LiveSession | undefined;
  const atRobot = await peopleOf(options, { setup, folder: path, robot, log }, () => session);
  closes.push(...atRobot.map((operator) => () => operator.close()));
  const operators = [...atRobot, ...watched.operators];
  const parts = await openParts(options, { setup, folder, log, robot, learner }, operators);
  const { connection, plan, live } = await openedOrClosed(parts.closers, async () => {
    const connection = connectionOf(parts);
    const plan = new TrainingPlan(parts, connection, pool, signal);
    return { connection, plan, live: new LiveSession(parts, new LockStep(parts, { robot, plan, signal })) };
  });
  session = live;
  const unwatch = watched.attach(live);
  closes.push(
    unwatch,
    () => live.close(),
    () => plan.close(),
  );
  reportProgress(options.config, parts);
  live.listen({ event: (event) => endWithoutJournal(event, connection, trouble) });
  signal.addEventListener('abort', () => connection.fail(endedError(signal.reason)));
  signal.throwIfAborted();
  return { setup, folder, log, robot, learner, session: live, connection, plan, pool, signal };
}

function openParts(
  { demonstrations }: SimulationOptions,
  { setup, folder, log, robot, learner }: Pick<Rig, 'setup' | 'folder' | 'log' | 'robot' | 'learner'>,
  operators: readonly TeleopSource[],
): Promise<SessionParts> {
  return openLockStep({
    setup,
    folder: folder.path,
    runId: folder.runId,
    robotId: ROBOT_ID,
    learner: learner.address,
    weightsAddress: learner.weightsAddress,
    robot,
    log,
    draws: lockStepDraws(setup),
    operators,
    isScripted: !isJudgedByPeople(setup.config.task),
    asksPeople: demonstrations === 'people',
    afterStop: 'askLeave',
    drainMs: 0,
    listener: { event: (event) => show(event, log) },
  });
}

/** Opens the operators' devices. Keys pressed before the session exists have no effect. */
async function peopleOf(
  { createOperators }: SimulationOptions,
  { setup, folder, robot, log }: Pick<Rig, 'setup' | 'robot' | 'log'> & { readonly folder: string },
  current: () => LiveSession | undefined,
): Promise<readonly TeleopSource[]> {
  const people = await createOperators?.({
    setup,
    folder,
    heard: {
      onMark: (mark) => void current()?.mark(mark, ''),
      onSkip: () => current()?.skipDemonstrations(),
      onRewind: () => current()?.rewind(),
      ...(setup.config.task.phaseSwitch?.byButton === true ? { onCritical: () => current()?.beginCritical() } : {}),
      onGiveBack: () => current()?.endRewind(),
      onGoOn: () => current()?.letGo(),
    },
    onEvent: ({ message, remedy }) => log.message(`${message} ${remedy}`),
    robot: () => robot.link.latest,
  });
  return people ?? [];
}

async function startLearner(folder: RunFolder, log: RunLog, trouble: AbortController): Promise<LearnerChild> {
  const { path, runId, config } = folder;
  try {
    return await LearnerChild.start({
      start: { config, runId, folder: path, bind: 'tcp://127.0.0.1:0' },
      onFault: (message) => log.message(message),
      onLost: (error) => trouble.abort(error),
    });
  } catch (error) {
    await abandonRunFolder(folder);
    throw error;
  }
}

function connectionOf({ recorder }: SessionParts): LearnerConnection {
  if (recorder.connection === undefined) throw new TypeError('a simulated run has a learner');
  return recorder.connection;
}

function show({ name, message }: SessionEvent, log: RunLog): void {
  if (!QUIET.includes(name)) log.message(message);
}

/** Ends the run if the journal cannot be written: the learner would wait for transitions that are not on disk. */
function endWithoutJournal({ message }: SessionEvent, connection: LearnerConnection, trouble: AbortController): void {
  const { state, reason } = connection.journal();
  if (state === 'degraded') trouble.abort(storageError(reason ?? message));
}

async function work(rig: Rig): Promise<SimulationResult> {
  const { log, connection, session, plan, robot, signal } = rig;
  const startedAt = new Date();
  await untilEnded(session.resume(), signal);
  const training = plan.result;
  if (training === undefined) throw new ReinError('driver', session.refusal?.message ?? 'The robot does not go on.');
  const trainingWallS = plan.time.usedS;
  if (!(await drained(connection))) {
    signal.throwIfAborted();
    throw new ReinError('link', 'The learner did not acknowledge all transitions.');
  }
  const { work: trained, interventions } = session;
  // The learner lags the robot by a few updates; its figures must cover the whole run.
  await connection.trained(updatesOwed(rig.setup.config.learner, trained.steps));
  log.link(connection);
  log.counters(robot.link.latest);
  // If people judge, evaluation uses the training robot: its guard's counts until here are those of training. The learner ends only
  // afterwards: on exit it restores the terminal, which then no longer reads single keys.
  const { violations, changedTicks, ticks } = robot.link.latest;
  const byMarks = isJudgedByPeople(rig.setup.config.task) ? await evaluateByMarks(rig) : undefined;
  rig.learner.expectEnd();
  connection.end();
  const policyFile = await saveWeights(rig.setup, training.kept.bundle, rig.folder.path);
  if (training.firstRecording !== undefined) await keepRecording(rig, '1-first', training.firstRecording);
  const evaluation = byMarks ?? (await evaluate(rig, training.kept));
  const missedAndSummary = summarise({
    setup: rig.setup,
    training,
    evaluation,
    trainingWallS,
    startedAt,
    interventions,
    work: trained,
    link: log.status.link,
    wallS: log.elapsedS,
    learner: (await rig.learner.done()) ?? connection.status,
    robot: { guard: { violations, changedTicks, ticks }, restarts: robot.restarts },
  });
  log.phase('done');
  return { folder: rig.folder.path, policyFile, ...missedAndSummary };
}

/** Result of `activity`. An ended run cuts it, even while it waits for an operator, and rejects with the reason. */
async function untilEnded<T>(activity: Activity<T>, signal: AbortSignal): Promise<T> {
  const cut = (): void => activity.cut('the run was ended');
  signal.addEventListener('abort', cut);
  try {
    return await activity.done;
  } finally {
    signal.removeEventListener('abort', cut);
    signal.throwIfAborted();
  }
}

/** True once the learner has acknowledged all recorded transitions; waits as long as it makes progress. */
async function drained(connection: LearnerConnection): Promise<boolean> {
  for (let before = -1; connection.counters.acked > before; ) {
    before = connection.counters.acked;
    if (await connection.drain()) return true;
  }
  return false;
}

/** Critic updates owed for `steps` online transitions, in whole calls. */
function updatesOwed(config: LearnerConfig, steps: number): number {
  const perCall = updatesPerCall(config);
  const { utd, warmupSteps } = config;
  return perCall * Math.floor(new UpdateContract(utd, warmupSteps, perCall).updatesAllowed(steps) / perCall);
}

/** Writes pictures; a failure is logged and does not fail the run. */
async function keepRecording({ folder, log }: Rig, name: string, recording: EpisodeRecording): Promise<void> {
  try {
    await writeRecording(folder.path, name, recording);
  } catch (error) {
    log.message(`The pictures of an episode cannot be written: ${(error as Error).message}.`);
  }
}

function storageError(message: string): ReinError {
  return new ReinError('storage', `The journal cannot be written: ${message}.`, {
    remedy: 'Make room on the disk, or choose another folder with --out; what was recorded before is complete.',
  });
}

function endedError(reason: unknown): ReinError {
  return reason instanceof ReinError ? reason : new ReinError('environment', 'The run was ended.', { cause: reason });
}

async function evaluate(rig: Rig, kept: Judged): Promise<TrialResult> {
  const { log, pool, setup, signal } = rig;
  const { episodes } = setup.config.task.evaluation;
  const { controlHz } = setup.config.robot;
  log.phase('evaluating');
  log.uses(kept.bundle.manifest.version);
  const result = await pool.run({
    candidate: { kind: 'weights', bundle: kept.bundle },
    seed: evaluationSeed(0),
    stream: 'evaluation',
    from: 0,
    episodes,
    record: episodes - 1,
    signal,
    onProgress: (sum) => {
      log.status.success = { successes: sum.successes, episodes: sum.episodes, rates: trialRates(sum, controlHz) };
      log.progress(sum.episodes, episodes, 'episodes');
    },
  });
  const rates = trialRates(result, controlHz);
  log.status.success = { successes: result.successes, episodes: result.episodes, rates };
  const { version } = kept.bundle.manifest;
  const { successes, meanSteps } = result;
  log.write({ kind: 'evaluation', label: 'trained', policyVersion: version, successes, episodes, meanSteps });
  if (result.recording !== undefined) {
    const caption = `Last evaluation episode, policy ${version}`;
    await keepRecording(rig, '2-last', { ...result.recording, caption });
  }
  return result;
}

/** Evaluates the newest policy on the training robot in real time; people mark the episodes. */
async function evaluateByMarks({ log, session, robot, setup, signal }: Rig): Promise<TrialResult> {
  const { episodes } = setup.config.task.evaluation;
  const { latest } = robot.link;
  const before = { ticks: latest.ticks, changedTicks: latest.changedTicks, violations: latest.violations };
  log.message(
    `${counted(episodes, 'episode')} to be marked by you: m or Success, n or Failure; one without a mark is no success`,
  );
  const activity = session.evaluate({ episodes, onEpisode: (done) => log.progress(done, episodes, 'episodes') });
  const report = await untilEnded(activity, signal);
  const { successes, meanSteps } = report;
  const policyVersion = log.status.policy.version;
  log.write({ kind: 'evaluation', label: 'trained', policyVersion, successes, episodes: report.episodes, meanSteps });
  return {
    ...NO_TRIAL,
    episodes: report.episodes,
    successes,
    meanSteps,
    ticks: latest.ticks - before.ticks,
    changedTicks: latest.changedTicks - before.changedTicks,
    violations: latest.violations - before.violations,
  };
}
