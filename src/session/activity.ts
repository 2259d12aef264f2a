/** A session's single activity at a time: it can be asked to end, and reports when it has. */
import { setTimeout as delay } from 'node:timers/promises';
import type { GuardLink } from '../guard/index.ts';
import { ReinError } from '../model/index.ts';

export class Activity<T> {
  readonly kind: 'running' | 'episode' | 'evaluating';
  readonly #controller = new AbortController();
  #reason: string | undefined;
  #episodeReason: string | undefined;
  #done: Promise<T> | undefined;

  constructor(kind: Activity<T>['kind']) {
    this.kind = kind;
  }

  /** Reason why it was asked to end; `undefined` while it may go on. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Aborted when the activity is asked to end, for waits. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Settles when the activity is over and the arm was asked to hold. */
  get done(): Promise<T> {
    if (this.#done === undefined) throw new TypeError('an activity that was not begun has no end');
    return this.#done;
  }

  begin(body: () => Promise<T>): void {
    this.#done = body();
    // The starter need not await `done`; awaiting it still rejects.
    this.#done.catch(() => undefined);
  }

  /** Asks the activity to end after the current step. The first reason counts. */
  cut(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller.abort(new CutError(reason));
  }

  /** Asks the current episode to end after its step; the activity goes on with the next. */
  cutEpisode(reason: string): void {
    this.#episodeReason = reason;
  }

  /** Called when a new episode begins. */
  episodeBegins(): void {
    this.#episodeReason = undefined;
  }

  /** Reason why the current episode should end. */
  get episodeReason(): string | undefined {
    return this.#reason ?? this.#episodeReason;
  }
}

/** Rejection of waits when an activity is cut. */
export class CutError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'CutError';
  }
}

/** Waits for `ms`. Rejects with `CutError` when `activity` is cut, and with `ReinError('link')` if the guard is lost. */
export async function pauseOf(activity: Activity<unknown>, { lostReason }: GuardLink, ms: number): Promise<void> {
  if (lostReason !== undefined) throw new ReinError('link', `The guard cannot be reached: ${lostReason}.`);
  if (activity.reason !== undefined) throw new CutError(activity.reason);
  await delay(ms, undefined, { signal: activity.signal });
}
