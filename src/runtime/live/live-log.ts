/** What a live run shows of its own: success without help over the last episodes, who is connected, what is left. */
import type { EpisodeResult } from '../node/index.ts';
import type { RunLog } from '../sim/index.ts';

/** Autonomous success is shown over so many of the last episodes. */
const WINDOW_EPISODES = 20;

/** Keeps the live figures of `log`'s status up to date. */
export class LiveLog {
  readonly log: RunLog;
  readonly #durationS: number | undefined;
  readonly #successes: boolean[] = [];
  #episodes = 0;

  constructor(log: RunLog, durationS: number | undefined) {
    this.log = log;
    this.#durationS = durationS;
  }

  /** Training episodes so far. */
  get episodes(): number {
    return this.#episodes;
  }

  /** An episode has ended: it counts as a success when nobody helped. */
  episode(result: EpisodeResult): void {
    const { status } = this.log;
    this.log.episode('training', this.#episodes++, result);
    this.#successes.push(result.success && result.interventions === 0);
    const last = this.#successes.slice(-WINDOW_EPISODES);
    status.success = { successes: last.filter(Boolean).length, episodes: last.length };
    if (this.#episodes % WINDOW_EPISODES === 0) {
      status.successHistory = [...status.successHistory, status.success.successes / last.length];
    }
  }

  /** Shows the status when it is due. */
  show(): void {
    if (this.#durationS !== undefined) this.log.status.timeLeftS = Math.max(0, this.#durationS - this.log.elapsedS);
    this.log.show('when due');
  }
}
