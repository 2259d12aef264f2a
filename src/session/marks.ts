/** A person's verdicts on episodes: by key, button, topic or service. */
import type { Clock } from '../core/index.ts';
import type { SessionListeners } from './session-parts.ts';
import type { Mark } from './session-types.ts';

/** The same mark is reported so often at most, s: a button that is held, or a topic that repeats, says it many times. */
const REPEAT_AFTER_S = 1;

/** What a mark is about. */
export interface MarkedEpisode {
  readonly episode: number;
  /** A person shows the task: a failure gives the demonstration up, whoever judges the task. */
  readonly isShownByPerson: boolean;
  /** `undefined`: the mark ends the episode; else why it changes nothing. */
  readonly refusal: string | undefined;
}

export class Marks {
  readonly #listeners: SessionListeners;
  readonly #clock: Clock;
  #mark: Mark | undefined;
  #reported = { message: '', atS: Number.NEGATIVE_INFINITY };

  constructor(listeners: SessionListeners, clock: Clock) {
    this.#listeners = listeners;
    this.#clock = clock;
  }

  /** The mark that has come since it was taken last. */
  get newest(): Mark | undefined {
    return this.#mark;
  }

  /** The same, once. */
  take(): Mark | undefined {
    const mark = this.#mark;
    this.#mark = undefined;
    return mark;
  }

  /** Takes a verdict. Says what became of it; `isTaken` where it ends the episode. */
  give(mark: Mark, note: string, on: MarkedEpisode): { readonly isTaken: boolean; readonly message: string } {
    if (mark === 'failure' && on.isShownByPerson) {
      this.#mark = mark;
      return { isTaken: true, message: 'The demonstration is given up.' };
    }
    const noted = `Episode ${on.episode} is marked as a ${mark}${note === '' ? '' : `: ${note}`}.`;
    if (on.refusal === undefined) {
      this.#mark = mark;
      this.#report(noted);
      return { isTaken: true, message: noted };
    }
    const nothing = `changes nothing: ${on.refusal}.`;
    this.#report(`${noted} It ${nothing}`);
    return { isTaken: false, message: `Noted, and it ${nothing}` };
  }

  #report(message: string): void {
    const nowS = this.#clock.nowS();
    if (message === this.#reported.message && nowS - this.#reported.atS < REPEAT_AFTER_S) return;
    this.#reported = { message, atS: nowS };
    this.#listeners.report({ level: 'info', name: 'marked', message });
  }
}
