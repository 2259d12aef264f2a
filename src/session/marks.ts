/** A person's verdicts on episodes, by key, button, topic or service. */
import type { Clock } from '../model/index.ts';
import type { Task } from '../tasks/index.ts';
import type { SessionListeners } from './session-parts.ts';
import type { Mark } from './session-types.ts';

/** Least interval between reports of the same mark, s: a held button, or a repeating topic, sends it many times. */
const REPEAT_AFTER_S = 1;

/** Subject of a mark. */
export interface MarkedEpisode {
  readonly episode: number;
  /** True if a person demonstrates the task: a failure then discards the demonstration, regardless of who judges the task. */
  readonly isShownByPerson: boolean;
  /** `undefined`: the mark ends the episode; else the reason why it has no effect. */
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

  /** Newest mark since the last `take`. */
  get newest(): Mark | undefined {
    return this.#mark;
  }

  /** Returns the newest mark once. */
  take(): Mark | undefined {
    const mark = this.#mark;
    this.#mark = undefined;
    return mark;
  }

  /** Discards a mark that came after its episode had ended, and reports it where marks judge the task. */
  drop({ takesMarks }: Pick<Task, 'takesMarks'>): void {
    const mark = this.take();
    if (mark !== undefined && takesMarks === true)
      this.#report(`The mark "${mark}" came after its episode had ended: ignored.`);
  }

  /** Takes a verdict. Returns a message about its effect; `isTaken` if it ends the episode. */
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
    const ignored = `Ignored: ${on.refusal}.`;
    this.#report(`${noted} ${ignored}`);
    return { isTaken: false, message: ignored };
  }

  #report(message: string): void {
    const nowS = this.#clock.nowS();
    if (message === this.#reported.message && nowS - this.#reported.atS < REPEAT_AFTER_S) return;
    this.#reported = { message, atS: nowS };
    this.#listeners.report({ level: 'info', name: 'marked', message });
  }
}
