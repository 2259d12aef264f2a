/** Worker threads that judge policies while the robot trains: what is asked of them, what they answer, how it is counted. */
import { Worker } from 'node:worker_threads';
import type { ResolvedConfig } from '../config/index.ts';
import { type PolicyWeights, WorkerPool } from '../core/index.ts';
import { type EpisodeRecording, type WorkRates, workRates } from '../record/index.ts';
import { addRestarts, NO_RESTARTS, type Restarts } from './simulated-robot.ts';

/** What a worker is started with. */
export interface EvaluationWorkerData {
  readonly config: ResolvedConfig;
  readonly share: MachineShare;
}

/** What its workers get of a busy machine: as much as others, or what a robot and its learner leave. */
export type MachineShare = 'equal' | 'rest';

/** The policy to be judged: weights as they came from a learner, or a policy file. */
export type Candidate =
  | { readonly kind: 'weights'; readonly bundle: PolicyWeights }
  | { readonly kind: 'file'; readonly path: string };

/** One episode to run: `stream` and `index` name its start for ever, whatever is trained with whichever seed. */
export interface EpisodeRequest {
  readonly candidate: Candidate;
  readonly seed: number;
  readonly stream: string;
  readonly index: number;
  readonly record: 'poses' | 'nothing';
}

export interface EpisodeOutcome {
  readonly success: boolean;
  /** What the task's own rules say, where a classifier decides. */
  readonly ownSuccess?: boolean;
  readonly steps: number;
  readonly ticks: number;
  readonly changedTicks: number;
  readonly violations: number;
  /** Whether the robot was started anew after the episode. */
  readonly restarts: Restarts;
}

/** An episode that was run, with its pictures where they were asked for. */
export interface JudgedEpisode {
  readonly outcome: EpisodeOutcome;
  readonly recording?: EpisodeRecording;
}

/** A series of episodes for one policy. */
export interface Trial {
  readonly candidate: Candidate;
  readonly seed: number;
  readonly stream: string;
  /** Indices of the episodes: `from` and the `episodes − 1` after it. */
  readonly from: number;
  readonly episodes: number;
  /** Asked after each episode, in their order: whether those so far are enough. */
  readonly isEnough?: (result: TrialResult) => boolean;
  /** Index of an episode whose poses are wanted. */
  readonly record?: number;
  readonly onProgress?: (result: TrialResult) => void;
  /** Told of each episode, in their order. */
  readonly onEpisode?: (outcome: EpisodeOutcome) => void;
  /** Ends the trial after the episodes under way; `run` then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** Sums over the episodes of a trial. */
export interface TrialResult {
  readonly episodes: number;
  readonly successes: number;
  /** Episodes that the task's own rules call a success, where a classifier decides. */
  readonly ownSuccesses?: number;
  readonly meanSteps: number;
  readonly ticks: number;
  readonly changedTicks: number;
  readonly violations: number;
  /** Of the robots of its episodes. */
  readonly restarts: Restarts;
  readonly recording?: EpisodeRecording;
}

const MOST_WORKERS = 2;
/** To start a worker, with its modules and physics, takes as long as some episodes do. */
const EPISODES_WORTH_A_WORKER = 8;

/** How many workers are worth their start where looks have `mostEpisodes` episodes at most. What confirms one, once or twice a run, has more. */
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
   * Runs a trial: a worker that is done with an episode takes the next. The result depends on nothing but candidate and indices:
   * episodes are counted in order, however the workers finish. One trial at a time. Rejects with `ReinError` when the policy cannot
   * be used.
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
      // Where one worker fails, the others begin no more.
      next = trial.episodes;
    }
    return count.result;
  }

  /** Ends the workers after what they are doing. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  #request(worker: number, trial: Trial, index: number): Promise<JudgedEpisode> {
    const { candidate, seed, stream } = trial;
    const record = index === trial.record ? 'poses' : 'nothing';
    return this.#pool.run(worker, { candidate, seed, stream, index, record });
  }
}

/** Before the first episode. */
export const NO_TRIAL: TrialResult = {
  episodes: 0,
  successes: 0,
  meanSteps: 0,
  ticks: 0,
  changedTicks: 0,
  violations: 0,
  restarts: NO_RESTARTS,
};

/** The rates of a trial on robots of `controlHz`: nobody helps there. */
export function trialRates({ successes, ticks }: TrialResult, controlHz: number): WorkRates {
  return workRates({ successes, steps: 0, helpedSteps: 0, robotS: ticks / controlHz });
}

/** Sums up episodes in their order, however they come; none after those that are enough. */
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

  /** No more episodes count. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes over the episode at `place` of the trial, and those that waited for it. */
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
