/** Worker threads that evaluate policies while the robot trains: requests, replies, and their totals. */
import { Worker } from 'node:worker_threads';
import type { ResolvedConfig } from '../config/index.ts';
import { WorkerPool } from '../host/index.ts';
import type { PolicyWeights } from '../model/index.ts';
import { type EpisodeRecording, type WorkRates, workRates } from '../record/index.ts';
import { addRestarts, NO_RESTARTS, type Restarts } from './simulated-robot.ts';

/** Data passed to a worker at start. */
export interface EvaluationWorkerData {
  readonly config: ResolvedConfig;
  readonly share: MachineShare;
}

/** CPU share of the workers on a busy machine: equal to other threads, or only what robot and learner leave. */
export type MachineShare = 'equal' | 'rest';

/** Policy to evaluate: weights as published by a learner, or a policy file. */
export type Candidate =
  | { readonly kind: 'weights'; readonly bundle: PolicyWeights }
  | { readonly kind: 'file'; readonly path: string };

/** One episode to run. `seed`, `stream` and `index` alone determine its start, whatever is trained. */
export interface EpisodeRequest {
  readonly candidate: Candidate;
  readonly seed: number;
  readonly stream: string;
  readonly index: number;
  readonly record: 'poses' | 'nothing';
}

export interface EpisodeOutcome {
  readonly success: boolean;
  /** Verdict of the task's own rules, if a classifier decides. */
  readonly ownSuccess?: boolean;
  readonly steps: number;
  readonly ticks: number;
  readonly changedTicks: number;
  readonly violations: number;
  /** Restarts of the robot after the episode. */
  readonly restarts: Restarts;
}

/** An evaluated episode, with its recording if requested. */
export interface JudgedEpisode {
  readonly outcome: EpisodeOutcome;
  readonly recording?: EpisodeRecording;
}

/** A series of episodes for one policy. */
export interface Trial {
  readonly candidate: Candidate;
  readonly seed: number;
  readonly stream: string;
  /** First index; the others are the `episodes − 1` after it. */
  readonly from: number;
  readonly episodes: number;
  /** Called after each episode, in order; true if the episodes so far are enough. */
  readonly isEnough?: (result: TrialResult) => boolean;
  /** Index of the episode whose poses are recorded. */
  readonly record?: number;
  readonly onProgress?: (result: TrialResult) => void;
  /** Called with each episode, in order. */
  readonly onEpisode?: (outcome: EpisodeOutcome) => void;
  /** Ends the trial after the episodes in progress; `run` then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** Totals over the episodes of a trial. */
export interface TrialResult {
  readonly episodes: number;
  readonly successes: number;
  /** Successes by the task's own rules, if a classifier decides. */
  readonly ownSuccesses?: number;
  readonly meanSteps: number;
  readonly ticks: number;
  readonly changedTicks: number;
  readonly violations: number;
  /** Restarts of the robots of its episodes. */
  readonly restarts: Restarts;
  readonly recording?: EpisodeRecording;
}

const MOST_WORKERS = 2;
/** Starting a worker, with its modules and physics, takes as long as a few episodes. */
const EPISODES_WORTH_A_WORKER = 8;

/** Number of workers worth starting for looks of at most `mostEpisodes` episodes. Confirmations are longer, but only one or two a run. */
export function workersFor(mostEpisodes: number): number {
  return Math.min(MOST_WORKERS, Math.ceil(mostEpisodes / EPISODES_WORTH_A_WORKER));
}

/** A fixed number of workers, each with its own physics. */
export class EvaluationPool {
  readonly #pool: WorkerPool<EpisodeRequest, JudgedEpisode>;

  constructor(config: ResolvedConfig, workers: number, share: MachineShare = 'equal') {
    const workerData: EvaluationWorkerData = { config, share };
    const url = new URL('./evaluation-worker.js', import.meta.url);
    this.#pool = new WorkerPool(Array.from({ length: workers }, () => new Worker(url, { workerData })));
  }

  /**
   * Runs a trial: a worker that finishes an episode takes the next. The result depends only on candidate and indices: episodes are
   * counted in order, in whatever order the workers finish. One trial at a time. Rejects with `ReinError` if the policy cannot be
   * used.
   */
  async run(trial: Trial): Promise<TrialResult> {
    const count = new OrderedCount(trial);
    let next = 0;
    const work = async (worker: number): Promise<void> => {
      while (next < trial.episodes && !count.isOver) {
        trial.signal?.throwIfAborted();
        const place = next++;
        count.take(place, await this.#request(worker, trial, trial.from + place));
      }
    };
    try {
      await this.#pool.all(work);
    } finally {
      // If one worker fails, the others start no further episodes.
      next = trial.episodes;
    }
    return count.result;
  }

  /** Ends the workers after their current jobs. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  #request(worker: number, trial: Trial, index: number): Promise<JudgedEpisode> {
    const { candidate, seed, stream } = trial;
    const record = index === trial.record ? 'poses' : 'nothing';
    return this.#pool.run(worker, { candidate, seed, stream, index, record });
  }
}

/** Result before the first episode. */
export const NO_TRIAL: TrialResult = {
  episodes: 0,
  successes: 0,
  meanSteps: 0,
  ticks: 0,
  changedTicks: 0,
  violations: 0,
  restarts: NO_RESTARTS,
};

/** Rates of a trial on robots of `controlHz`; trials have no interventions. */
export function trialRates({ successes, ticks }: TrialResult, controlHz: number): WorkRates {
  return workRates({ successes, steps: 0, helpedSteps: 0, robotS: ticks / controlHz });
}

/** Totals episodes in order, whatever their order of arrival; stops once they are enough. */
class OrderedCount {
  readonly #trial: Trial;
  readonly #early = new Map<number, JudgedEpisode>();
  #isOver = false;
  #result: TrialResult = NO_TRIAL;

  constructor(trial: Trial) {
    this.#trial = trial;
  }

  get result(): TrialResult {
    return this.#result;
  }

  /** True once no further episodes count. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes the episode at `place` of the trial, and those that waited for it. */
  take(place: number, episode: JudgedEpisode): void {
    const { isEnough, onProgress, onEpisode } = this.#trial;
    const known = this.#result.episodes;
    this.#early.set(place, episode);
    for (;;) {
      const following = this.#early.get(this.#result.episodes);
      if (following === undefined || this.#isOver) break;
      this.#early.delete(this.#result.episodes);
      this.#result = add(this.#result, following);
      onEpisode?.(following.outcome);
      this.#isOver = isEnough?.(this.#result) ?? false;
    }
    if (this.#result.episodes > known && !this.#isOver) onProgress?.(this.#result);
  }
}

function add(sum: TrialResult, answer: JudgedEpisode): TrialResult {
  const { outcome } = answer;
  const recording = answer.recording ?? sum.recording;
  const { ownSuccess } = outcome;
  return {
    episodes: sum.episodes + 1,
    successes: sum.successes + (outcome.success ? 1 : 0),
    meanSteps: (sum.meanSteps * sum.episodes + outcome.steps) / (sum.episodes + 1),
    ticks: sum.ticks + outcome.ticks,
    changedTicks: sum.changedTicks + outcome.changedTicks,
    violations: sum.violations + outcome.violations,
    restarts: addRestarts(sum.restarts, outcome.restarts),
    ...(ownSuccess === undefined ? {} : { ownSuccesses: (sum.ownSuccesses ?? 0) + (ownSuccess ? 1 : 0) }),
    ...(recording === undefined ? {} : { recording }),
  };
}
