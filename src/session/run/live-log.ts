/** Figures of a live run: success without help over the last episodes, work rates, remaining time. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type EpisodeRecord, parseMetrics, RUN_FILES, type Work, workOf, workRates } from '../../record/index.ts';
import type { RunLog } from '../run-log.ts';
import type { EpisodeResult } from '../session-types.ts';

/** Number of last episodes over which success is shown. */
const WINDOW_EPISODES = 20;

/** Results of a run before this start of its robot. */
export interface EarlierStarts {
  readonly envSteps: number;
  /** Training episodes, in order. */
  readonly episodes: readonly EpisodeRecord[];
}

/** Larger metrics files are not read, bytes: a robot waiting for its restart matters more than its figures. */
const MOST_BYTES = 64 * 2 ** 20;

/** Reads the metrics in the run's folder: empty if none can be read within a second; broken lines are skipped. */
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

export interface LiveLogOptions {
  readonly earlier: EarlierStarts;
  /** Time after which the run ends by itself, s. */
  readonly durationS?: number | undefined;
  /**
   * The robot's own clock in lock-step, which differs from wall time: ticks so far, and ticks per second. Success is then reported from
   * validations, not from training.
   */
  readonly robotTicks?: { readonly now: () => number; readonly hz: number };
}

/** Keeps the live figures of `log`'s status up to date. */
export class LiveLog {
  readonly log: RunLog;
  readonly earlier: EarlierStarts;
  readonly #options: LiveLogOptions;
  /** Episodes that were not cut. */
  readonly #ended: { readonly isHelped: boolean; readonly isSuccess: boolean }[] = [];
  /** Working time of the robot in earlier starts, s. */
  readonly #workedS: number;
  #successes: number;
  #episodes: number;
  #steps: number;
  #helpedSteps: number;
  #interventions = 0;
  /** Time at which the robot began to work in this start, s of the log or ticks. */
  #since: number | undefined;

  constructor(log: RunLog, options: LiveLogOptions) {
    const { envSteps, episodes } = options.earlier;
    this.log = log;
    this.earlier = options.earlier;
    this.#options = options;
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

  /** Called when the robot begins to work: successes per hour are counted from here, resets and waits included. */
  begin(): void {
    this.#since ??= this.#options.robotTicks?.now() ?? this.log.elapsedS;
  }

  /** Totals of all training in the run. */
  get work(): Work {
    const { robotTicks } = this.#options;
    const sinceS = this.#since ?? 0;
    const now = robotTicks?.now() ?? this.log.elapsedS;
    const workedS = this.#since === undefined ? 0 : (now - sinceS) / (robotTicks?.hz ?? 1);
    const [successes, steps, helpedSteps] = [this.#successes, this.#steps, this.#helpedSteps];
    return { successes, steps, helpedSteps, robotS: this.#workedS + workedS };
  }

  /** Interventions of this start: sequences of training steps not decided by the policy. */
  get interventions(): number {
    return this.#interventions;
  }

  /** Number of training episodes of the run. */
  get episodes(): number {
    return this.#episodes;
  }

  /**
   * Called when an episode has ended. Success is shown for episodes that were not cut and had no help: a cut one tells nothing about the
   * policy, and one with help tells something about the person too. `idle`: see `EpisodeRecord`.
   */
  episode(result: EpisodeResult, idle: Pick<EpisodeRecord, 'idleSteps' | 'idleValueSteps'> = {}): void {
    const { robotTicks } = this.#options;
    this.log.episode('training', this.#episodes++, result, {
      ...(robotTicks === undefined ? {} : { robotS: robotTicks.now() / robotTicks.hz }),
      ...idle,
    });
    if (result.abortedBy === undefined) {
      this.#ended.push({ isHelped: result.interventions > 0, isSuccess: result.success });
      if (result.success) this.#successes++;
    }
    this.#steps += result.steps;
    this.#helpedSteps += result.interventionSteps;
    this.#interventions += result.interventions;
    if (robotTicks === undefined) this.#showSuccess();
  }

  #showSuccess(): void {
    const { status } = this.log;
    const last = this.#ended.slice(-WINDOW_EPISODES);
    const alone = last.filter(({ isHelped }) => !isHelped);
    const successes = alone.filter(({ isSuccess }) => isSuccess).length;
    const rates = workRates(this.work);
    status.success = { successes, episodes: alone.length, helped: last.length - alone.length, rates };
    if (this.#episodes % WINDOW_EPISODES === 0 && alone.length > 0) {
      status.successHistory = [...status.successHistory, successes / alone.length];
    }
  }

  /** Shows the status if it is due. */
  show(): void {
    const { durationS } = this.#options;
    if (durationS !== undefined) this.log.status.timeLeftS = Math.max(0, durationS - this.log.elapsedS);
    this.log.show('when due');
  }
}
