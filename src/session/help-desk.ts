/** A robot that gets nowhere asks people for help, within the episode: what it asks, how they answer, and what came of it. */
import type { Transition } from '../core/index.ts';
import type { Activity } from './activity.ts';
import { HelpWatch, VALUES_WITHIN_S } from './help-watch.ts';
import type { SessionParts } from './session-parts.ts';

export interface HelpHooks {
  readonly pause: (activity: Activity<unknown>) => Promise<void>;
  /** It asks from here on. */
  readonly onAsk: () => void;
  /** What people are asked for besides. */
  readonly askedBefore: () => string | undefined;
}

type HelpParts = Pick<SessionParts, 'setup' | 'link' | 'listeners' | 'live' | 'people' | 'recorder'>;

export class HelpDesk {
  readonly #parts: HelpParts;
  readonly #hooks: HelpHooks;
  readonly #watch: HelpWatch;
  readonly #offsetM: Float64Array = new Float64Array(3);
  /** A person has answered that the robot may go on. */
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

  /** It asks for help, and holds. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** A person lets the robot go on. */
  goOn(): void {
    this.#mayGoOnAlone = true;
  }

  /** What the result gives: whether a person has let the robot go on since. */
  listen(): () => boolean {
    this.#mayGoOnAlone = false;
    return () => this.#mayGoOnAlone;
  }

  /** An episode begins. */
  begin(purpose: Parameters<HelpWatch['begin']>[0]): void {
    this.#watch.begin(purpose);
  }

  /** A step was done. */
  see(transition: Transition): void {
    this.#watch.see(transition, this.#distanceM());
    for (const values of this.#parts.recorder.connection?.takeValues() ?? []) this.#watch.take(values);
    this.#reportProgress();
  }

  /** Once: nobody who asked for the one is left to think that it is what the robot goes by. */
  #reportProgress(): void {
    const { setup, listeners, people } = this.#parts;
    const { by, afterSteps } = setup.config.task.help;
    if (this.#hasReportedProgress || by === this.#watch.by || afterSteps === 0 || people === undefined) return;
    this.#hasReportedProgress = true;
    const message = `The learner has valued no step for ${VALUES_WITHIN_S} s: until it does, the robot asks for help by its progress.`;
    listeners.report({ level: 'warn', name: 'helpByProgress', message });
  }

  /** Before step number `step` of an episode: holds, where help is due, until a person takes over or lets it go on. */
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
    // Whoever ended the episode meanwhile has let nothing move: its last step is none.
    if (activity.episodeReason !== undefined) return;
    // Where it is refused, somebody stopped the robot meanwhile: the episode is cut there, as anywhere.
    await link.request({ kind: 'activate' });
    await link.advance(1);
  }

  /** An episode of training or evaluation has ended: see `HelpWatch.validate`. */
  validate(success: boolean): ReturnType<HelpWatch['validate']> {
    return this.#watch.validate(success);
  }

  /** Episode number `episode` has ended: what came of a question is recorded, and told. */
  end(episode: number, success: boolean): void {
    const { live, recorder } = this.#parts;
    const asked = this.#watch.end(recorder.epoch, episode, success);
    if (asked === undefined) return;
    live.log.write(asked);
    live.log.message(this.#watch.text);
  }

  /** Of the tool from where the task wants it; `undefined` where it names no place. */
  #distanceM(): number | undefined {
    const { setup, link } = this.#parts;
    if (setup.task.offset === undefined) return undefined;
    setup.task.offset(link.latest, this.#offsetM);
    return Math.hypot(...this.#offsetM);
  }
}
