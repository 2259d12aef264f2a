/** Requests for help by a robot without progress, within the episode: its question, the answer, and the outcome. */
import type { Transition } from '../rows/index.ts';
import type { Activity } from './activity.ts';
import { HelpWatch, VALUES_WITHIN_S } from './help-watch.ts';
import type { SessionParts } from './session-parts.ts';

export interface HelpHooks {
  readonly pause: (activity: Activity<unknown>) => Promise<void>;
  /** Called when the robot begins to ask. */
  readonly onAsk: () => void;
  /** Request to the operator that is pending besides, shown again after the answer. */
  readonly askedBefore: () => string | undefined;
}

type HelpParts = Pick<SessionParts, 'setup' | 'link' | 'listeners' | 'live' | 'people' | 'recorder'>;

export class HelpDesk {
  readonly #parts: HelpParts;
  readonly #hooks: HelpHooks;
  readonly #watch: HelpWatch;
  readonly #offsetM: Float64Array = new Float64Array(3);
  /** True once a person has answered that the robot may go on. */
  #mayGoOnAlone = false;
  #isAsking = false;
  #hasReportedProgress = false;

  constructor(parts: HelpParts, hooks: HelpHooks) {
    this.#parts = parts;
    this.#hooks = hooks;
    const { help, policyHz } = parts.setup.config.task;
    this.#watch = new HelpWatch(help, {
      epoch: parts.recorder.epoch,
      policyHz,
      earlier: parts.live.earlier.episodes,
    });
  }

  /** True while the robot asks for help, and holds. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** Called when a person lets the robot go on. */
  goOn(): void {
    this.#mayGoOnAlone = true;
  }

  /** Returns a function that is true once a person has let the robot go on since this call. */
  listen(): () => boolean {
    this.#mayGoOnAlone = false;
    return () => this.#mayGoOnAlone;
  }

  /** Called when an episode begins. */
  begin(purpose: Parameters<HelpWatch['begin']>[0]): void {
    this.#watch.begin(purpose);
  }

  /** Called after a step. */
  see(transition: Transition): void {
    this.#watch.see(transition, this.#distanceM());
    for (const values of this.#parts.recorder.connection?.takeValues() ?? []) this.#watch.take(values);
    this.#reportProgress();
  }

  /** Reports once that progress replaces the value measure that the task asks for. */
  #reportProgress(): void {
    const { setup, listeners, people } = this.#parts;
    const { by, afterSteps } = setup.config.task.help;
    if (this.#hasReportedProgress || by === this.#watch.by || afterSteps === 0 || people === undefined) return;
    this.#hasReportedProgress = true;
    const message = `No values from the learner for ${VALUES_WITHIN_S} s: until they arrive, the robot asks for help by its progress.`;
    listeners.report({ level: 'warn', name: 'helpByProgress', message });
  }

  /** Called before step number `step` of an episode: if help is due, holds until a person takes over or lets the robot go on. */
  async beforeStep(activity: Activity<unknown>, step: number): Promise<void> {
    const { people, link, listeners, live } = this.#parts;
    if (!this.#watch.isDue || people === undefined) return;
    const sinceS = live.log.elapsedS;
    const asked = `The robot asks for help: ${this.#watch.question}.`;
    const message = `${asked} Take over (t, or the page's button), or let it go on (c or g, or Start).`;
    const messageAtPage = `${asked} Take over, or let it go on: Start.`;
    listeners.report({ level: 'warn', name: 'asksForHelp', message, messageAtPage });
    live.log.ask(message, messageAtPage);
    const mayGoOnAlone = this.listen();
    this.#hooks.onAsk();
    await link.request({ kind: 'hold' });
    await link.advance(1);
    // A stop is no answer.
    const isTaken = (): boolean => people.isInControl === true && people.isStopRequested !== true;
    this.#isAsking = true;
    try {
      while (!mayGoOnAlone() && !isTaken() && activity.episodeReason === undefined) await this.#hooks.pause(activity);
    } finally {
      this.#isAsking = false;
    }
    const unanswered = mayGoOnAlone() ? 'goOn' : 'none';
    this.#watch.answered(step, isTaken() ? 'tookOver' : unanswered, live.log.elapsedS - sinceS);
    live.log.ask(this.#hooks.askedBefore());
    // An episode ended meanwhile gets no permission to move: nothing is executed in its last step.
    if (activity.episodeReason !== undefined) return;
    // If the guard refuses, the robot was stopped meanwhile: the episode is cut there, as anywhere.
    await link.request({ kind: 'activate' });
    await link.advance(1);
  }

  /** Called when an episode of training or evaluation has ended: see `HelpWatch.validate`. */
  validate(success: boolean): ReturnType<HelpWatch['validate']> {
    return this.#watch.validate(success);
  }

  /** Called when episode number `episode` has ended: records and reports the outcome of a question. */
  end(episode: number, success: boolean): void {
    const { live, recorder } = this.#parts;
    const asked = this.#watch.end(recorder.epoch, episode, success);
    if (asked === undefined) return;
    live.log.write(asked);
    live.log.message(this.#watch.text);
  }

  /** Distance of the tool from the task's goal, m; `undefined` if the task names no place. */
  #distanceM(): number | undefined {
    const { setup, link } = this.#parts;
    if (setup.task.offset === undefined) return undefined;
    setup.task.offset(link.latest, this.#offsetM);
    return Math.hypot(...this.#offsetM);
  }
}
