/** A person's "go on": the requests to the guard, one after another, until the robot may move. */
import { setTimeout as delay } from 'node:timers/promises';
import type { GuardAnswer } from '../../rows/index.ts';

/** Number of attempts to get torque and permission, and the pause after each request, ms. */
const TRIES = 10;
const PAUSE_MS = 40;

/** Requests on behalf of a person who lets a stopped robot go on. */
export type GoOnRequest = 'permit' | 'acknowledge' | 'enable';

/**
 * Handles one permission by a person at a time. It acknowledges what they have seen, once: a robot that still brakes has not shown
 * everything, and a fault or a stop that occurs meanwhile is another one, which they have not seen.
 */
export class GoOn {
  readonly #ask: (kind: GoOnRequest) => Promise<GuardAnswer>;
  readonly #report: (message: string) => void;
  /** Counts people's requests: work on an older one ends. */
  #said = 0;
  #isStopped = false;

  constructor(ask: (kind: GoOnRequest) => Promise<GuardAnswer>, report: (message: string) => void) {
    this.#ask = ask;
    this.#report = report;
  }

  /** Called when a person stops the robot, of which the guard is informed separately: nothing more is requested. */
  cancel(): void {
    this.#said++;
    this.#isStopped = true;
  }

  /** True if a person has stopped the robot, and none has let it go on since. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Called when the robot is ready, and was started in order to move: begins unless a person has stopped it since. */
  async start(): Promise<void> {
    if (!this.#isStopped) return this.begin();
    this.#report('The robot was stopped before it began: press c, or Start at the page, to let it move.');
  }

  /** Resolves when the robot may move, when it does not go on (reported), or when there is a newer request by a person. */
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
        // A reading that is missing for a tick shows nothing new.
        if (kind === 'acknowledge') isSeen = !answer.ok && answer.needs === 'reading';
        if (!answer.ok && answer.needs !== 'state') why = answer.reason;
        // Torque is only enabled after a new measurement of the joints.
        await delay(PAUSE_MS);
      }
    }
    if (!isOld())
      this.#report(
        `The robot does not go on: ${why === '' ? 'it was still braking. Press c, or Start at the page, again once it stands.' : why}`,
      );
  }
}
