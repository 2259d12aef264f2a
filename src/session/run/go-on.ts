/** A person says "go on": what the guard has to be asked for, one after another, until the robot may move. */
import { setTimeout as delay } from 'node:timers/promises';
import type { GuardAnswer } from '../../core/index.ts';

/** Torque and leave are asked for so often, with so many milliseconds after each request. */
const TRIES = 10;
const PAUSE_MS = 40;

/** The requests of a person who lets a stopped robot go on. */
export type GoOnRequest = 'permit' | 'acknowledge' | 'enable';

/**
 * One person's leave at a time. What they have seen is acknowledged, and that once: a robot that still brakes has not shown all, and a
 * fault or a stop that comes while it is asked to go on is another one, which they have not seen.
 */
export class GoOn {
  readonly #ask: (kind: GoOnRequest) => Promise<GuardAnswer>;
  readonly #report: (message: string) => void;
  /** Counts what people said: whatever is under way for something older ends. */
  #said = 0;
  #isStopped = false;

  constructor(ask: (kind: GoOnRequest) => Promise<GuardAnswer>, report: (message: string) => void) {
    this.#ask = ask;
    this.#report = report;
  }

  /** A person said stop, of which the guard is told by itself: nothing is asked for any more. */
  cancel(): void {
    this.#said++;
    this.#isStopped = true;
  }

  /** Somebody said stop, and nobody has let it go on since. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The robot is there, and whoever started it meant it to move: unless somebody said stop since. */
  async start(): Promise<void> {
    if (!this.#isStopped) return this.begin();
    this.#report('The robot was stopped before it began: press c, or Start at the page, to let it move.');
  }

  /** Resolves when the robot may move, when it does not go on, which is told, or when somebody has said something newer. */
  async begin(): Promise<void> {
    const said = ++this.#said;
    this.#isStopped = false;
    const isOld = (): boolean => said !== this.#said;
    let why = '';
    let isSeen = true;
    for (let tries = 0; tries < TRIES; tries++) {
      if (isOld() || (await this.#ask('permit')).ok) return;
      const requests: readonly GoOnRequest[] = isSeen ? ['acknowledge', 'enable'] : ['enable'];
      for (const kind of requests) {
        if (isOld()) return;
        const answer = await this.#ask(kind);
        // A reading that is missing for a tick is nothing new to see.
        if (kind === 'acknowledge') isSeen = !answer.ok && answer.needs === 'reading';
        if (!answer.ok && answer.needs !== 'state') why = answer.reason;
        // Torque comes on only where a tick has measured the joints since.
        await delay(PAUSE_MS);
      }
    }
    if (!isOld())
      this.#report(
        `The robot does not go on: ${why === '' ? 'it was still braking. Press c, or Start at the page, again once it stands.' : why}`,
      );
  }
}
