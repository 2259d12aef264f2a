/**
 * The main job in simulation: demonstrations, training with interventions, validation, evaluation. Learner and robot
 * are the same programs as on a real robot; only the clock is lock-step, so that a run repeats exactly.
 */

import type { ResolvedConfig } from '../config/index.ts';
import { createSetup, pegTaskOf, type RunSetup } from '../config/index.ts';
import { ReinError, Rng } from '../core/index.ts';
import { UpdateContract } from '../learner/index.ts';
import { type LearnerConfig, updatesPerCall } from '../learner/options.ts';
import { type EpisodeRecording, type RunSummary, writeRecording } from '../record/index.ts';
import {
  abandonRunFolder,
  checkBase,
  createRunFolder,
  LearnerConnection,
  type RunFolder,
  RunLog,
  type RunObserver,
  saveWeights,
  toolViewOf,
} from '../session/index.ts';
import type { KeyboardHeard, KeyboardTeleop } from '../teleop/index.ts';
import { recordDemonstrations } from './demonstrations.ts';
import { EvaluationPool, type TrialResult, trialRates } from './evaluation-pool.ts';
import { LearnerChild } from './learner-child.ts';
import type { Judged } from './model-selection.ts';
import type { PersonSaid, Rig } from './rig.ts';
import { createSimulatedRobot, type SimulatedRobot } from './simulated-robot.ts';
import { summarise } from './summary.ts';
import { train } from './training.ts';

export interface SimulationOptions {
  readonly config: ResolvedConfig;
  readonly out: string | undefined;
  readonly observer: RunObserver;
  /** Told of the run's folder as soon as it is there. */
  readonly onFolder?: (folder: string) => void;
  /** Asks for an orderly end: the arm is stopped, files are closed. */
  readonly signal: AbortSignal;
  /** Makes the keyboard of the person who watches, where there is one. */
  readonly createKeyboard?: (setup: RunSetup, heard: KeyboardHeard) => KeyboardTeleop;
  /** Who gives the demonstrations; `keyboard` needs `createKeyboard`. Default: the script. */
  readonly demonstrations?: 'scripted' | 'keyboard';
}

export interface SimulationResult {
  readonly folder: string;
  readonly summary: RunSummary;
  readonly policyFile: string;
  /** Why the task's target was missed; empty when it was met. */
  readonly missed: readonly string[];
}

/** Starts of final evaluation episodes: the same for every training seed and every method that is compared. */
const EVALUATION_SEED = 20_000;
/** The seed of evaluation episodes for `seed` as a user gives it; 0 gives those of every simulated run. */
export function evaluationSeed(seed: number): number {
  return EVALUATION_SEED + seed;
}

/** Long enough for the slowest machine: only a learner that never answers is given up. */
const CONNECT_MS = 120_000;
const POOL_WORKERS = 2;
export const ROBOT_ID = 'sim-1';

/**
 * Runs the whole job. Rejects with `ReinError` where it cannot be done, and with `AbortError` (the signal's reason) when
 * it was asked to end; whatever happens, arm and files are left in order.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  pegTaskOf(options.config);
  const setup = createSetup(options.config);
  await checkBase(setup);
  const folder = await createRunFolder(options.config, options.out, new Date());
  options.onFolder?.(folder.path);
  const closers: Closer[] = [];
  try {
    const rig = await assemble(setup, folder, options, closers);
    return await work(rig);
  } finally {
    await closeAll(closers);
  }
}

type Closer = () => Promise<void> | void;

/** The last opened first; one that fails keeps none of the others from being closed. */
async function closeAll(closers: Closer[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers.reverse()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

async function assemble(
  setup: RunSetup,
  folder: RunFolder,
  options: SimulationOptions,
  closers: Closer[],
): Promise<Rig> {
  const { path, runId, configFile } = folder;
  const log = new RunLog(path, runId, setup, options.observer);
  closers.push(() => log.close());
  log.phase('preparing');
  const trouble = new AbortController();
  const signal = AbortSignal.any([options.signal, trouble.signal]);
  const onFault = (sentence: string): void => log.message(sentence);
  const learner = await LearnerChild.start({
    config: { configFile, runId, folder: path, bind: 'tcp://127.0.0.1:0' },
    onFault,
    onLost: (error) => trouble.abort(error),
  }).catch(async (error: unknown) => {
    await abandonRunFolder(folder);
    throw error;
  });
  closers.push(() => learner.close());
  const { address, weightsAddress } = learner;
  const connection: LearnerConnection = new LearnerConnection({
    setup,
    runId,
    robotId: ROBOT_ID,
    address,
    weightsAddress,
    folder: path,
    keep: 'all',
    onFault: (sentence) => {
      onFault(sentence);
      // In lock-step, whoever cannot record cannot go on: the learner waits for what is not on the disk.
      if (connection.journal().state === 'degraded') trouble.abort(storageError(sentence));
    },
  });
  closers.push(() => connection.close());
  signal.addEventListener('abort', () => connection.fail(endedError(signal.reason)));
  await connection.checkRoom();
  await connection.connected(CONNECT_MS);
  const pool = new EvaluationPool(setup.config, POOL_WORKERS);
  closers.push(() => pool.close());
  const robot = await createSimulatedRobot(setup, log);
  robot.link.onFrame((frame) => log.tick(frame));
  closers.push(() => robot.close());
  log.watch({ tool: () => toolViewOf(setup, robot.link.latest) });
  log.message(`${setup.config.task.name}: ${setup.task.goal}`);
  const said: PersonSaid = { mark: undefined, isSkipping: false };
  const keyboard = options.createKeyboard?.(setup, {
    onMark: (mark) => {
      said.mark = mark;
      if (log.status.operator.prompt !== undefined || log.status.phase === 'demonstrations') return;
      log.message(`Noted: a ${mark}. It changes nothing: ${setup.config.task.name} judges itself.`);
    },
    onSkip: () => {
      said.isSkipping = true;
    },
  });
  if (keyboard !== undefined) {
    log.status.operator = { driving: 'nobody', keys: 't take over  g give back  space stop  m/n mark  ? keys' };
    log.watch({ person: () => keyboard.echo });
    closers.push(() => keyboard.close());
  }
  closers.push(() => stopArm(robot));
  const { demonstrations = 'scripted' } = options;
  return { setup, folder, log, robot, learner, connection, pool, keyboard, demonstrations, said, signal };
}

async function work(rig: Rig): Promise<SimulationResult> {
  const { log, connection } = rig;
  const startedAt = new Date();
  const startS = log.elapsedS;
  const demonstrations = await recordDemonstrations(rig, new Rng(rig.setup.config.seed).fork('demonstrations'));
  log.message(`${demonstrations.episodes} demonstrations, ${demonstrations.steps} steps`);
  const training = await train(rig, startS);
  const trainingWallS = log.elapsedS - startS - training.pacedS;
  if (!(await drained(rig))) {
    rig.signal.throwIfAborted();
    throw new ReinError('link', 'The learner did not acknowledge all transitions.');
  }
  // The learner is a few updates behind the robot; its figures are to be those of the whole run.
  await connection.trained(updatesOwed(rig.setup.config.learner, training.steps));
  log.link(connection);
  log.counters(rig.robot.link.latest);
  rig.learner.expectEnd();
  connection.end();
  const policyFile = await saveWeights(rig.setup, training.kept.bundle, rig.folder.path);
  if (training.firstRecording !== undefined) await keepRecording(rig, '1-first', training.firstRecording);
  const evaluation = await evaluate(rig, training.kept);
  const { robot } = rig;
  const missedAndSummary = summarise({
    rig,
    evaluation,
    trainingWallS,
    training,
    learner: (await rig.learner.done()) ?? connection.status,
    startedAt,
    guard: robot.link.latest,
  });
  log.phase('done');
  return { folder: rig.folder.path, policyFile, ...missedAndSummary };
}

/** Whether the learner has acknowledged all that was recorded; it may take as long as it gets on. */
async function drained({ connection }: Rig): Promise<boolean> {
  for (let before = -1; connection.counters.acked > before; ) {
    before = connection.counters.acked;
    if (await connection.drain()) return true;
  }
  return false;
}

/** Critic updates that `steps` online transitions pay for, in whole calls. */
function updatesOwed(config: LearnerConfig, steps: number): number {
  const perCall = updatesPerCall(config);
  const { utd, warmupSteps } = config;
  return perCall * Math.floor(new UpdateContract(utd, warmupSteps, perCall).updatesAllowed(steps) / perCall);
}

/** Pictures are nothing to lose a run for. */
async function keepRecording({ folder, log }: Rig, name: string, recording: EpisodeRecording): Promise<void> {
  try {
    await writeRecording(folder.path, name, recording);
  } catch (error) {
    log.message(`The pictures of an episode cannot be written: ${(error as Error).message}.`);
  }
}

function storageError(sentence: string): ReinError {
  return new ReinError('storage', `The journal cannot be written: ${sentence}.`, {
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

/** Asks the guard to stop and lets it come to rest. */
async function stopArm(robot: SimulatedRobot): Promise<void> {
  const { link } = robot;
  if (link.lostReason !== undefined) return;
  await link.request({ kind: 'stop' });
  for (let i = 0; i < 100 && link.latest.state !== 'stopped'; i++) await link.advance(1);
}
