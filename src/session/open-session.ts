/** Assembles a session. Slow parts are opened concurrently; nothing moves. */

import type { RunSetup } from '../config/setup.ts';
import { worldOf } from '../drivers/index.ts';
import { connectGuardLink, type GuardLink } from '../guard/index.ts';
import { type Close, openedOrClosed } from '../host/index.ts';
import { type Clock, SystemClock } from '../model/index.ts';
import { type ActingPolicy, loadPolicyFile, OnnxPolicy } from '../policy/index.ts';
import { START_OUTSIDE } from '../safety/index.ts';
import type { ObservationSource } from '../tasks/index.ts';
import { OperatorArbiter, Rewind, type TeleopSource } from '../teleop/index.ts';
import { encoderFor } from './encoder-file.ts';
import { createRunner } from './episode-runner.ts';
import { ReferencePose } from './executed-action.ts';
import { openMarkLabels } from './mark-labels.ts';
import type { Draws } from './pace.ts';
import { RealTime, realTimeDraws } from './real-time.ts';
import { earlierStarts, LiveLog, type LiveLogOptions } from './run/live-log.ts';
import { openRecorder, type RecorderOptions, type TransitionRecorder } from './run/recorder.ts';
import { isDecided } from './run/speed-mode.ts';
import { RunLog, type RunObserver, SILENT_OBSERVER, toolViewer } from './run-log.ts';
import type { RunRequest } from './run-request.ts';
import { createScriptedOperator } from './scripted-operators.ts';
import { LiveSession } from './session.ts';
import { SessionListeners, type SessionParts } from './session-parts.ts';
import type { SessionListener } from './session-types.ts';
import { openBase, openResetPolicy, pluginPolicyOf } from './task-policies.ts';
import { RecordingWatch } from './watches.ts';
import { KeptWeights } from './weights/kept-weights.ts';
import { WeightsDisk } from './weights/weights-disk.ts';

/** Options of every session. */
interface SharedOptions extends Pick<RunRequest, 'robotId' | 'learner'> {
  readonly setup: RunSetup;
  /** The run's folder: journal and metrics. */
  readonly folder: string;
  /** The learner's run, or the folder's if there is no learner. */
  readonly runId: string;
  /** Operators that may take over. Closed with the session. */
  readonly operators?: readonly TeleopSource[];
  /** Observations received by topic, as given to the task. */
  readonly observations?: readonly ObservationSource[];
  /** The scripted operator takes over when the policy is stuck, and demonstrates for a learner. */
  readonly isScripted?: boolean;
  /** `operators` are asked for demonstrations if a learner waits for some; `LiveSession.skipDemonstrations` ends that. */
  readonly asksPeople?: boolean;
  readonly afterStop: SessionParts['afterStop'];
  /** See `SessionParts.drainMs`. Default 2000. */
  readonly drainMs?: number;
  /** Receives events from the very beginning. */
  readonly listener?: SessionListener;
}

/** Options of a session in real time. */
export interface SessionOptions
  extends SharedOptions,
    Pick<RunRequest, 'policy' | 'durationS'>,
    Partial<Pick<RunRequest, 'labels' | 'labelSteps' | 'demonstrations'>> {
  /** Address at which the guard listens, or an open link. */
  readonly guard: string | GuardLink;
  /** Instruction for letting the robot go on, one sentence. Default: none. */
  readonly howToGoOn?: string;
  /** Only demonstrations by people are recorded. */
  readonly recording?: SessionParts['recording'];
  /** Time since the run began, before this session, s: for displays and metrics. Default 0. */
  readonly elapsedS?: number;
  readonly observer?: RunObserver;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** Options of a session whose robot stands while its learner works. */
export interface LockStepSessionOptions extends SharedOptions {
  /** Closed by its creator. */
  readonly robot: Pick<SessionParts, 'link' | 'clock' | 'runner'>;
  /** Log of the run; begun before the robot existed, and closed by its creator. */
  readonly log: RunLog;
  readonly draws: Draws;
  /** Address at which the learner publishes weights: all of them, in order. */
  readonly weightsAddress: string;
}

/** Real time: one policy period to execute an action, and one for a node that a busy machine delays. */
const LEASE_PERIODS = 2;
const GUARD_MS = 10_000;

/** Connects to the guard, loads the policy, opens the journal. Rejects with `ReinError`, after closing everything. */
export function openSession(options: SessionOptions): Promise<LiveSession> {
  return openedOrClosed([], async (closers) => {
    const { setup, folder, durationS, clock = new SystemClock() } = options;
    const earlier = earlierStarts(folder);
    const listeners = new SessionListeners(options.listener);
    const log = openLog(options, closers);
    const basePolicy = await openBase(setup);
    closers.push(() => basePolicy?.close());
    const [policy, link] = await both(loadPolicy(options), connectGuard(options), closers);
    const { kept, weightsAfter } = await openKept(options, policy, listeners, closers);
    log.uses(policy.version);
    const runner = createRunner({ setup, link, clock, timings: log, basePolicy, leasePeriods: LEASE_PERIODS });
    const labels = openMarkLabels(options);
    const parts = await assemble(options, closers, {
      parts: { clock, link, policy, kept, listeners, runner },
      log,
      live: { durationS, earlier },
      weights: { keep: 'newest', weightsAfter },
      draws: (recorder) => realTimeDraws(setup, recorder),
    });
    return new LiveSession(
      { ...parts, labels, recording: options.recording, shownIn: options.demonstrations },
      new RealTime(parts, options.howToGoOn ?? ''),
    );
  });
}

/** Opens the parts of a session with a simulated robot, for a `LiveSession` with a pace of its own. Rejects as `openSession` does. */
export function openLockStep(options: LockStepSessionOptions): Promise<SessionParts> {
  return openedOrClosed([], async (closers) => {
    const { setup, folder, log, draws, weightsAddress } = options;
    const { link, clock, runner } = options.robot;
    const robotTicks = { now: () => link.latest.ticks, hz: link.shape.controlHz };
    // A simulated run always learns its policy.
    const policy = new OnnxPolicy(expectedPolicy(options));
    closers.push(() => policy.close());
    const kept = new KeptWeights(setup, undefined, undefined);
    const listeners = new SessionListeners(options.listener);
    return assemble(options, closers, {
      parts: { clock, link, policy, kept, listeners, runner },
      log,
      live: { earlier: earlierStarts(folder), robotTicks },
      weights: { keep: 'all', weightsAfter: 0, weightsAddress },
      draws: () => draws,
    });
  });
}

/** Parts that are opened differently in real time and in lock-step. */
interface Opened {
  readonly parts: Pick<SessionParts, 'clock' | 'link' | 'policy' | 'kept' | 'listeners' | 'runner'>;
  readonly log: RunLog;
  readonly live: LiveLogOptions;
  readonly weights: Pick<RecorderOptions, 'keep' | 'weightsAfter' | 'weightsAddress'>;
  readonly draws: (recorder: TransitionRecorder) => Draws;
}

/** Opens the parts that are the same for both. */
async function assemble(options: SharedOptions, closers: Close[], opened: Opened): Promise<SessionParts> {
  const { setup, folder, runId, afterStop, observations = [], drainMs = 2000 } = options;
  const { log, parts } = opened;
  const { link } = parts;
  const recorder = openRecording(options, closers, opened);
  log.begin(setup, {
    isRealTime: opened.live.robotTicks === undefined,
    hasLearner: recorder.connection !== undefined,
    isFirstStart: recorder.epoch === 1,
  });
  // The link's creator closes it last; closed here too, so that the robot stands before its journal is closed.
  closers.push(() => link.close());
  link.onFrame((frame) => log.tick(frame));
  // The first frame carries the robot's state.
  if (link.latest.tick < 0) await link.advance(1);
  const draws = opened.draws(recorder);
  const arbiters = openArbiters(options, opened, recorder.epoch);
  const toolOf = toolViewer(setup);
  log.watch({ tool: () => toolOf(link.latest), person: () => arbiters.people?.echo });
  log.message(`${setup.config.task.name}: ${setup.task.goal}`);
  closers.push(() => arbiters.operators?.close());
  const resetPolicy = await openResetPolicy(setup);
  closers.push(() => resetPolicy?.close());
  await arrangeFirst(setup, link, draws);
  return {
    setup,
    folder,
    runId,
    ...parts,
    ...arbiters,
    recorder,
    draws,
    resetPolicy,
    closers,
    live: new LiveLog(log, opened.live),
    observations,
    demonstrator: options.asksPeople === true ? 'people' : options.isScripted === true ? 'script' : 'nobody',
    afterStop,
    drainMs,
  };
}

/** Arbiters of the operators, and the rewind, which ends once a person among them requests a stop. */
function openArbiters(options: SharedOptions, { parts, log }: Opened, epoch: number) {
  const people: { now?: OperatorArbiter | undefined } = {};
  const rewind = openRewind(options.setup, parts, () => people.now?.isStopRequested === true);
  const arbiters = createArbiters(options, epoch, log, rewind);
  people.now = arbiters.people;
  return { ...arbiters, rewind };
}

function openLog(options: SessionOptions, closers: Close[]): RunLog {
  const { folder, runId, setup, observer = SILENT_OBSERVER, elapsedS } = options;
  const log = new RunLog(folder, runId, setup, observer, elapsedS);
  closers.push(() => log.close());
  // Set before any of these is displayed.
  log.status.envStepsTotal = 0;
  if (options.learner === undefined) log.status.utdTarget = 0;
  if (!isDecided(options, setup.config.task)) log.withoutPolicy();
  log.phase('preparing');
  return log;
}

/** Resolves to both; on failure, neither is left open. */
async function both(
  policyOpens: Promise<ActingPolicy>,
  linkOpens: Promise<GuardLink>,
  closers: Close[],
): Promise<[ActingPolicy, GuardLink]> {
  const [policy, link] = await Promise.allSettled([policyOpens, linkOpens]);
  if (policy.status === 'fulfilled') closers.push(() => policy.value.close());
  if (link.status === 'fulfilled') closers.push(() => link.value.close());
  if (link.status === 'rejected') throw link.reason;
  if (policy.status === 'rejected') throw policy.reason;
  return [policy.value, link.value];
}

async function loadPolicy(options: SessionOptions): Promise<ActingPolicy> {
  const { setup, policy } = options;
  const plugin = await pluginPolicyOf(setup, policy);
  if (plugin !== undefined) return plugin;
  const expected = expectedPolicy(options);
  return policy === undefined ? new OnnxPolicy(expected) : loadPolicyFile(policy, expected);
}

function expectedPolicy({ setup, runId }: SharedOptions): ConstructorParameters<typeof OnnxPolicy>[0] {
  const { observationSize, actionSize, schemaHash } = setup;
  return { observationSize, actionSize, schemaHash, runId, ...encoderFor(setup) };
}

function connectGuard({ guard }: SessionOptions): Promise<GuardLink> {
  return typeof guard === 'string' ? connectGuardLink(guard, { timeoutMs: GUARD_MS }) : Promise.resolve(guard);
}

/** Weights that can be saved or act again; those that earlier starts got from a learner act until there are newer ones. */
async function openKept(
  { setup, folder, runId, learner, policy: path }: SessionOptions,
  policy: ActingPolicy,
  listeners: SessionListeners,
  closers: Close[],
): Promise<{ readonly kept: KeptWeights; readonly weightsAfter: number }> {
  const file = path === undefined ? undefined : { path, version: policy.version };
  if (learner === undefined) return { kept: new KeptWeights(setup, file, undefined), weightsAfter: 0 };
  const onFault = (message: string): void =>
    listeners.report({ level: 'warn', name: 'weightsRefused', row: 7, message });
  const disk = new WeightsDisk({ folder, runId, schemaHash: setup.schemaHash, onFault });
  closers.push(() => disk.close());
  const kept = new KeptWeights(setup, file, disk);
  const weights = policy.isFixed ? undefined : await disk.load(policy);
  if (weights !== undefined) {
    const message = `Policy ${weights.manifest.version} from the disk acts until the learner sends newer weights.`;
    listeners.report({ level: 'info', name: 'weightsOnDisk', message });
    kept.remember(weights);
  }
  return { kept, weightsAfter: disk.after };
}

/** Opens the journal, and begins to connect to the learner, if there is one. */
function openRecording(
  { setup, folder, runId, robotId, learner }: SharedOptions,
  closers: Close[],
  { parts: { listeners, policy }, log, weights }: Opened,
): TransitionRecorder {
  const watch = new RecordingWatch((event) => listeners.report(event));
  const recorder = openRecorder({
    setup,
    folder,
    runId,
    robotId,
    learner,
    ...weights,
    onFault: (message) => listeners.report({ level: 'warn', name: 'recording', message }),
    onJournal: (status) => watch.see(status),
    onState: reportLearner(listeners, policy),
    onMetrics: (record) => log.diagnosis.add(record),
  });
  closers.push(async () => {
    await recorder.close();
    log.link(recorder.connection); // nothing waits in memory any more
    log.notRecorded(recorder.notRecorded());
    watch.end(recorder.notRecorded());
    if (recorder.notRecorded() > 0) log.show('now');
  });
  return recorder;
}

/** Reports when the learner connects, and when it is lost. */
function reportLearner(listeners: SessionListeners, policy: ActingPolicy): RecorderOptions['onState'] {
  let wasConnected = false;
  return (state) => {
    if (state === 'connecting' && wasConnected) {
      const message = `The learner is gone: policy ${policy.version} goes on.`;
      listeners.report({ level: 'warn', name: 'learnerLost', row: 4, message });
    }
    if (state === 'connected') {
      listeners.report({ level: 'info', name: 'learnerConnected', message: 'The learner is connected.' });
    }
    wasConnected ||= state === 'connected';
  };
}

/** Arbiters of all operators that may take over, and of the people among them. */
function createArbiters(
  { setup, operators = [], isScripted }: SharedOptions,
  epoch: number,
  log: RunLog,
  rewind: Rewind,
): Pick<SessionParts, 'operators' | 'people'> {
  const seats = [...operators, rewind];
  const people = operators.length === 0 ? undefined : new OperatorArbiter(seats, setup.actionSize);
  if (people !== undefined) log.status.operator = { driving: 'nobody', keys: people.hint };
  if (isScripted !== true) return { operators: people, people };
  const script = createScriptedOperator(setup, setup.config.seed * 2 + epoch + 1);
  return { operators: new OperatorArbiter([...seats, script], setup.actionSize), people };
}

/** Remembers the path of the robot. */
function openRewind(
  { config, task }: RunSetup,
  { link, listeners, runner }: Opened['parts'],
  isStopped: () => boolean,
): Rewind {
  const { seconds, pace, contactForceN } = config.task.rewind;
  const names = config.robot.joints.map(({ name }) => name);
  const pose = new ReferencePose(task.action, names);
  const rewind = new Rewind({
    action: task.action,
    steps: Math.max(2, Math.round(seconds * config.task.policyHz)),
    pace,
    contactForceN,
    reference: () => pose.of(link.latest),
    forceN: () => {
      const { wrench } = link.latest.robot;
      return Math.hypot(wrench[0] ?? 0, wrench[1] ?? 0, wrench[2] ?? 0);
    },
    isStopped,
    onEnd: (message) => {
      runner.halt();
      listeners.report({ level: 'info', name: 'rewound', message });
    },
  });
  link.onFrame(() => rewind.watch());
  return rewind;
}

/** Moves a simulated arm, which starts at zeros or at home, to where an episode may begin. No real robot is moved. */
async function arrangeFirst(setup: RunSetup, link: GuardLink, draws: Draws): Promise<void> {
  const isFresh = link.latest.state === 'standby' && (link.latest.faultFlags & START_OUTSIDE) !== 0;
  const isSimulated = worldOf(setup.config.robot.driver) !== 'real';
  const layout = isSimulated && isFresh ? draws.layout('first') : undefined;
  if (layout === undefined) return;
  await link.request({ kind: 'resetScene', layout });
  await link.advance(1);
}
