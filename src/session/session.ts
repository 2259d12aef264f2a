/**
 * One robot under control: it moves when it is asked to, one activity at a time, and tells what happens. `rein run` and the ROS node
 * drive it in real time, `rein sim` in lock-step. It never moves the robot itself: it asks the guard, which brakes and holds
 * when nothing comes from here.
 *
 * @example
 * const session = await openSession(options);      // nothing moves
 * session.listen({ event: (event) => log(event.message) });
 * const report = await session.runEpisode({ purpose: 'evaluation' }).done;
 * await session.close();
 */
import { closeAll, counted, type GuardFrame, openedOrClosed, ReinError } from '../core/index.ts';
import { faultText } from '../guard/index.ts';
import type { Work } from '../record/index.ts';
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

/** While nothing moves, new weights are looked for, and the state is looked at, so often, ms. */
const IDLE_MS = 200;
/** Operators are watched between steps so often: a dropout stops the robot at once, ms. */
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

  /** The guard cannot be reached any more; it brakes and holds by itself. */
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

  /** All training of the run, and how often others than the policy decided in it. */
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

  /** What keeps the robot from moving until a person lets it go on. */
  get held(): HeldStatus | undefined {
    const { people, link, setup } = this.#parts;
    if (people?.isStopRequested === true) return { kind: 'stopped', by: people.stoppedBy ?? 'somebody' };
    const { latest } = link;
    const fault = faultText(latest, setup.config.robot.joints);
    if (latest.state === 'fault' || (latest.state === 'stopped' && fault !== '')) return { kind: 'fault', by: fault };
    if (latest.state === 'stopping' || latest.state === 'stopped') return { kind: 'stopped', by: 'the guard' };
    return this.#episodes.isHeldBack ? { kind: 'paused', by: 'a person' } : undefined;
  }

  get policyState(): PolicyState {
    return this.#policy.state(this.#activity !== undefined && this.frame.state === 'active.policy');
  }

  /** The result takes the listener off. */
  listen(listener: SessionListener): () => void {
    return this.#parts.listeners.add(listener);
  }

  /** Tells all listeners. */
  emit(event: SessionEvent): void {
    this.#parts.listeners.emit('event', event);
  }

  /** Episode after episode until it is cut, the guard stops the robot, or training is over. Throws `ReinError` where it cannot begin. */
  resume(): Activity<void> {
    throwWhere(this.#whyNot() ?? (this.#parts.recorder.connection === undefined ? this.#whyNobody() : undefined));
    this.#parts.operators?.giveBack();
    return this.#begin(new Activity<void>('running'), (activity) => this.#episodes.running(activity));
  }

  /** One episode. Throws `ReinError` where it cannot begin. */
  runEpisode(request: EpisodeRequest): Activity<EpisodeReport> {
    throwWhere(this.whyNotEpisode);
    return this.#begin(new Activity<EpisodeReport>('episode'), (activity) => this.#episodes.single(activity, request));
  }

  /** Episodes by the mean, recorded nowhere. Throws `ReinError` where it cannot begin. */
  evaluate(request: EvaluationRequest): Activity<EvaluationReport> {
    throwWhere(this.whyNotEvaluate);
    return this.#begin(new Activity<EvaluationReport>('evaluating'), (activity) =>
      this.#episodes.evaluating(activity, request),
    );
  }

  /** Why an episode cannot begin now; `undefined` where it can. */
  get whyNotEpisode(): ReinError | undefined {
    return this.#whyNot() ?? this.#whyNobody();
  }

  /** Why an evaluation cannot begin now; `undefined` where it can. */
  get whyNotEvaluate(): ReinError | undefined {
    if (this.#policy.isReady) return this.#whyNot();
    return this.#whyNot() ?? new ReinError('policy', 'There are no weights to evaluate.', { remedy: WEIGHTS });
  }

  /** The demonstrations that people are asked for are enough as they are. */
  skipDemonstrations(): void {
    this.#episodes.demonstrations.skip();
  }

  /**
   * Cuts the present episode after its step; the robot holds, and no episode begins before `letGo`. `prompt`: how a person lets it go
   * on, one sentence for displays.
   */
  holdBack(prompt: string): void {
    this.#episodes.holdBack(prompt);
    this.#activity?.cutEpisode('a person paused the run');
  }

  /**
   * A person lets the robot go on: a pause ends, stops of people are lifted, a question for help is answered, and a rewind that has come
   * to its end holds no longer. Whoever has control keeps it.
   */
  letGo(): void {
    const { rewind } = this.#parts;
    if (!rewind.isRewinding) rewind.giveBack();
    this.#episodes.goOn();
    this.#episodes.holdBack(undefined);
    this.#parts.operators?.liftStop();
    this.#wasStopRequested = false;
  }

  /** A person wants the robot to go back the way it came, slowly, and then to hold. What cannot be is told. */
  rewind(): void {
    const why = this.#activity === undefined ? 'No episode is going on.' : this.#episodes.rewind();
    const message = why ?? 'The robot goes back the way it came. Whoever takes over or stops it ends that.';
    this.#parts.listeners.report({ level: why === undefined ? 'info' : 'warn', name: 'rewind', message });
  }

  /** A person begins the critical phase of the present episode. Says what became of it. */
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

  /** Who gives back, gives a rewind back too, and answers a robot that asked for help. */
  endRewind(): void {
    this.#parts.rewind.giveBack();
    this.#episodes.goOn();
  }

  /** Ends what goes on after its step, and holds. Resolves when that is so. */
  async pause(reason: string): Promise<void> {
    const activity = this.#activity;
    activity?.cut(reason);
    await activity?.done.catch(() => undefined);
  }

  /** Cuts the present episode after its step; whatever comes after it goes on. */
  cutEpisode(reason: string): void {
    this.#activity?.cutEpisode(reason);
  }

  /** Brakes at once and holds, latched until `reset`. Resolves when the guard has taken it. Rejects where it is lost. */
  async stop(reason: string): Promise<void> {
    this.#activity?.cut(reason);
    await this.#guard.stop();
  }

  /** Acknowledges what stopped the robot and lets it hold again; never moves it. False where nothing was to be reset. */
  async reset(): Promise<boolean> {
    const activity = this.#activity;
    if (activity !== undefined && this.#guard.refusal() === undefined) return false;
    await activity?.done.catch(() => undefined);
    this.#parts.operators?.giveBack();
    this.#wasStopRequested = false;
    return this.#guard.reset();
  }

  /** Why no motion can begin now; `undefined` where it can. */
  get refusal(): { readonly message: string; readonly remedy: string } | undefined {
    return this.#guard.refusal();
  }

  /** A person's verdict on the present episode. Says what became of it; `isTaken` where it ends the episode, or labels states. */
  mark(mark: Mark, note: string): ReturnType<Marks['give']> {
    const { task, config } = this.#parts.setup;
    const labelled = this.#parts.labels?.mark(mark);
    if (labelled !== undefined) this.emit({ level: 'info', name: 'labelled', row: 0, message: labelled, remedy: '' });
    if (labelled !== undefined && task.takesMarks !== true) return { isTaken: true, message: labelled };
    const isShown = this.#episodes.demonstrations.isShownByPerson || this.#episodes.recording?.isShown === true;
    const unmarked = task.isJudged === false ? 'nothing is judged here' : `${config.task.name} judges itself`;
    const idle = this.#activity === undefined ? 'no episode is going on' : undefined;
    return this.#marks.give(mark, note, {
      episode: this.#episodes.at.episode,
      isShownByPerson: isShown,
      refusal: task.takesMarks === true ? idle : unmarked,
    });
  }

  /** Saves the weights that act; an empty `path` is the run's folder. Rejects with `ReinError`. */
  savePolicy(path: string): Promise<{ readonly path: string; readonly version: number }> {
    return this.#policy.save(path);
  }

  /** A demonstration is being recorded, or waits for a verdict. */
  get isRecording(): boolean {
    return this.#episodes.recording?.isShown === true;
  }

  /** What a person at `rein record` asks for; nothing where nobody records. */
  record(request: RecordRequest): void {
    this.#episodes.recording?.ask(request);
  }

  /** Puts the weights before back, at once. Gives the version that acts. Throws `ReinError('policy')` without any. */
  rollbackPolicy(): number {
    return this.#policy.rollback();
  }

  /** Brakes, holds, hands over what is recorded, and closes everything. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Passes on what the guard says, and ends what goes on where it is lost. */
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
    // Who may wait for leave to move begins although the robot stands.
    const mayWait = this.#parts.afterStop === 'askLeave' && !this.isLost;
    const refusal = mayWait ? undefined : this.#guard.refusal();
    if (refusal !== undefined) return new ReinError('driver', refusal.message, { remedy: refusal.remedy });
    const problem = this.#observations.problem(this.#parts.clock.nowS());
    return problem === undefined ? undefined : new ReinError('task', problem.message, { remedy: problem.remedy });
  }

  #whyNobody(): ReinError | undefined {
    if (this.#policy.isReady || this.#parts.people !== undefined) return undefined;
    const others = this.#parts.operators === undefined ? '' : '; a scripted operator only corrects a policy';
    const message = `There is nothing that could decide: no weights, and no person who may take over${others}.`;
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

  /** Devices are read here, so that a dropout is seen at once. */
  #watchPeople(): void {
    const { people, afterStop, runner } = this.#parts;
    if (people === undefined) return;
    people.watch();
    const isRequested = people.isStopRequested;
    const isNew = isRequested && !this.#wasStopRequested;
    this.#wasStopRequested = isRequested;
    if (!isNew) return;
    // A person's stop, or one who dropped out while in control, stops the robot and it stays: nobody goes on by itself.
    if (afterStop === 'askLeave') runner.halt();
    else this.stop('an operator stopped the robot').catch(() => undefined); // a guard that is lost has been told of
  }

  /** Nothing acts on what is too old: the episode is cut, and the robot holds until it is fresh again. */
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

  /** Gives the learner a moment to take what it has not acknowledged. */
  async #deliver(): Promise<void> {
    const { recorder, drainMs, live, folder } = this.#parts;
    const { connection } = recorder;
    live.log.notRecorded(recorder.notRecorded());
    if (connection === undefined || drainMs === 0) return;
    const isDelivered = await connection.drain(drainMs);
    live.log.link(connection);
    if (isDelivered) return;
    // What is in memory only has no next start: where the disk does not take it, it is told as not recorded.
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
