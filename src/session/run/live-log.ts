/** What a live run shows of its own: success without help over the last episodes, who is connected, what is left. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type EpisodeRecord, parseMetrics, RUN_FILES, workOf, workRates } from '../../record/index.ts';
import type { EpisodeResult } from '../episode-runner.ts';
import type { RunLog } from '../run-log.ts';

/** Success is shown over so many of the last episodes. */
const WINDOW_EPISODES = 20;

/** What a run has come to before this start of its robot. */
export interface EarlierStarts {
  readonly envSteps: number;
  /** Training episodes, in their order. */
  readonly episodes: readonly EpisodeRecord[];
}

/** Larger metrics are not read, bytes: a robot that waits to be started again is worth more than its figures. */
const MOST_BYTES = 64 * 2 ** 20;

/** By the metrics in the run's folder: nothing where there are none that can be read within a second; broken lines are left out. */
export function earlierStarts(folder: string): EarlierStarts {
  const { records } = parseMetrics(textOf(join(folder, RUN_FILES.metrics)));
  const isTraining = (record: (typeof records)[number]): record is EpisodeRecord =>
    record.kind === 'episode' && record.purpose === 'training';
  return {
    envSteps: records.reduce((most, { envStep }) => Math.max(most, envStep), 0),
    episodes: records.filter(isTraining),
  };
}

function textOf(file: string): string {
  try {
    return statSync(file).size > MOST_BYTES ? '' : readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Keeps the live figures of `log`'s status up to date. */
export class LiveLog {
  readonly log: RunLog;
  readonly #durationS: number | undefined;
  /** Episodes that ran to their own end. */
  readonly #ended: { readonly isHelped: boolean; readonly isSuccess: boolean }[] = [];
  /** How long the robot had worked in the starts before this one, s. */
  readonly #workedS: number;
  #successes: number;
  #episodes: number;
  #steps: number;
  #helpedSteps: number;
  /** When the robot began to work in this start, s of the log. */
  #sinceS: number | undefined;

  constructor(log: RunLog, durationS: number | undefined, { envSteps, episodes }: EarlierStarts) {
    this.log = log;
    this.#durationS = durationS;
    const before = workOf(episodes);
    this.#workedS = before.robotS;
    this.#successes = before.successes;
    this.#steps = before.steps;
    this.#helpedSteps = before.helpedSteps;
    this.#episodes = episodes.length;
    log.status.envSteps = envSteps;
    for (const { cutBy, interventions, success } of episodes) {
      if (cutBy === undefined) this.#ended.push({ isHelped: interventions > 0, isSuccess: success });
    }
    if (episodes.length > 0) this.#showSuccess();
  }

  /** The robot begins to work: successes per hour are counted from here, resets and waits included. */
  begin(): void {
    this.#sinceS ??= this.log.elapsedS;
  }

  /** Training episodes of the run. */
  get episodes(): number {
    return this.#episodes;
  }

  /**
   * An episode has ended. Success is told of those that ran to their own end without help: one that was cut says nothing of the
   * policy, and one with help says something of the person too.
   */
  episode(result: EpisodeResult): void {
    this.log.episode('training', this.#episodes++, result);
    if (result.abortedBy === undefined) {
      this.#ended.push({ isHelped: result.interventions > 0, isSuccess: result.success });
      if (result.success) this.#successes++;
    }
    this.#steps += result.steps;
    this.#helpedSteps += result.interventionSteps;
    this.#showSuccess();
  }

  #showSuccess(): void {
    const { status } = this.log;
    const last = this.#ended.slice(-WINDOW_EPISODES);
    const alone = last.filter(({ isHelped }) => !isHelped);
    const successes = alone.filter(({ isSuccess }) => isSuccess).length;
    const rates = workRates({
      successes: this.#successes,
      steps: this.#steps,
      helpedSteps: this.#helpedSteps,
      robotS: this.#workedS + (this.#sinceS === undefined ? 0 : this.log.elapsedS - this.#sinceS),
    });
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
