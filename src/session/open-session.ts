/** Puts a session together. What takes long is begun side by side; nothing moves. */

import type { RunSetup } from '../config/index.ts';
import { type Clock, type Close, openedOrClosed, Rng, SystemClock } from '../core/index.ts';
import { driverKind, worldOf } from '../drivers/index.ts';
import { connectGuardLink, type GuardLink } from '../guard/index.ts';
import { type ActingPolicy, loadPolicyFile, OnnxPolicy, openPluginPolicy } from '../policy/index.ts';
import { START_OUTSIDE } from '../safety/index.ts';
import type { ObservationSource } from '../tasks/index.ts';
import { OperatorArbiter, type TeleopSource } from '../teleop/index.ts';
import { openBase } from './base-policy.ts';
import { encoderFor } from './encoder-file.ts';
import { EpisodeRunner, type EpisodeRunnerOptions, type StepTimings } from './episode-runner.ts';
import type { Draws, Pace } from './pace.ts';
import { earlierStarts, LiveLog } from './run/live-log.ts';
import { openRecorder, type TransitionRecorder } from './run/recorder.ts';
import { RunLog, type RunObserver, SILENT_OBSERVER, toolViewOf } from './run-log.ts';
import type { RunRequest } from './run-request.ts';
import { createScriptedOperator } from './scripted-operators.ts';
import { LiveSession } from './session.ts';
import { SessionListeners, type SessionParts } from './session-parts.ts';
import type { SessionListener } from './session-types.ts';
import { RecordingWatch } from './watches.ts';
import { KeptWeights } from './weights/kept-weights.ts';
import { WeightsDisk } from './weights/weights-disk.ts';

export interface SessionOptions extends Pick<RunRequest, 'robotId' | 'learner' | 'policy' | 'durationS'> {
  readonly setup: RunSetup;
  /** The run's folder: journal and metrics. */
  readonly folder: string;
  /** The learner's run, or the folder's where there is no learner. */
  readonly runId: string;
  /** Where the guard listens, or a link that somebody has opened. */
  readonly guard: string | GuardLink;
  /** People who may take over. Closed with the session. */
  readonly operators?: readonly TeleopSource[];
  /** Observations that come by topic, as they were given to the task. */
  readonly observations?: readonly ObservationSource[];
  /** The scripted operator takes over where the policy is stuck, and gives demonstrations to a learner. */
  readonly isScripted?: boolean;
  /** `operators` are asked for demonstrations where a learner waits for some; `LiveSession.skipDemonstrations` ends that. */
  readonly asksPeople?: boolean;
  /** One line for displays on which keys do what, where the operator has keys. */
  readonly keys?: string;
  readonly afterStop: SessionParts['afterStop'];
  /** How a person lets the robot go on, one sentence. Default: nothing is said. */
  readonly howToGoOn?: string;
  /** Default 2000. */
  readonly drainMs?: number;
  /** The run has gone on so long before this session, s: for displays and metrics. Default 0. */
  readonly elapsedS?: number;
  readonly observer?: RunObserver;
  /** In place of real time. */
  readonly lockStep?: LockStepOptions;
  /** Told from the very first moment on. */
  readonly listener?: SessionListener;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** A session whose robot stands while its learner works: what else than in real time it is made of. */
export interface LockStepOptions {
  readonly pace: (parts: SessionParts) => Pace;
  readonly draws: Draws;
  /** Of the robot, whose `guard` it is. Closed by whoever made it. */
  readonly runner: EpisodeRunner;
  /** What the run is written into; begun before there was a robot, and closed by whoever did. */
  readonly log: RunLog;
  /** Where the learner gives weights: all of them, in order. */
  readonly weightsAddress: string;
}

/** In real time: one policy period to execute an action, and one for a node that a busy machine holds up. */
const LEASE_PERIODS = 2;
const GUARD_MS = 10_000;

/** Connects to the guard, loads the policy, opens the journal. Rejects with `ReinError`, and has then closed everything. */
export function openSession(options: SessionOptions): Promise<LiveSession> {
  return openedOrClosed([], async (closers) => {
    const { setup, lockStep } = options;
    const earlier = earlierStarts(options.folder);
    const listeners = new SessionListeners();
    if (options.listener !== undefined) listeners.add(options.listener);
    const log = lockStep?.log ?? openLog(options, closers);
    const base = lockStep === undefined ? await openBase(setup) : undefined;
    closers.push(() => base?.close());
    const [policy, link] = await both(loadPolicy(options), connectGuard(options), closers);
    const file = options.policy === undefined ? undefined : fileOf(options.policy, policy);
    const disk = options.learner === undefined || lockStep !== undefined ? undefined : createDisk(options, listeners);
    closers.push(() => disk?.close());
    const fromDisk = policy.isFixed ? undefined : await disk?.load(policy);
    if (fromDisk !== undefined) reportFromDisk(listeners, fromDisk.manifest.version);
    const kept = new KeptWeights(setup, file, disk);
    if (fromDisk !== undefined) kept.remember(fromDisk);
    const recording = new RecordingWatch((event) => listeners.report(event));
    const recorder = createRecorder(options, listeners, recording, disk?.after ?? 0, () => policy.version);
    closers.push(async () => {
      await recorder.close();
      log.link(recorder.connection); // nothing waits in memory any more
      log.notRecorded(recorder.notRecorded());
      recording.end(recorder.notRecorded());
      if (recorder.notRecorded() > 0) log.show('now');
    });
    // The robot stands still before the journal is closed.
    closers.push(() => link.close());
    link.onFrame((frame) => log.tick(frame));
    // The first frame says how the robot is.
    if (link.latest.tick < 0) await link.advance(1);
    const clock = options.clock ?? new SystemClock();
    const draws = lockStep?.draws ?? drawsOf(setup, recorder);
    const arbiters = createArbiters(options, recorder.epoch, log);
    log.watch({ tool: () => toolViewOf(setup, link.latest), person: () => arbiters.people?.echo });
    log.message(`${setup.config.task.name}: ${setup.task.goal}`);
    closers.push(() => arbiters.operators?.close());
    await arrangeFirst(options, link, draws);
    const { durationS } = options;
    const { controlHz: hz } = link.shape;
    const live =
      lockStep === undefined ? { durationS, earlier } : { earlier, robotTicks: { now: () => link.latest.ticks, hz } };
    const parts: SessionParts = {
      setup,
      clock,
      link,
      policy,
      kept,
      recorder,
      listeners,
      closers,
      draws,
      ...arbiters,
      runner:
        lockStep?.runner ??
        createRunner({ setup, link, clock, timings: log, basePolicy: base, leasePeriods: LEASE_PERIODS }),
      live: new LiveLog(log, live),
      folder: options.folder,
      runId: options.runId,
      observations: options.observations ?? [],
      demonstrator: options.asksPeople === true ? 'people' : options.isScripted === true ? 'script' : 'nobody',
      afterStop: options.afterStop,
      howToGoOn: options.howToGoOn ?? '',
      drainMs: options.drainMs ?? 2000,
    };
    return new LiveSession(parts, lockStep?.pace);
  });
}

function openLog(options: SessionOptions, closers: Close[]): RunLog {
  const { folder, runId, setup, observer = SILENT_OBSERVER, elapsedS } = options;
  const log = new RunLog(folder, runId, setup, observer, elapsedS);
  closers.push(() => log.close());
  log.phase('preparing');
  log.status.envStepsTotal = 0;
  if (options.learner === undefined) log.status.utdTarget = 0;
  return log;
}

/** Both, or neither is left open. */
async function both(
  policyOpens: Promise<ActingPolicy>,
  linkOpens: Promise<GuardLink>,
  closers: Close[],
): Promise<[ActingPolicy, GuardLink]> {
  const [policy, link] = await Promise.allSettled([policyOpens, linkOpens]);
  if (policy.status === 'fulfilled') closers.push(() => policy.value.close());
  if (link.status === 'rejected') throw link.reason;
  if (policy.status === 'fulfilled') return [policy.value, link.value];
  closers.push(() => link.value.close());
  throw policy.reason;
}

async function loadPolicy({ setup, runId, policy, lockStep }: SessionOptions): Promise<ActingPolicy> {
  // A simulated run is there to learn one.
  const plugin = lockStep === undefined ? pluginPolicyOf(setup, policy) : undefined;
  if (plugin !== undefined) return plugin;
  const { observationSize, actionSize, schemaHash } = setup;
  const expected = { observationSize, actionSize, schemaHash, runId, ...encoderFor(setup) };
  return policy === undefined ? new OnnxPolicy(expected) : loadPolicyFile(policy, expected);
}

/** The policy of one's own that the task names, opened; a policy file that somebody gave goes first. */
export function pluginPolicyOf(
  { config, task }: RunSetup,
  policy: string | undefined,
): Promise<ActingPolicy> | undefined {
  const { policyPlugin, policyHz } = config.task;
  if (policyPlugin === undefined || policy !== undefined) return undefined;
  return openPluginPolicy(policyPlugin, { observation: task.observation, action: task.action, policyHz });
}

function connectGuard({ guard }: SessionOptions): Promise<GuardLink> {
  return typeof guard === 'string' ? connectGuardLink(guard, { timeoutMs: GUARD_MS }) : Promise.resolve(guard);
}

function fileOf(path: string, policy: ActingPolicy): { readonly path: string; readonly version: number } {
  return { path, version: policy.version };
}

/** What an episode runner is made of, but for the names and rates that `setup` gives. */
export interface RunnerParts extends Pick<EpisodeRunnerOptions, 'link' | 'clock' | 'basePolicy'> {
  readonly setup: RunSetup;
  readonly timings?: StepTimings | undefined;
  /** How many policy periods an action stays valid. Past it the guard brakes. */
  readonly leasePeriods: number;
}

export function createRunner({ setup, timings, leasePeriods, ...parts }: RunnerParts): EpisodeRunner {
  const { task, robot } = setup.config;
  const { policyHz } = task;
  return new EpisodeRunner({
    ...parts,
    task: setup.task,
    jointNames: robot.joints.map(({ name }) => name),
    policyHz,
    leaseS: leasePeriods * (1 / policyHz),
    ...(timings === undefined ? {} : { timings }),
  });
}

function createDisk({ setup, folder, runId }: SessionOptions, listeners: SessionListeners): WeightsDisk {
  const onFault = (message: string): void =>
    listeners.report({ level: 'warn', name: 'weightsRefused', row: 7, message });
  return new WeightsDisk({ folder, runId, schemaHash: setup.schemaHash, onFault });
}

function reportFromDisk(listeners: SessionListeners, version: number): void {
  const message = `Policy ${version} from the disk acts until the learner sends newer weights.`;
  listeners.report({ level: 'info', name: 'weightsOnDisk', message });
}

function createRecorder(
  options: SessionOptions,
  listeners: SessionListeners,
  recording: RecordingWatch,
  weightsAfter: number,
  version: () => number,
): TransitionRecorder {
  const { setup, folder, runId, robotId, learner, lockStep } = options;
  let wasConnected = false;
  return openRecorder({
    setup,
    folder,
    runId,
    robotId,
    learner,
    weightsAfter,
    weightsAddress: lockStep?.weightsAddress,
    keep: lockStep === undefined ? 'newest' : 'all',
    onFault: (message) => listeners.report({ level: 'warn', name: 'recording', message }),
    onJournal: (status) => recording.see(status),
    onState: (state) => {
      if (state === 'connecting' && wasConnected) {
        const message = `The learner is gone: policy ${version()} goes on.`;
        listeners.report({ level: 'warn', name: 'learnerLost', row: 4, message });
      }
      if (state === 'connected') {
        listeners.report({ level: 'info', name: 'learnerConnected', message: 'The learner is connected.' });
      }
      wasConnected ||= state === 'connected';
    },
  });
}

/** Everybody who may take over, and the people among them. */
function createArbiters(
  options: SessionOptions,
  epoch: number,
  log: RunLog,
): Pick<SessionParts, 'operators' | 'people'> {
  const { setup, operators = [], isScripted, keys = '' } = options;
  const people = operators.length === 0 ? undefined : new OperatorArbiter(operators, setup.actionSize);
  if (people !== undefined) log.status.operator = { driving: 'nobody', keys };
  if (isScripted !== true) return { operators: people, people };
  const script = createScriptedOperator(setup, setup.config.seed * 2 + epoch + 1);
  return { operators: new OperatorArbiter([...operators, script], setup.actionSize), people };
}

/** Other layouts and noise at each start of the same run, and other layouts for evaluations. */
function drawsOf(setup: RunSetup, { epoch, connection }: TransitionRecorder): Draws {
  const root = new Rng(setup.config.seed).fork(`start ${epoch}`);
  const evaluating = { rng: root.fork('noise'), purpose: 'evaluate' } as const;
  // Without a learner there is nothing to find out.
  const exploring =
    connection === undefined ? evaluating : ({ rng: root.fork('exploration'), purpose: 'explore' } as const);
  const training = root.fork('layouts');
  const streams = {
    training,
    demo: training,
    evaluation: root.fork('evaluation layouts'),
    first: root.fork('first layout'),
  };
  const isArranged = arrangesScene(setup);
  return {
    exploring,
    evaluating,
    layout: (stream) => (isArranged ? setup.task.drawLayout(streams[stream]) : undefined),
  };
}

/** Whether software can put robot and objects in place: in simulation, and where a robot behind ROS offers it. */
function arrangesScene({ task, driver }: RunSetup): boolean {
  if (task.isArrangedByPeople === true) return false;
  return driverKind(driver.name).arrangesScene?.(driver.options) ?? true;
}

/** A simulated arm begins at zeros, which may be anywhere: it is put where an episode may begin. No real robot is moved. */
async function arrangeFirst({ setup }: SessionOptions, link: GuardLink, draws: Draws): Promise<void> {
  const isFresh = link.latest.state === 'standby' && (link.latest.faultFlags & START_OUTSIDE) !== 0;
  const isInScene = worldOf(setup.config.robot.driver) === 'scene';
  const layout = isInScene && isFresh ? draws.layout('first') : undefined;
  if (layout === undefined) return;
  await link.request({ kind: 'resetScene', layout });
  await link.advance(1);
}
