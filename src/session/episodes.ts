/** The episodes of a session: demonstrations, training, evaluation. Each begins with leave of the guard and ends holding. */
import { setTimeout as delay } from 'node:timers/promises';
import { copyTransition, createTransition, ReinError, Rng, type Transition, wilsonInterval } from '../core/index.ts';
import type { PolicyNoise } from '../policy/index.ts';
import { workRates } from '../record/index.ts';
import { faultsOf, TANK_EMPTY } from '../safety/index.ts';
import { DEMONSTRATION_PATIENCE, demonstrationPrompt, PersonDemonstrator } from '../teleop/index.ts';
import { type Activity, CutError } from './activity.ts';
import {
  type EpisodeOptions,
  type EpisodeResult,
  type Mark,
  ResetHangsError,
  TANK_STAYS_EMPTY,
} from './episode-runner.ts';
import type { GuardControl } from './guard-control.ts';
import { recordedDemonstrations } from './run/recorder.ts';
import { createDemonstrator } from './scripted-operators.ts';
import type { SessionParts } from './session-parts.ts';
import type {
  EpisodePurpose,
  EpisodeReport,
  EpisodeRequest,
  EvaluationReport,
  EvaluationRequest,
  SessionEvent,
} from './session-types.ts';
import type { PolicyUse } from './weights/policy-use.ts';

const WELCOME_MS = 5000;
const FIRST_STATUS_MS = 2000;
const WAIT_MS = 50;
/** How often leave is asked for while a person is waited for, ms. */
const LEAVE_MS = 200;
/** Tries per demonstration before it is given up. */
const TRIES = 10;
const GIVEN_UP = 'it was given up';

export interface EpisodeHooks {
  readonly onStep: (transition: Transition) => void;
  readonly onEpisode: (report: EpisodeReport) => void;
  readonly emit: (event: SessionEvent) => void;
  /** Why nothing may act on what is observed now. */
  readonly observationProblem: () => string | undefined;
  /** A person's mark that has come since the last step. */
  readonly takeMark: () => Mark | undefined;
}

export class Episodes {
  readonly #parts: SessionParts;
  readonly #weights: PolicyUse;
  readonly #guard: GuardControl;
  readonly #hooks: EpisodeHooks;
  readonly #exploring: PolicyNoise;
  readonly #evaluating: PolicyNoise;
  #count = 0;
  #hasJoined = false;
  /** The scene could not be put back: a person is asked before the next try. */
  #isAsking = false;
  /** A person who is asked for demonstrations has given enough. */
  #isSkipping = false;
  #isShown = false;
  #hasToldWait = false;

  constructor(parts: SessionParts, weights: PolicyUse, guard: GuardControl, hooks: EpisodeHooks) {
    const { recorder, setup } = parts;
    this.#parts = parts;
    this.#weights = weights;
    this.#guard = guard;
    this.#hooks = hooks;
    // Another start of the same run tries other things.
    const root = new Rng(setup.config.seed).fork(`start ${recorder.epoch}`);
    this.#evaluating = { rng: root.fork('noise'), purpose: 'evaluate' };
    const rng = root.fork('exploration');
    // Without a learner there is nothing to find out.
    this.#exploring = recorder.connection === undefined ? this.#evaluating : { rng, purpose: 'explore' };
  }

  /** Demonstrations where they are missing, then episode after episode with the newest weights, until it is cut. */
  async running(activity: Activity<void>): Promise<void> {
    try {
      await this.#join(activity);
      // Without all demonstrations no weights will ever come: a robot that was stopped meanwhile does not wait for them.
      if (this.#isToDemonstrate() && !(await this.#demonstrate(activity))) return;
      if (!this.#weights.isReady && this.#needsPolicy) {
        this.#say('info', 'waitingForWeights', 'Holding: waiting for the first weights of the learner.');
      }
      while (activity.reason === undefined) {
        await this.#awaitWeights(activity);
        await this.#awaitLeave(activity);
        while (this.#hooks.observationProblem() !== undefined) await this.#pause(activity);
        const report = await this.#trainingEpisode(activity);
        if (report?.abortedBy !== undefined && !(await this.#mayGoOn(activity, report.abortedBy))) return;
      }
    } catch (error) {
      // Who stops the robot between two steps meets refusals and waits that end: that is the end asked for.
      if (activity.reason === undefined || this.#parts.link.lostReason !== undefined) throw error;
    }
  }

  /** One episode. */
  async single(activity: Activity<EpisodeReport>, request: EpisodeRequest): Promise<EpisodeReport> {
    const { desk, people } = this.#parts;
    const isTraining = request.purpose === 'training';
    this.#phase(isTraining ? 'training' : 'evaluating');
    return this.#run(activity, request.purpose, {
      ...this.#actors(isTraining ? desk : people, isTraining),
      ...(request.maxSteps ? { maxSteps: request.maxSteps } : {}),
      ...this.#afterStep(isTraining, request.onStep),
    });
  }

  /** The demonstrations that a person is asked for are enough as they are. */
  skipDemonstrations(): void {
    this.#isSkipping = true;
  }

  /** A person shows the task: a failure marked now gives the demonstration up, whoever judges the task. */
  get isShownByPerson(): boolean {
    return this.#isShown;
  }

  /** Episodes by the mean of the weights as they are now. Helped episodes are no successes. Nothing is recorded. */
  async evaluating(activity: Activity<EvaluationReport>, request: EvaluationRequest): Promise<EvaluationReport> {
    const wanted = request.episodes || this.#parts.setup.config.task.evaluation.episodes;
    this.#phase('evaluating');
    const { log } = this.#parts.live;
    const beganS = log.elapsedS;
    const done: EpisodeReport[] = [];
    let successes = 0;
    let endedEarly: string | undefined;
    while (done.length < wanted && endedEarly === undefined) {
      const report = await this.#run(activity, 'evaluation', {
        ...this.#actors(this.#parts.people, false),
        ...this.#afterStep(false, undefined),
      });
      if (report.abortedBy !== undefined) {
        await this.#guard.stands();
        endedEarly = activity.reason ?? this.#guard.refusal()?.message;
        continue;
      }
      done.push(report);
      if (report.success && report.interventions === 0) successes++;
      request.onEpisode?.(done.length, successes);
    }
    const { low, high } = done.length === 0 ? { low: 0, high: 1 } : wilsonInterval(successes, done.length);
    const steps = done.reduce((sum, report) => sum + report.steps, 0);
    const helpedSteps = done.reduce((sum, report) => sum + report.interventionSteps, 0);
    const rates = workRates({ successes, steps, helpedSteps, robotS: log.elapsedS - beganS });
    const per = Math.max(1, done.length);
    const counts = {
      episodes: done.length,
      successes,
      successRate: successes / per,
      low,
      high,
      meanSteps: steps / per,
      successesPerHour: rates.successesPerHour ?? 0,
      humanStepShare: rates.humanStepShare,
    };
    return done.length < wanted ? { ...counts, endedEarly: endedEarly ?? 'it was cut' } : counts;
  }

  /** Whether there is a reason to wait for weights: a person may move an arm that has no policy. */
  get #needsPolicy(): boolean {
    return this.#parts.recorder.connection !== undefined || this.#parts.people === undefined;
  }

  /** Waits for the learner's welcome. One that is silent may come back; one that refuses will not change its mind. */
  async #join(activity: Activity<void>): Promise<void> {
    const { connection } = this.#parts.recorder;
    if (connection === undefined || this.#hasJoined) return;
    this.#hasJoined = true;
    try {
      await Promise.race([connection.connected(WELCOME_MS), cutOf(activity)]);
    } catch (error) {
      if (connection.state === 'refused' || isCut(error)) throw error;
      const message = `${(error as Error).message}: what is recorded waits in the journal`;
      this.#say('warn', 'learnerSilent', message, 4);
    }
    for (let waitedMs = 0; connection.status === undefined && waitedMs < FIRST_STATUS_MS; waitedMs += WAIT_MS) {
      await this.#pause(activity);
    }
  }

  /** Demonstrations are wanted when somebody here may give them and training has not begun. */
  #isToDemonstrate(): boolean {
    return this.#parts.demonstrator !== 'nobody' && this.#areDemonstrationsMissing;
  }

  get #areDemonstrationsMissing(): boolean {
    const { recorder, setup } = this.#parts;
    if (setup.config.task.demonstrations === 0 || recorder.connection === undefined) return false;
    // While the learner is away, weights on the disk say that its run had its demonstrations.
    return (recorder.connection.status?.version ?? recorder.connection.arrivedVersion) === 0;
  }

  async #demonstrate(activity: Activity<void>): Promise<boolean> {
    const { setup, recorder, live, folder } = this.#parts;
    const wanted = setup.config.task.demonstrations;
    let { episodes, steps } = recordedDemonstrations(folder);
    const person = this.#personWhoShows();
    const operator = person ?? createDemonstrator(setup, setup.config.seed * 2 + recorder.epoch);
    this.#phase('demonstrations');
    if (person === undefined) live.log.status.operator = { ...live.log.status.operator, driving: 'scripted operator' };
    for (let tries = 0; episodes < wanted && !this.#isSkipping; tries++) {
      await this.#awaitLeave(activity);
      live.log.progress(episodes, wanted, 'demonstrations');
      if (person !== undefined && !(await this.#awaitPerson(activity, person, episodes))) break;
      if (person === undefined && tries >= TRIES * wanted) {
        throw new ReinError('task', `The operator succeeded in ${episodes} of ${tries} demonstrations only.`);
      }
      const taken: Transition[] = [];
      const onStep = (transition: Transition): void => {
        taken.push(copyOf(transition));
        if (person !== undefined) this.#show(transition);
        this.#hooks.onStep(transition);
      };
      this.#isShown = person !== undefined;
      const { maxSteps } = setup.task;
      const report = await this.#run(activity, 'demo', {
        ...{ operator, onStep },
        ...(person === undefined ? {} : this.#untilGivenUp(activity, DEMONSTRATION_PATIENCE * maxSteps)),
      }).finally(() => {
        this.#isShown = false;
      });
      if (activity.reason !== undefined) return false;
      if (this.#isSkipping) break;
      const isGivenUp = person !== undefined && report.abortedBy === GIVEN_UP;
      if (report.abortedBy !== undefined && !isGivenUp && !(await this.#mayGoOn(activity, report.abortedBy))) {
        return false;
      }
      if (!report.success) {
        if (person !== undefined) this.#say('info', 'demonstrationDropped', `Not kept: ${report.endedBy}.`);
        continue;
      }
      for (const transition of taken) recorder.record(transition);
      live.log.episode('demonstration', episodes++, report);
      steps += taken.length;
      live.log.progress(episodes, wanted, 'demonstrations');
    }
    live.log.ask(undefined);
    this.#parts.people?.giveBack();
    recorder.connection?.demonstrationsComplete(steps);
    this.#say('info', 'demonstrationsComplete', `${episodes} demonstrations, ${steps} steps.`);
    return true;
  }

  #personWhoShows(): PersonDemonstrator | undefined {
    const { demonstrator, people, setup } = this.#parts;
    if (demonstrator !== 'people' || people === undefined) return undefined;
    return new PersonDemonstrator(people, setup.observationSize, setup.actionSize);
  }

  /** Asks for a demonstration and waits until it begins; false where the rest is skipped. */
  async #awaitPerson(activity: Activity<void>, person: PersonDemonstrator, done: number): Promise<boolean> {
    const { clock, live, people, setup } = this.#parts;
    // A key that was held for the one before does not begin the next.
    people?.reset();
    live.log.ask(demonstrationPrompt(done, setup.config.task.demonstrations));
    while (!this.#isSkipping && !person.isMoving(clock.nowS())) await this.#pause(activity);
    return !this.#isSkipping;
  }

  /** A person gives an episode up with a mark, or with all that are left. */
  #untilGivenUp(activity: Activity<void>, maxSteps: number): Partial<EpisodeOptions> {
    const { takesMarks } = this.#parts.setup.task;
    return {
      maxSteps,
      cutBy: () => {
        if (activity.episodeReason !== undefined) return activity.episodeReason;
        const isMarked = takesMarks !== true && this.#hooks.takeMark() === 'failure';
        return isMarked || this.#isSkipping ? GIVEN_UP : undefined;
      },
    };
  }

  /** Holds until there is something to act with. Nobody waits in silence for demonstrations that nobody here may give. */
  async #awaitWeights(activity: Activity<void>): Promise<void> {
    this.#weights.poll();
    if (this.#weights.isReady || !this.#needsPolicy) return;
    const isMissing = this.#parts.demonstrator === 'nobody' && this.#areDemonstrationsMissing;
    this.#phase(isMissing ? 'demonstrations' : 'behaviour cloning');
    if (isMissing && !this.#hasToldWait) {
      this.#hasToldWait = true;
      this.#say('warn', 'demonstrationsMissing', demonstrationsMissing(this.#parts.setup.config.task.demonstrations));
    }
    while (!this.#weights.isReady) {
      await this.#pause(activity);
      this.#weights.poll();
    }
  }

  /** `undefined` where the weights gave nothing usable and others act, or none. */
  async #trainingEpisode(activity: Activity<void>): Promise<EpisodeReport | undefined> {
    const { live } = this.#parts;
    if (live.log.status.phase !== 'training') {
      this.#phase('training');
      live.begin();
    }
    try {
      return await this.#run(activity, 'training', {
        ...this.#actors(this.#parts.desk, true),
        ...this.#afterStep(true, undefined),
      });
    } catch (error) {
      if (activity.reason !== undefined || this.#parts.link.lostReason !== undefined) throw error;
      await this.#weights.giveUp(error);
      return undefined;
    }
  }

  #actors(operator: EpisodeOptions['operator'], explores: boolean): Partial<EpisodeOptions> {
    return {
      ...(this.#weights.isReady ? { policy: this.#parts.policy } : {}),
      noise: explores ? this.#exploring : this.#evaluating,
      ...(operator === undefined ? {} : { operator }),
    };
  }

  #afterStep(isRecorded: boolean, onStep: ((transition: Transition) => void) | undefined): Partial<EpisodeOptions> {
    return {
      beforeStep: () => {
        if (isRecorded) this.#weights.poll();
      },
      onStep: (transition) => {
        if (isRecorded) this.#record(transition);
        this.#hooks.onStep(transition);
        onStep?.(transition);
      },
    };
  }

  #record(transition: Transition): void {
    const { recorder, live, runner } = this.#parts;
    recorder.record(transition);
    live.log.basePolicy(transition, runner.basePlace);
    live.log.status.envSteps++;
    this.#show(transition);
  }

  #show(transition: Transition): void {
    const { recorder, link, live, people } = this.#parts;
    live.log.filter(link.latest, transition.marginMin);
    live.log.step(transition, recorder.connection, people?.isStopRequested === true ? 'stopped' : 'moving');
    live.show();
  }

  async #run(
    activity: Activity<unknown>,
    purpose: EpisodePurpose | 'demo',
    options: Partial<EpisodeOptions>,
  ): Promise<EpisodeReport> {
    const { drawLayout, live, setup } = this.#parts;
    activity.episodeBegins();
    this.#hooks.takeMark();
    const layout = drawLayout?.(purpose === 'evaluation' ? 'evaluation' : 'training');
    const result = await this.#unlessCut(activity, {
      ...(layout === undefined ? {} : { layout }),
      cutBy: () => activity.episodeReason,
      ...options,
      purpose,
      ...(setup.task.takesMarks === true ? { mark: this.#hooks.takeMark } : {}),
    });
    if (purpose === 'training' && result.steps > 0) live.episode(result);
    const report = { ...result, purpose, episode: this.#count++, endedBy: endOf(result) };
    this.#hooks.onEpisode(report);
    return report;
  }

  /** A stop that comes before the first step ends an episode without any. */
  async #unlessCut(activity: Activity<unknown>, options: EpisodeOptions): Promise<EpisodeResult> {
    try {
      return await this.#parts.runner.run(options);
    } catch (error) {
      const costs = { filterShare: 0, tankDrainJ: 0, marginMin: 1 };
      const nothing = { steps: 0, interventionSteps: 0, interventions: 0, returnSum: 0, costs };
      const cut = { ...nothing, success: false, isDecided: false };
      if (error instanceof ResetHangsError) {
        const { message, remedy = '' } = error;
        this.#isAsking = true;
        this.#hooks.emit({ level: 'error', name: 'resetHangs', row: 51, message, remedy });
        return { ...cut, abortedBy: message };
      }
      if (activity.reason === undefined || this.#parts.link.lostReason !== undefined) throw error;
      return { ...cut, abortedBy: activity.reason };
    }
  }

  /**
   * Whether what goes on may go on after an episode was cut: where it may not wait for leave, a person resets and resumes.
   */
  async #mayGoOn(activity: Activity<void>, why: string): Promise<boolean> {
    if (activity.reason !== undefined) return false;
    this.#say('warn', 'episodeCut', `The episode ended early: ${why}.`);
    if (why === TANK_STAYS_EMPTY) this.#askAboutTank();
    await this.#guard.stands();
    const isAsking = this.#isAsking;
    this.#isAsking = false;
    if (this.#parts.afterStop === 'askLeave') return true;
    return this.#guard.refusal() === undefined && !isAsking;
  }

  /** Stands until the guard gives leave to move: a person does, or a simulated robot needs nobody. */
  async #awaitLeave(activity: Activity<void>): Promise<void> {
    if (this.#parts.afterStop !== 'askLeave') return;
    let told = '';
    for (;;) {
      await this.#guard.stands();
      const reason = await this.#guard.leave();
      if (reason === undefined) break;
      const why = this.#guard.refusal()?.message ?? 'Nobody has given leave to move.';
      if (told !== why) this.#say('warn', 'waitsForPerson', `The robot stands. ${why} ${this.#parts.howToGoOn}`);
      told = why;
      for (let waitedMs = 0; waitedMs < LEAVE_MS; waitedMs += WAIT_MS) await this.#pause(activity);
    }
    if (told !== '') this.#say('info', 'goesOn', 'The robot may move again.');
  }

  /** Simulated, the next scene fills it; on a real robot nobody goes on before a person has looked. */
  #askAboutTank(): void {
    if (this.#parts.afterStop !== 'wait') return;
    this.#isAsking = true;
    const { sentence, remedy } = faultsOf(TANK_EMPTY)[0]!;
    this.#hooks.emit({ level: 'warn', name: 'tankEmpty', row: 42, message: sentence, remedy });
  }

  async #pause(activity: Activity<void>): Promise<void> {
    const { lostReason } = this.#parts.link;
    if (lostReason !== undefined) throw new ReinError('link', `The guard cannot be reached: ${lostReason}.`);
    if (activity.reason !== undefined) throw new CutError(activity.reason);
    await delay(WAIT_MS, undefined, { signal: activity.signal });
  }

  #phase(phase: 'demonstrations' | 'behaviour cloning' | 'training' | 'evaluating'): void {
    this.#parts.live.log.phase(phase);
  }

  #say(level: SessionEvent['level'], name: string, message: string, row = 0): void {
    this.#hooks.emit({ level, name, row, message, remedy: '' });
  }
}

/** What is said where a learner waits for demonstrations and nobody at this robot may give them. */
export function demonstrationsMissing(wanted: number): string {
  return `Holding: the learner waits for ${wanted} demonstrations, and nobody here may give them. Start this with --operator scripted, or with --operator keyboard to give them yourself; or start learner and robot with --config FILE that holds "task: { demonstrations: 0 }".`;
}

function endOf(result: EpisodeResult): string {
  if (result.isDecided) return result.success ? 'success' : 'failure';
  return result.abortedBy ?? 'time limit';
}

function isCut(error: unknown): boolean {
  return error instanceof CutError || (error instanceof Error && error.name === 'AbortError');
}

function cutOf(activity: Activity<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    activity.signal.addEventListener('abort', () => reject(new CutError(activity.reason ?? 'it was cut')));
  });
}

function copyOf(transition: Transition): Transition {
  const copy = createTransition(transition.observation.length, transition.executed.length);
  copyTransition(copy, transition);
  return copy;
}
