/** What a live run shows of its own: success without help over the last episodes, who is connected, what is left. */
import type { EpisodeResult } from '../node/index.ts';
import { workRates } from '../record/index.ts';
import type { RunLog } from '../sim/index.ts';

/** Success is shown over so many of the last episodes. */
const WINDOW_EPISODES = 20;

/** Keeps the live figures of `log`'s status up to date. */
export class LiveLog {
  readonly log: RunLog;
  readonly #durationS: number | undefined;
  /** Episodes that ran to their own end. */
  readonly #ended: { readonly isHelped: boolean; readonly isSuccess: boolean }[] = [];
  #successes = 0;
  #episodes = 0;
  #steps = 0;
  #helpedSteps = 0;
  /** When the robot began to work, s of the log. */
  #sinceS = 0;

  constructor(log: RunLog, durationS: number | undefined) {
    this.log = log;
    this.#durationS = durationS;
  }

  /** The robot begins to work: successes per hour are counted from here, resets and waits included. */
  begin(): void {
    if (this.#episodes === 0) this.#sinceS = this.log.elapsedS;
  }

  /** Training episodes so far. */
  get episodes(): number {
    return this.#episodes;
  }

  /**
   * An episode has ended. Success is told of those that ran to their own end without help: one that was cut says nothing of the
   * policy, and one with help says something of the person too.
   */
  episode(result: EpisodeResult): void {
    const { status } = this.log;
    this.log.episode('training', this.#episodes++, result);
    if (result.abortedBy === undefined) {
      this.#ended.push({ isHelped: result.interventions > 0, isSuccess: result.success });
      if (result.success) this.#successes++;
    }
    const last = this.#ended.slice(-WINDOW_EPISODES);
    const alone = last.filter(({ isHelped }) => !isHelped);
    const successes = alone.filter(({ isSuccess }) => isSuccess).length;
    this.#steps += result.steps;
    this.#helpedSteps += result.interventionSteps;
    const work = { successes: this.#successes, steps: this.#steps, helpedSteps: this.#helpedSteps };
    const rates = workRates({ ...work, robotS: this.log.elapsedS - this.#sinceS });
    status.success = { successes, episodes: alone.length, helped: last.length - alone.length, rates };
    if (this.#episodes % WINDOW_EPISODES === 0 && alone.length > 0) {
      status.successHistory = [...status.successHistory, successes / alone.length];
    }
  }

  /** Shows the status when it is due. */
  show(): void {
    if (this.#durationS !== undefined) this.log.status.timeLeftS = Math.max(0, this.#durationS - this.log.elapsedS);
    this.log.show('when due');
  }
}
