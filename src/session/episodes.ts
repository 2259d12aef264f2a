/**
 * The episodes of a session: demonstrations, training, evaluation, in real time and in lock-step. Each begins with the guard's permission
 * and ends holding.
 */

import type { EpisodePlace } from '../record/index.ts';
import { isActive, type SceneLayout, type Transition } from '../rows/index.ts';
import { startsOver } from '../tasks/index.ts';
import { type Activity, pauseOf } from './activity.ts';
import { type DemonstrationParts, Demonstrations, demonstrationsMissing } from './demonstrations.ts';
import {
  type EpisodeOptions,
  NOT_BEGUN,
  NoLeaveError,
  neverOver,
  ResetHangsError,
  SCENE_DRAWS,
} from './episode-runner.ts';
import { evaluationOf, successesOf } from './evaluation.ts';
import type { GuardControl } from './guard-control.ts';
import { HelpDesk } from './help-desk.ts';
import type { Marks } from './marks.ts';
import type { Pace } from './pace.ts';
import { RecordingDesk } from './recording-desk.ts';
import { SceneReset } from './scene-reset.ts';
import { SegmentWatch, type StepOperator } from './segments.ts';
import type { SessionParts } from './session-parts.ts';
import type {
  EpisodePurpose,
  EpisodeReport,
  EpisodeRequest,
  EpisodeResult,
  EvaluationReport,
  EvaluationRequest,
} from './session-types.ts';
import type { RunPhase } from './status.ts';
import { InterventionWatch, type ObservationWatch } from './watches.ts';
import type { PolicyUse } from './weights/policy-use.ts';

/** Polling interval while waiting for weights or observations, ms. */
const WAIT_MS = 50;

type EpisodeParts = DemonstrationParts &
  Pick<
    SessionParts,
    | 'recording'
    | 'clock'
    | 'link'
    | 'policy'
    | 'operators'
    | 'draws'
    | 'runner'
    | 'labels'
    | 'rewind'
    | 'resetPolicy'
    | 'afterStop'
  >;

/** Parts of a session that move the robot. */
export interface EpisodesOptions {
  readonly parts: EpisodeParts;
  readonly pace: Pace;
  readonly policy: PolicyUse;
  readonly guard: GuardControl;
  readonly marks: Marks;
  readonly observations: ObservationWatch;
}

export class Episodes {
  readonly demonstrations: Demonstrations;
  /** Absent unless demonstrations are recorded with `rein record`. */
  readonly recording: RecordingDesk | undefined;
  readonly #parts: EpisodeParts;
  readonly #pace: Pace;
  readonly #policy: PolicyUse;
  readonly #guard: GuardControl;
  readonly #marks: Marks;
  readonly #observations: ObservationWatch;
  readonly #interventions: InterventionWatch;
  readonly #segments: SegmentWatch;
  /** The current episode, once one of its steps was recorded. */
  #recordedAs: EpisodePlace | undefined;
  readonly #help: HelpDesk;
  readonly #reset: SceneReset;
  #count = 0;
  /** Operator that may decide in the current episode besides the policy. */
  #asked: EpisodeOptions['operator'];
  /** Episode and step number of the newest step. */
  #at = { episode: 0, step: 0 };
  /** True if the current episode could not begin, for a reason that only a person can remove. */
  #needsPerson = false;
  #hasReportedWait = false;
  /** True if the previous episode was cut: the robot rewinds before the next. */
  #isRewindDue = false;
  /** Reason why no episode may begin; `undefined` if one may. */
  #heldBack: string | undefined;

  constructor({ parts, pace, policy, guard, marks, observations }: EpisodesOptions) {
    this.#parts = parts;
    this.#pace = pace;
    this.#policy = policy;
    this.#guard = guard;
    this.#marks = marks;
    this.#observations = observations;
    this.#interventions = new InterventionWatch((report) => parts.listeners.emit('intervention', report));
    this.#help = new HelpDesk(parts, {
      pause: (activity) => this.#pause(activity),
      onAsk: () => this.#segments.asked(),
      askedBefore: () => this.#heldBack,
    });
    this.#segments = new SegmentWatch({
      policyHz: parts.setup.config.task.policyHz,
      epoch: parts.recorder.epoch,
      write: (segment) => parts.live.log.write(segment),
    });
    this.demonstrations = new Demonstrations(parts, pace, marks, {
      run: (activity, options) => this.#run(activity, 'demo', options),
      mayGoOn: (activity, abortedBy) => this.#mayGoOn(activity, abortedBy),
      show: (transition) => this.#show(transition),
    });
    this.#reset = new SceneReset(parts, {
      drive: async (activity, options) => {
        await this.#whileHeldBack(activity);
        await this.#pace.awaitLeave(activity);
        return this.#unlessCut(activity, options);
      },
      mayGoOn: async (activity, abortedBy) => {
        if (!(await this.#mayGoOn(activity, abortedBy))) return false;
        // A person may have to look at the cause of the stop before the robot moves again.
        await this.#pace.awaitLeave(activity);
        return true;
      },
      pause: (activity) => this.#pause(activity),
      whyHeld: () => this.#whyHeld(),
      asks: () => this.#help.listen(),
      startsAs: () => parts.runner.startsAs(),
    });
    this.recording = this.#openDesk();
  }

  async #whyHeld(): Promise<string | undefined> {
    return (await this.#guard.leave())?.reason;
  }

  #openDesk(): RecordingDesk | undefined {
    const { recording, draws } = this.#parts;
    if (recording === undefined) return undefined;
    return new RecordingDesk(this.#parts, recording, this.#marks, {
      awaitLeave: (activity) => this.#pace.awaitLeave(activity),
      whyHeld: () => this.#whyHeld(),
      drawLayout: () => {
        const layout = draws.layout('demo');
        if (layout !== undefined) this.#parts.listeners.emit('scene', layout);
        return layout;
      },
      drive: (activity, options) => {
        activity.episodeBegins();
        return this.#unlessCut(activity, { ...options, purpose: 'demo', judge: neverOver });
      },
      startsAs: () => this.#parts.runner.startsAs(),
      run: (activity, options) => this.#run(activity, 'demo', options, undefined, 'as it is'),
      show: (transition) => this.#show(transition),
      pause: (activity) => this.#pause(activity),
    });
  }

  /** Position of the newest step: number of its episode since the node's start, and its number in that episode. */
  get at(): { readonly episode: number; readonly step: number } {
    return this.#at;
  }

  get isHeldBack(): boolean {
    return this.#heldBack !== undefined;
  }

  /** Prevents episodes from beginning until it is called with `undefined`. */
  holdBack(reason: string | undefined): void {
    // Leaves other requests to the operator in place.
    if (reason !== this.#heldBack) this.#parts.live.log.ask(reason);
    this.#heldBack = reason;
  }

  /** Called when a person lets the robot go on, which also answers its request for help. */
  goOn(): void {
    this.#help.goOn();
  }

  get #isShownByPerson(): boolean {
    return this.demonstrations.isShownByPerson || this.recording?.isShown === true;
  }

  /** Begins a rewind. Returns the reason if it cannot. */
  rewind(): string | undefined {
    if (this.#isShownByPerson) return 'A demonstration cannot be rewound: give it up with n, or Failure at the page.';
    const { operators, people, rewind, link } = this.#parts;
    if ((operators ?? people) === undefined) return 'Rewind needs an operator, and this run has none.';
    // A rewind requested while the robot stands would begin whenever a person lets it go on.
    const { state } = link.latest;
    const isDriven = isActive(state) || this.#help.isAsking;
    if (this.#heldBack !== undefined || !isDriven) return 'The robot is stopped: let it go on first.';
    return rewind.begin();
  }

  /** Called when the activity is over: no operator is in control any more. */
  ended(): void {
    this.#interventions.end(this.#parts.clock.nowS());
  }

  /** Demonstrations if they are missing, then training episodes, until training is over or cut. */
  async running(activity: Activity<void>): Promise<void> {
    try {
      await this.#pace.join(activity);
      if (this.recording !== undefined) return await this.recording.work(activity);
      // Without all demonstrations no weights will arrive, so a robot stopped meanwhile does not wait for them.
      if (this.demonstrations.areDue && !(await this.demonstrations.give(activity))) return;
      if (!this.#policy.isReady && this.#needsPolicy) {
        const message = 'Holding: waiting for the first weights of the learner.';
        this.#parts.listeners.report({ level: 'info', name: 'waitingForWeights', message });
      }
      while (activity.reason === undefined && (await this.#train(activity)) === 'goOn');
    } catch (error) {
      // A stop between two steps leads to refusals and aborted waits: that is the requested end.
      if (activity.reason === undefined || this.#parts.link.lostReason !== undefined) throw error;
    }
  }

  /** Runs one episode. */
  async single(activity: Activity<EpisodeReport>, request: EpisodeRequest): Promise<EpisodeReport> {
    const { operators, people } = this.#parts;
    const isTraining = request.purpose === 'training';
    this.#phase(isTraining ? this.#atWork : 'evaluating');
    const options = {
      ...(isTraining ? this.#inTraining(activity, operators) : this.#inEvaluation(people)),
      ...(request.maxSteps ? { maxSteps: request.maxSteps } : {}),
    };
    return this.#run(activity, request.purpose, options, request.onStep);
  }

  /** Runs episodes by the mean action of the current weights. Helped episodes are no successes. Nothing is recorded. */
  async evaluating(activity: Activity<EvaluationReport>, request: EvaluationRequest): Promise<EvaluationReport> {
    const wanted = request.episodes || this.#parts.setup.config.task.evaluation.episodes;
    this.#phase('evaluating');
    const { log } = this.#parts.live;
    const beganS = log.elapsedS;
    const done: EpisodeReport[] = [];
    let endedEarly: string | undefined;
    while (done.length < wanted && endedEarly === undefined) {
      const report = await this.#run(activity, 'evaluation', this.#inEvaluation(this.#parts.people));
      if (report.abortedBy !== undefined) {
        await this.#guard.stands();
        endedEarly =
          activity.reason ??
          this.#guard.refusal()?.message ??
          // An evaluation does not wait for a person, and no new scene helps.
          (this.#needsPerson ? report.abortedBy : undefined);
        continue;
      }
      done.push(report);
      request.onEpisode?.(done.length, successesOf(done));
    }
    const evaluation = evaluationOf(done, log.elapsedS - beganS);
    return done.length < wanted ? { ...evaluation, endedEarly: endedEarly ?? 'it was cut' } : evaluation;
  }

  /** True if there is a reason to wait for weights; without a learner, people may move an arm that has no policy. */
  get #needsPolicy(): boolean {
    return this.#parts.recorder.connection !== undefined || this.#parts.people === undefined;
  }

  /** Holds until there are weights to act with. Reports it if the learner waits for demonstrations that cannot be given here. */
  async #awaitWeights(activity: Activity<void>): Promise<void> {
    this.#policy.poll();
    if (this.#policy.isReady || !this.#needsPolicy) return;
    const isMissing = this.demonstrations.areElsewhere;
    this.#phase(isMissing ? 'demonstrations' : 'behaviour cloning');
    if (isMissing && !this.#hasReportedWait) {
      this.#hasReportedWait = true;
      const message = demonstrationsMissing(this.#parts.setup.config.task.demonstrations);
      this.#parts.listeners.report({ level: 'warn', name: 'demonstrationsMissing', message });
    }
    // In lock-step, this waits for them.
    await this.#policy.beforeStep();
    while (!this.#policy.isReady) {
      await this.#pause(activity);
      this.#policy.poll();
    }
  }

  /** Runs the next training episode once it may begin, unless training is over. */
  async #train(activity: Activity<void>): Promise<'goOn' | 'isOver'> {
    await this.#awaitWeights(activity);
    await this.#pace.awaitLeave(activity);
    while (this.#observations.problem(this.#parts.clock.nowS()) !== undefined) await this.#pause(activity);
    const { live, link, operators, setup } = this.#parts;
    if (live.log.status.phase !== this.#atWork) {
      this.#phase(this.#atWork);
      live.begin();
    }
    await this.#whileHeldBack(activity);
    if (this.#isRewindDue) await this.#rewindFirst(activity);
    const maxSteps = await this.#pace.nextEpisode();
    if (maxSteps === 0) return 'isOver';
    let report: EpisodeReport;
    try {
      report = await this.#run(activity, 'training', { ...this.#inTraining(activity, operators), maxSteps });
    } catch (error) {
      if (activity.reason !== undefined || link.lostReason !== undefined) throw error;
      // Other weights act, or none until newer ones arrive.
      await this.#policy.giveUp(error);
      return 'goOn';
    }
    this.#isRewindDue = report.abortedBy !== undefined && setup.config.task.rewind.afterCut;
    return (await this.#mayGoOn(activity, report.abortedBy)) ? 'goOn' : 'isOver';
  }

  /** Automatic recovery: rewinds before the next episode. Nothing of it is recorded. */
  async #rewindFirst(activity: Activity<void>): Promise<void> {
    this.#isRewindDue = false;
    const { rewind, people } = this.#parts;
    if (rewind.begin() !== undefined) return;
    activity.episodeBegins();
    const over = (): string | undefined => (rewind.isRewinding ? undefined : 'the rewind is over');
    const cutBy = (): string | undefined => activity.episodeReason ?? over();
    await this.#unlessCut(activity, { operator: people ?? rewind, purpose: 'evaluation', judge: neverOver, cutBy });
    rewind.giveBack();
    // Permission ends with motion in a person's place, such as the rewind.
    await this.#pace.awaitLeave(activity);
  }

  /** Brings the robot back if that is due; returns the layout if the simulator sets the scene after all. */
  async #bringBack(activity: Activity<unknown>): Promise<SceneLayout | undefined> {
    if (this.#parts.setup.reset === undefined && this.#parts.runner.startsAs() === undefined) return undefined;
    const layout = await this.#reset.bringBack(activity);
    await this.#pace.awaitLeave(activity);
    // A person who paused the run on the way back has not let it go on yet.
    await this.#whileHeldBack(activity);
    return layout;
  }

  #inTraining(activity: Activity<unknown>, operator: EpisodeOptions['operator']): Partial<EpisodeOptions> {
    return {
      ...this.#actors(operator),
      noise: this.#parts.draws.exploring,
      beforeStep: async () => {
        await this.#pace.beforeStep();
        await this.#policy.beforeStep();
        await this.#help.beforeStep(activity, this.#at.step + 1);
      },
      onStep: (transition) => this.#record(transition),
    };
  }

  /** Options of an evaluation: nothing is recorded, and the weights stay as they are. */
  #inEvaluation(operator: EpisodeOptions['operator']): Partial<EpisodeOptions> {
    return {
      ...this.#actors(operator),
      noise: this.#parts.draws.evaluating,
      beforeStep: () => this.#pace.beforeStep(),
      onStep: (transition) => this.#help.see(transition),
    };
  }

  #actors(operator: EpisodeOptions['operator']): Partial<EpisodeOptions> {
    return {
      ...(this.#policy.isReady ? { policy: this.#parts.policy } : {}),
      ...(operator === undefined ? {} : { operator }),
    };
  }

  #record(transition: Transition): void {
    const { recorder, live, runner } = this.#parts;
    recorder.record(transition);
    this.#recordedAs = { epoch: recorder.epoch, episode: transition.episode };
    live.log.recorded(transition);
    this.#segments.see(transition, this.#operator());
    this.#help.see(transition);
    live.log.basePolicy(transition, runner.basePlace);
    live.log.status.envSteps++;
    this.#show(transition);
  }

  /** The operator in control, if it is not the policy. */
  #operator(): StepOperator {
    const { operators, people } = this.#parts;
    // Demonstrations and evaluations involve people alone, without the script that may correct.
    const arbiter = this.#asked === operators ? operators : people;
    const isStopped = people?.isStopRequested === true;
    return {
      operator: arbiter?.decider ?? '',
      device: arbiter?.device ?? '',
      person: arbiter?.person ?? '',
      isStopped,
    };
  }

  #afterStep(transition: Transition): void {
    const { listeners, clock, labels, recorder } = this.#parts;
    const { episode, step } = transition;
    labels?.step(transition, recorder.epoch);
    this.#at = { episode, step };
    this.#parts.rewind.note();
    this.#interventions.see(transition, this.#operator().operator, clock.nowS());
    listeners.emit('step', transition);
  }

  #show(transition: Transition): void {
    const { recorder, link, live } = this.#parts;
    live.log.filter(link.latest, transition.marginMin);
    live.log.step(transition, recorder.connection, this.#operator());
    live.show();
  }

  async #run(
    activity: Activity<unknown>,
    purpose: EpisodePurpose | 'demo',
    options: Partial<EpisodeOptions>,
    onStep?: EpisodeRequest['onStep'],
    scene?: 'as it is',
  ): Promise<EpisodeReport> {
    const { live, setup } = this.#parts;
    const result = await this.#runOpen(activity, scene ?? purpose, {
      cutBy: () => activity.episodeReason,
      ...options,
      purpose,
      onStep: (transition) => {
        void options.onStep?.(transition);
        this.#afterStep(transition);
        onStep?.(transition);
      },
      ...(setup.task.takesMarks === true ? { mark: () => this.#marks.take() } : {}),
    });
    const idle = purpose === 'demo' ? {} : this.#help.validate(result.success);
    if (purpose === 'training' && result.steps > 0) {
      live.episode(result, idle);
      this.#help.end(this.#at.episode, result.success);
    }
    if (purpose !== 'evaluation') this.#noteOwn(result);
    this.#segments.end();
    if (result.abortedBy !== undefined) this.#segments.stopped();
    const report: EpisodeReport = {
      ...result,
      purpose,
      episode: this.#count++,
      ...(this.#recordedAs === undefined ? {} : { recordedAs: this.#recordedAs }),
      endedBy: endOf(result),
    };
    this.#recordedAs = undefined;
    this.ended();
    this.#parts.listeners.emit('episode', report);
    return report;
  }

  /** Arranges scenes until an episode may begin, and runs it. With `as it is`, the result may have no steps. */
  async #runOpen(
    activity: Activity<unknown>,
    scene: EpisodePurpose | 'demo' | 'as it is',
    options: EpisodeOptions,
  ): Promise<EpisodeResult> {
    const { draws, listeners, setup } = this.#parts;
    for (let drawn = 0; ; ) {
      await this.#whileHeldBack(activity);
      const layout = scene === 'as it is' ? undefined : (draws.layout(scene) ?? (await this.#bringBack(activity)));
      activity.episodeBegins();
      this.#marks.drop(setup.task);
      this.#help.begin(options.purpose);
      if (layout !== undefined) listeners.emit('scene', layout);
      const result = await this.#unlessCut(activity, { ...options, ...(layout === undefined ? {} : { layout }) });
      if (result.startsAs === undefined) this.#reset.episodeEnded();
      if (result.startsAs === undefined || scene === 'as it is') return result;
      if (layout !== undefined && ++drawn === SCENE_DRAWS) throw startsOver(setup.task.name, result.startsAs, drawn);
    }
  }

  async #whileHeldBack(activity: Activity<unknown>): Promise<void> {
    if (this.#heldBack !== undefined) this.#parts.live.log.ask(this.#heldBack);
    while (this.#heldBack !== undefined) await this.#pause(activity);
  }

  /** Records the verdict of the task's own rules beside the classifier's. */
  #noteOwn({ own, success, steps }: EpisodeResult): void {
    if (own === undefined) return;
    const { live, recorder } = this.#parts;
    const { episode, firstSuccess: ownFirstSuccess } = own;
    live.log.write({ kind: 'verdict', epoch: recorder.epoch, episode, success, steps, ownFirstSuccess });
  }

  /** Runs an episode; a stop before its first step ends it without any. */
  async #unlessCut(activity: Activity<unknown>, options: EpisodeOptions): Promise<EpisodeResult> {
    this.#needsPerson = false;
    this.#asked = options.operator;
    try {
      return await this.#parts.runner.run(options);
    } catch (error) {
      if (error instanceof ResetHangsError) {
        const { message, remedy = '' } = error;
        this.#needsPerson = true;
        this.#parts.listeners.report({ level: 'error', name: 'resetHangs', row: 51, message, remedy });
        return { ...NOT_BEGUN, abortedBy: message };
      }
      if (this.#parts.link.lostReason !== undefined) throw error;
      if (activity.reason !== undefined) return { ...NOT_BEGUN, abortedBy: activity.reason };
      if (!(error instanceof NoLeaveError)) throw error;
      this.#needsPerson = true;
      return { ...NOT_BEGUN, abortedBy: this.#guard.refusal()?.message ?? error.message };
    }
  }

  /** Resolves to true if the activity may go on after an episode that ended early because of `why`. */
  #mayGoOn(activity: Activity<unknown>, why: string | undefined): Promise<boolean> {
    const needs = this.#needsPerson ? 'person' : 'guard';
    return this.#pace.afterEpisode(activity, why === undefined ? undefined : { why, needs });
  }

  #pause(activity: Activity<unknown>): Promise<void> {
    return pauseOf(activity, this.#parts.link, WAIT_MS);
  }

  /** Without a learner there is no training. */
  get #atWork(): 'training' | 'running' {
    return this.#parts.recorder.connection === undefined ? 'running' : 'training';
  }

  #phase(phase: RunPhase): void {
    this.#parts.live.log.phase(phase);
  }
}

function endOf(result: EpisodeResult): string {
  if (result.startsAs !== undefined) return `it was a ${result.startsAs} before it began`;
  if (result.isDecided) return result.success ? 'success' : 'failure';
  return result.abortedBy ?? 'time limit';
}
