/**
 * One robot under control: it runs one activity at a time on request, and reports what happens. `rein run` and the ROS node drive it in
 * real time, `rein sim` in lock-step. It never moves the robot itself: it sends requests to the guard, which brakes and holds without them.
 *
 * @example
 * const session = await openSession(options);      // nothing moves
 * session.listen({ event: (event) => log(event.message) });
 * const report = await session.runEpisode({ purpose: 'evaluation' }).done;
 * await session.close();
 */

import { faultText } from '../guard/index.ts';
import { closeAll, openedOrClosed } from '../host/index.ts';
import { counted, ReinError } from '../model/index.ts';
import type { Work } from '../record/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import { Activity } from './activity.ts';
import { Episodes } from './episodes.ts';
import { GuardControl } from './guard-control.ts';
import type { LearnerConnection } from './learner-connection.ts';
import { Marks } from './marks.ts';
import type { Pace } from './pace.ts';
import type { RecordRequest } from './person-request.ts';
import type { SessionParts } from './session-parts.ts';
import type {
  EpisodeReport,
  EpisodeRequest,
  EvaluationReport,
  EvaluationRequest,
  Mark,
  PolicyState,
  SessionEvent,
  SessionListener,
  SessionMode,
  SessionState,
} from './session-types.ts';
import type { HeldStatus } from './status.ts';
import { FaultWatch, ObservationWatch, WeightsWatch } from './watches.ts';
import { PolicyUse } from './weights/policy-use.ts';

/** Polling interval for new weights and state changes while nothing moves, ms. */
const IDLE_MS = 200;
/** Interval at which operators are watched between steps, ms: a dropout stops the robot at once. */
const WATCH_MS = 20;

export class LiveSession {
  readonly #parts: SessionParts;
  readonly #guard: GuardControl;
  readonly #policy: PolicyUse;
  readonly #episodes: Episodes;
  readonly #marks: Marks;
  readonly #observations: ObservationWatch;
  readonly #weights: WeightsWatch;
  #activity: Activity<unknown> | undefined;
  #reportedState = '';
  #wasStopRequested = false;
  #closing: Promise<void> | undefined;

  constructor(parts: SessionParts, pace: Pace) {
    const { link, listeners, clock } = parts;
    this.#parts = parts;
    this.#guard = new GuardControl(link, parts.setup);
    this.#policy = new PolicyUse(parts, pace.weights);
    this.#marks = new Marks(listeners, clock);
    this.#observations = new ObservationWatch(parts.observations, (event) => this.emit(event));
    this.#weights = new WeightsWatch((event) => this.emit(event));
    this.#episodes = new Episodes({
      parts,
      pace,
      policy: this.#policy,
      guard: this.#guard,
      marks: this.#marks,
      observations: this.#observations,
    });
    this.#hearGuard();
    this.#watch();
    parts.live.log.watch({ held: () => this.held, network: () => this.#parts.people?.network });
  }

  /** The guard's newest frame, updated in place. */
  get frame(): GuardFrame {
    return this.#parts.link.latest;
  }

  /** True if the guard is lost; it brakes and holds by itself. */
  get isLost(): boolean {
    return this.#parts.link.lostReason !== undefined;
  }

  get setup(): SessionParts['setup'] {
    return this.#parts.setup;
  }

  /** The run's folder. */
  get folder(): string {
    return this.#parts.folder;
  }

  /** Totals of all training in the run; `interventions`: how often others than the policy decided in it. */
  get work(): Work {
    return this.#parts.live.work;
  }

  get interventions(): number {
    return this.#parts.live.interventions;
  }

  /** Absent without a learner. */
  get connection(): LearnerConnection | undefined {
    return this.#parts.recorder.connection;
  }

  get state(): SessionState {
    const { live, recorder, link } = this.#parts;
    const { status } = live.log;
    const { successes, episodes, rates } = status.success;
    const { connection } = recorder;
    return {
      mode: this.#mode(),
      phase: status.phase,
      ...this.#episodes.at,
      authority: authorityOf(link.latest),
      envSteps: status.envSteps,
      successRate: episodes === 0 ? 0 : successes / episodes,
      successesPerHour: rates?.successesPerHour ?? 0,
      humanStepShare: rates?.humanStepShare ?? 0,
      episodes: live.episodes,
      learner: connection === undefined || connection.state === 'closed' ? 'absent' : connection.state,
      pendingTransitions: connection?.counters.pending ?? 0,
      marginMin: status.filter.marginMin,
    };
  }

  /** Cause that keeps the robot from moving until a person lets it go on. */
  get held(): HeldStatus | undefined {
    const { people, link, setup } = this.#parts;
    if (people?.isStopRequested === true) return { kind: 'stopped', by: people.stoppedBy ?? 'a person' };
    const { latest } = link;
    const fault = faultText(latest, setup.config.robot.joints);
    if (latest.state === 'fault' || (latest.state === 'stopped' && fault !== '')) return { kind: 'fault', by: fault };
    if (latest.state === 'stopping' || latest.state === 'stopped') return { kind: 'stopped', by: 'the guard' };
    return this.#episodes.isHeldBack ? { kind: 'paused', by: 'a person' } : undefined;
  }

  get policyState(): PolicyState {
    return this.#policy.state(this.#activity !== undefined && this.frame.state === 'active.policy');
  }

  /** Adds a listener; the returned function removes it. */
  listen(listener: SessionListener): () => void {
    return this.#parts.listeners.add(listener);
  }

  /** Emits an event to all listeners. */
  emit(event: SessionEvent): void {
    this.#parts.listeners.emit('event', event);
  }

  /** Runs episodes until cut, until the guard stops the robot, or training is over. Throws `ReinError` if it cannot begin. */
  resume(): Activity<void> {
    throwWhere(this.#whyNot() ?? (this.#parts.recorder.connection === undefined ? this.#whyNobody() : undefined));
    this.#parts.operators?.giveBack();
    return this.#begin(new Activity<void>('running'), (activity) => this.#episodes.running(activity));
  }

  /** Runs one episode. Throws `ReinError` if it cannot begin. */
  runEpisode(request: EpisodeRequest): Activity<EpisodeReport> {
    throwWhere(this.whyNotEpisode);
    return this.#begin(new Activity<EpisodeReport>('episode'), (activity) => this.#episodes.single(activity, request));
  }

  /** Runs unrecorded episodes by the mean action. Throws `ReinError` if it cannot begin. */
  evaluate(request: EvaluationRequest): Activity<EvaluationReport> {
    throwWhere(this.whyNotEvaluate);
    return this.#begin(new Activity<EvaluationReport>('evaluating'), (activity) =>
      this.#episodes.evaluating(activity, request),
    );
  }

  /** Reason why an episode cannot begin now; `undefined` if it can. */
  get whyNotEpisode(): ReinError | undefined {
    return this.#whyNot() ?? this.#whyNobody();
  }

  /** Reason why an evaluation cannot begin now; `undefined` if it can. */
  get whyNotEvaluate(): ReinError | undefined {
    if (this.#policy.isReady) return this.#whyNot();
    return this.#whyNot() ?? new ReinError('policy', 'There are no weights to evaluate.', { remedy: WEIGHTS });
  }

  /** Called when people have given enough of the demonstrations asked for. */
  skipDemonstrations(): void {
    this.#episodes.demonstrations.skip();
  }

  /**
   * Cuts the current episode after its step; the robot holds, and no episode begins before `letGo`. `prompt`: instruction for letting it go
   * on, one sentence for displays.
   */
  holdBack(prompt: string): void {
    this.#episodes.holdBack(prompt);
    this.#activity?.cutEpisode('a person paused the run');
  }

  /**
   * Lets the robot go on at a person's request: ends a pause, lifts people's stops, answers a request for help, and releases a rewind that
   * has come to its end. The operator in control keeps it.
   */
  letGo(): void {
    const { rewind } = this.#parts;
    if (!rewind.isRewinding) rewind.giveBack();
    this.#episodes.goOn();
    this.#episodes.holdBack(undefined);
    this.#parts.operators?.liftStop();
    this.#wasStopRequested = false;
  }

  /** Rewinds the robot slowly at a person's request, after which it holds. Refusals are reported. */
  rewind(): void {
    const why = this.#activity === undefined ? 'No episode is going on.' : this.#episodes.rewind();
    const message = why ?? 'Rewind: the robot goes back the way it came, until a person takes over or stops it.';
    this.#parts.listeners.report({ level: why === undefined ? 'info' : 'warn', name: 'rewind', message });
  }

  /** Begins the critical phase of the current episode at a person's request. Reports the result. */
  beginCritical(): void {
    const { listeners, runner, setup } = this.#parts;
    const { phaseSwitch } = setup.config.task;
    const idle = this.#activity === undefined ? 'no episode is going on' : 'it goes on already';
    const offered = phaseSwitch === undefined ? 'the task has no phaseSwitch' : 'the task leaves it to rules';
    const isBegun = phaseSwitch?.byButton === true && this.#activity !== undefined && runner.beginCritical();
    const message = isBegun
      ? 'The critical phase begins: the learned policy acts.'
      : `The critical phase does not begin: ${phaseSwitch?.byButton === true ? idle : offered}.`;
    listeners.report({ level: isBegun ? 'info' : 'warn', name: 'criticalPhase', message });
  }

  /** Called when a person gives control back: ends a rewind too, and answers a robot that asked for help. */
  endRewind(): void {
    this.#parts.rewind.giveBack();
    this.#episodes.goOn();
  }

  /** Ends the activity after its step, and holds. Resolves when that is done. */
  async pause(reason: string): Promise<void> {
    const activity = this.#activity;
    activity?.cut(reason);
    await activity?.done.catch(() => undefined);
  }

  /** Cuts the current episode after its step; the activity goes on. */
  cutEpisode(reason: string): void {
    this.#activity?.cutEpisode(reason);
  }

  /** Brakes at once and holds, latched until `reset`. Resolves when the guard has accepted it. Rejects if the guard is lost. */
  async stop(reason: string): Promise<void> {
    this.#activity?.cut(reason);
    await this.#guard.stop();
  }

  /** Acknowledges the cause of a stop and lets the robot hold again; never moves it. False if there was nothing to reset. */
  async reset(): Promise<boolean> {
    const activity = this.#activity;
    if (activity !== undefined && this.#guard.refusal() === undefined) return false;
    await activity?.done.catch(() => undefined);
    this.#parts.operators?.giveBack();
    this.#wasStopRequested = false;
    return this.#guard.reset();
  }

  /** Reason why no motion can begin now; `undefined` if it can. */
  get refusal(): { readonly message: string; readonly remedy: string } | undefined {
    return this.#guard.refusal();
  }

  /** Takes a person's verdict on the current episode. Returns a message; `isTaken` if it ends the episode, or labels states. */
  mark(mark: Mark, note: string): ReturnType<Marks['give']> {
    const { task, config } = this.#parts.setup;
    const labelled = this.#parts.labels?.mark(mark);
    if (labelled !== undefined) this.emit({ level: 'info', name: 'labelled', row: 0, message: labelled, remedy: '' });
    if (labelled !== undefined && task.takesMarks !== true) return { isTaken: true, message: labelled };
    const isShown = this.#episodes.demonstrations.isShownByPerson || this.#episodes.recording?.isShown === true;
    const unmarked =
      task.isJudged === false ? 'this task is not judged' : `task ${config.task.name} judges success itself`;
    const idle = this.#activity === undefined ? 'no episode is going on' : undefined;
    return this.#marks.give(mark, note, {
      episode: this.#episodes.at.episode,
      isShownByPerson: isShown,
      refusal: task.takesMarks === true ? idle : unmarked,
    });
  }

  /** Saves the weights in use; an empty `path` is the run's folder. Rejects with `ReinError`. */
  savePolicy(path: string): Promise<{ readonly path: string; readonly version: number }> {
    return this.#policy.save(path);
  }

  /** True while a demonstration is recorded, or waits for a verdict. */
  get isRecording(): boolean {
    return this.#episodes.recording?.isShown === true;
  }

  /** Passes on a request of a person at `rein record`; ignored if nothing is being recorded. */
  record(request: RecordRequest): void {
    this.#episodes.recording?.ask(request);
  }

  /** Restores the previous weights at once. Returns the version in use. Throws `ReinError('policy')` if there are none. */
  rollbackPolicy(): number {
    return this.#policy.rollback();
  }

  /** Brakes, holds, delivers what is recorded, and closes everything. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Passes on frames and notices of the guard, and ends the activity if the guard is lost. */
  #hearGuard(): void {
    const { link, listeners, clock, setup } = this.#parts;
    const faults = new FaultWatch(setup.config.robot.joints, (event) => this.emit(event));
    link.onFrame((frame) => {
      faults.see(frame, clock.nowS());
      listeners.emit('frame', frame);
    });
    link.onNotice((notice) => listeners.report({ ...notice, name: 'guardNotice' }));
    link.onLost((reason) => {
      if (this.#closing !== undefined) return;
      const message = `The guard cannot be reached: ${reason}.`;
      listeners.report({ level: 'error', name: 'guardLost', row: 25, message, remedy: 'Start the robot again.' });
      this.#activity?.cut(message);
    });
  }

  #watch(): void {
    const idling = setInterval(() => this.#idle(), IDLE_MS);
    const watching = setInterval(() => {
      this.#watchPeople();
      this.#watchObservations();
    }, WATCH_MS);
    this.#parts.closers.push(() => {
      clearInterval(idling);
      clearInterval(watching);
    });
  }

  #begin<T>(activity: Activity<T>, body: (activity: Activity<T>) => Promise<T>): Activity<T> {
    this.#activity = activity;
    activity.begin(async () => {
      try {
        return await body(activity);
      } finally {
        this.#activity = undefined;
        this.#episodes.ended();
        this.#reportState();
      }
    });
    this.#reportState();
    return activity;
  }

  #whyNot(): ReinError | undefined {
    if (this.#closing !== undefined) return new ReinError('task', 'The session is closed.');
    if (this.#activity !== undefined) {
      return new ReinError('task', `${GOING_ON[this.#activity.kind]} already.`, { remedy: 'Stop it first.' });
    }
    // A session that may wait for permission to move begins although the robot stands.
    const mayWait = this.#parts.afterStop === 'askLeave' && !this.isLost;
    const refusal = mayWait ? undefined : this.#guard.refusal();
    if (refusal !== undefined) return new ReinError('driver', refusal.message, { remedy: refusal.remedy });
    const problem = this.#observations.problem(this.#parts.clock.nowS());
    return problem === undefined ? undefined : new ReinError('task', problem.message, { remedy: problem.remedy });
  }

  #whyNobody(): ReinError | undefined {
    if (this.#policy.isReady || this.#parts.people !== undefined) return undefined;
    const others = this.#parts.operators === undefined ? '' : '; a scripted operator only corrects a policy';
    const message = `Nothing can control the robot: no weights, and no person who may take over${others}.`;
    return new ReinError('policy', message, { remedy: WEIGHTS });
  }

  #mode(): SessionMode {
    const { link } = this.#parts;
    const { state } = link.latest;
    if (link.lostReason !== undefined || state === 'fault') return 'fault';
    if (state === 'stopping' || state === 'stopped') return 'stopped';
    return this.#activity?.kind ?? 'idle';
  }

  #idle(): void {
    const { live, recorder, clock } = this.#parts;
    live.log.link(recorder.connection);
    live.log.notRecorded(recorder.notRecorded());
    if (recorder.connection !== undefined) this.#weights.see(recorder.connection, clock.nowS());
    live.show();
    if (this.#activity === undefined) this.#policy.poll();
    this.#reportState();
  }

  /** Polls the devices, so that a dropout is seen at once. */
  #watchPeople(): void {
    const { people, afterStop, runner } = this.#parts;
    if (people === undefined) return;
    people.watch();
    const isRequested = people.isStopRequested;
    const isNew = isRequested && !this.#wasStopRequested;
    this.#wasStopRequested = isRequested;
    if (!isNew) return;
    // A person's stop, or a dropout of the operator in control, stops the robot for good: it does not go on by itself.
    if (afterStop === 'askLeave') runner.halt();
    else this.stop('an operator stopped the robot').catch(() => undefined); // the loss of the guard was reported
  }

  /** Nothing acts on outdated observations: the episode is cut, and the robot holds until they are fresh again. */
  #watchObservations(): void {
    if (this.#activity === undefined) return;
    const problem = this.#observations.see(this.#parts.clock.nowS());
    if (problem !== undefined) this.#activity.cutEpisode(problem.message);
  }

  #reportState(): void {
    const { state } = this;
    const reported = `${state.mode} ${state.phase} ${state.learner}`;
    if (reported === this.#reportedState) return;
    this.#reportedState = reported;
    this.#parts.listeners.emit('state', state);
  }

  async #close(): Promise<void> {
    const { closers, link } = this.#parts;
    const activity = this.#activity;
    activity?.cut('The session ends.');
    closers.push(() => this.#parts.live.log.phase('done'));
    await openedOrClosed(closers, async () => {
      if (link.lostReason === undefined) await this.#guard.stop();
      await activity?.done.catch(() => undefined);
      await this.#policy.settled();
      await this.#guard.stands();
      await this.#deliver();
    });
    await closeAll(closers);
  }

  /** Gives the learner time to take what it has not acknowledged. */
  async #deliver(): Promise<void> {
    const { recorder, drainMs, live, folder } = this.#parts;
    const { connection } = recorder;
    live.log.notRecorded(recorder.notRecorded());
    if (connection === undefined || drainMs === 0) return;
    const isDelivered = await connection.drain(drainMs);
    live.log.link(connection);
    if (isDelivered) return;
    // Transitions in memory alone have no next start: if the disk does not take them, they are reported as not recorded.
    const waiting = connection.counters.pending - connection.journal().pending;
    if (waiting === 0) return;
    const message = `Still in the journal: ${counted(waiting, 'transition')}. The next start in the folder ${folder} delivers it.`;
    this.#parts.listeners.report({ level: 'warn', name: 'transitionsPending', message });
  }
}

const GOING_ON = {
  running: 'The robot is running',
  episode: 'An episode is going on',
  evaluating: 'An evaluation is going on',
};
const WEIGHTS = 'Give a policy file, or wait for the first weights of the learner.';

function throwWhere(error: ReinError | undefined): void {
  if (error !== undefined) throw error;
}

function authorityOf({ state, decider }: GuardFrame): SessionState['authority'] {
  if (state === 'active.human') return 'human';
  if (state === 'active.policy') return decider === 'human' ? 'hold' : decider;
  return state === 'stopping' || state === 'stopped' || state === 'fault' ? 'stop' : 'hold';
}
