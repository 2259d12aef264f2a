/** Threads that share the trials of a check. What each trial finds depends on nothing but its plan. */
import { Worker } from 'node:worker_threads';
import { type PackedError, unpackError } from '../../core/index.ts';
import type { StageName } from '../../safety/index.ts';
import type { TrialPlan } from '../attack/plan.ts';
import type { CheckSubject } from '../subject/subject.ts';
import type { TrialOutcome } from '../trial-outcome.ts';

export interface CheckWorkerData {
  readonly subject: CheckSubject;
  readonly chain: 'on' | 'off';
  readonly seed: number;
}

/** Trials to run, one after the other. */
export interface TrialRequest {
  readonly id: number;
  readonly plan: TrialPlan;
  readonly without: readonly StageName[];
}

export type TrialAnswer =
  | { readonly kind: 'done'; readonly id: number; readonly outcome: TrialOutcome }
  | { readonly kind: 'failed'; readonly id: number; readonly error: PackedError | Error };

interface Pending {
  readonly resolve: (outcome: TrialOutcome) => void;
  readonly reject: (error: Error) => void;
}

export class TrialPool {
  readonly #workers: readonly Worker[];
  readonly #pending = new Map<number, Pending>();
  #nextId = 0;
  #failure: Error | undefined;

  constructor(data: CheckWorkerData, threads: number) {
    this.#workers = Array.from({ length: threads }, () => {
      const worker = new Worker(new URL('./check-worker.js', import.meta.url), { workerData: data });
      worker.on('message', (answer: TrialAnswer) => this.#settle(answer));
      worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
      return worker;
    });
  }

  /**
   * Runs all `plans`; outcomes come in their order. `onTicks` is called with how many ticks and trials are done so far. Once `signal`
   * aborts, resolves at once to what is done: trials that are under way are lost. Rejects with the first error.
   */
  async run(
    plans: readonly TrialPlan[],
    without: readonly StageName[],
    onTicks: (ticks: number, trials: number) => void,
    signal?: AbortSignal,
  ): Promise<TrialOutcome[]> {
    const outcomes = new Array<TrialOutcome | undefined>(plans.length);
    let next = 0;
    let done = 0;
    let trials = 0;
    let abort = (): void => {};
    const aborted = new Promise<undefined>((resolve) => {
      abort = () => resolve(undefined);
    });
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    const feed = async (worker: Worker): Promise<void> => {
      for (let i = next++; i < plans.length; i = next++) {
        if (signal?.aborted) return;
        const outcome = await Promise.race([this.#request(worker, plans[i]!, without), aborted]);
        if (outcome === undefined) return;
        outcomes[i] = outcome;
        done += outcome.ticks;
        onTicks(done, ++trials);
      }
    };
    try {
      await Promise.all(this.#workers.map(feed));
    } finally {
      signal?.removeEventListener('abort', abort);
    }
    return outcomes.filter((outcome) => outcome !== undefined);
  }

  /** Ends the threads, also in the middle of a trial. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #request(worker: Worker, plan: TrialPlan, without: readonly StageName[]): Promise<TrialOutcome> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    const request: TrialRequest = { id, plan, without };
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.postMessage(request);
    });
  }

  #settle(answer: TrialAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (answer.kind === 'done') pending?.resolve(answer.outcome);
    else pending?.reject(unpackError(answer.error));
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
