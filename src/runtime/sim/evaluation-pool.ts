/** Worker threads that judge policies while the robot trains. */
import { Worker } from 'node:worker_threads';
import { ReinError } from '../../core/index.ts';
import type { ResolvedConfig } from '../config/index.ts';
import { type EpisodeRecording, type WorkRates, workRates } from '../record/index.ts';
import type {
  Candidate,
  EpisodeFailure,
  EpisodeOutcome,
  EpisodeRequest,
  EvaluationAnswer,
  EvaluationWorkerData,
} from './evaluation-messages.ts';

/** A series of episodes for one policy. */
export interface Trial {
  readonly candidate: Candidate;
  readonly seed: number;
  readonly stream: string;
  /** Indices of the episodes: `from` and the `episodes − 1` after it. */
  readonly from: number;
  readonly episodes: number;
  /** Give up after this many failures: such a policy is not kept in any case. */
  readonly maxFailures?: number;
  /** Index of an episode whose poses are wanted. */
  readonly record?: number;
  readonly onProgress?: (result: TrialResult) => void;
  /** Ends the trial after the episodes under way; `run` then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** Sums over the episodes of a trial. */
export interface TrialResult {
  readonly episodes: number;
  readonly successes: number;
  readonly meanSteps: number;
  readonly ticks: number;
  readonly changedTicks: number;
  readonly violations: number;
  readonly recording?: EpisodeRecording;
}

interface Pending {
  readonly resolve: (answer: { outcome: EpisodeOutcome; recording?: EpisodeRecording }) => void;
  readonly reject: (error: Error) => void;
}

/** A fixed number of workers, each with its own physics. */
export class EvaluationPool {
  readonly #workers: Worker[];
  readonly #exited: Promise<unknown>;
  readonly #pending = new Map<number, Pending>();
  #nextId = 0;
  #failure: Error | undefined;

  constructor(config: ResolvedConfig, workers: number) {
    const workerData: EvaluationWorkerData = { config };
    this.#workers = Array.from({ length: workers }, () => {
      const worker = new Worker(new URL('./evaluation-worker.js', import.meta.url), { workerData });
      worker.on('message', (answer: EvaluationAnswer) => this.#settle(answer));
      worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
      return worker;
    });
    this.#exited = Promise.all(
      this.#workers.map((worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve()))),
    );
  }

  /**
   * Runs a trial. Its result depends on nothing but candidate and indices: episodes are counted in order, however the
   * workers finish. Rejects with `ReinError` when the policy cannot be used.
   */
  async run(trial: Trial): Promise<TrialResult> {
    const maxFailures = trial.maxFailures ?? Number.POSITIVE_INFINITY;
    let result: TrialResult = { episodes: 0, successes: 0, meanSteps: 0, ticks: 0, changedTicks: 0, violations: 0 };
    const width = this.#workers.length;
    for (let start = 0; start < trial.episodes; start += width) {
      trial.signal?.throwIfAborted();
      const indices = Array.from({ length: Math.min(width, trial.episodes - start) }, (_, i) => trial.from + start + i);
      const answers = await Promise.all(indices.map((index, i) => this.#request(i, trial, index)));
      for (const answer of answers) {
        result = add(result, answer);
        if (result.episodes - result.successes > maxFailures) return result;
      }
      trial.onProgress?.(result);
    }
    return result;
  }

  /** Ends the workers after what they are doing. */
  async close(): Promise<void> {
    for (const worker of this.#workers) worker.postMessage('close');
    await this.#exited;
  }

  #request(
    worker: number,
    trial: Trial,
    index: number,
  ): Promise<{ outcome: EpisodeOutcome; recording?: EpisodeRecording }> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    const request: EpisodeRequest = {
      id,
      candidate: trial.candidate,
      seed: trial.seed,
      stream: trial.stream,
      index,
      record: index === trial.record ? 'poses' : 'nothing',
    };
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#workers[worker]!.postMessage(request);
    });
  }

  #settle(answer: EvaluationAnswer): void {
    if (answer.kind === 'ready') return;
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (answer.kind === 'failed') pending?.reject(errorOf(answer.failure));
    else pending?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

/** The rates of a trial on robots of `controlHz`: nobody helps there. */
export function trialRates({ successes, ticks }: TrialResult, controlHz: number): WorkRates {
  return workRates({ successes, steps: 0, helpedSteps: 0, robotS: ticks / controlHz });
}

function errorOf(failure: EpisodeFailure): Error {
  if (!failure.expected) {
    const error = new Error('an evaluation thread failed');
    error.stack = failure.stack;
    return error;
  }
  const { errorKind, message, remedy } = failure;
  return new ReinError(errorKind, message, remedy === undefined ? {} : { remedy });
}

function add(sum: TrialResult, answer: { outcome: EpisodeOutcome; recording?: EpisodeRecording }): TrialResult {
  const { outcome } = answer;
  const recording = answer.recording ?? sum.recording;
  return {
    episodes: sum.episodes + 1,
    successes: sum.successes + (outcome.success ? 1 : 0),
    meanSteps: (sum.meanSteps * sum.episodes + outcome.steps) / (sum.episodes + 1),
    ticks: sum.ticks + outcome.ticks,
    changedTicks: sum.changedTicks + outcome.changedTicks,
    violations: sum.violations + outcome.violations,
    ...(recording === undefined ? {} : { recording }),
  };
}
