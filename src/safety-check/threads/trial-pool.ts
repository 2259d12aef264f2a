/** Threads that share the trials of a check. What each trial finds depends on nothing but its plan. */
import { Worker } from 'node:worker_threads';
import { WorkerPool } from '../../core/index.ts';
import type { CheckSubject } from '../../robot-import/index.ts';
import type { StageName } from '../../safety/chain-report.ts';
import type { TrialPlan } from '../attack/plan.ts';
import type { TrialOutcome } from '../trial-outcome.ts';

export interface CheckWorkerData {
  readonly subject: CheckSubject;
  readonly chain: 'on' | 'off';
  readonly seed: number;
  /** How far outside its box the arm may stand, m. */
  readonly sagMaxM: number | undefined;
}

/** A trial to run. */
export interface TrialRequest {
  readonly plan: TrialPlan;
  readonly without: readonly StageName[];
}

export class TrialPool {
  readonly #pool: WorkerPool<TrialRequest, TrialOutcome>;

  constructor(workerData: CheckWorkerData, threads: number) {
    const url = new URL('./check-worker.js', import.meta.url);
    this.#pool = new WorkerPool(Array.from({ length: threads }, () => new Worker(url, { workerData })));
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
    const feed = async (worker: number): Promise<void> => {
      for (let i = next++; i < plans.length; i = next++) {
        if (signal?.aborted) return;
        const outcome = await Promise.race([this.#pool.run(worker, { plan: plans[i]!, without }), aborted]);
        if (outcome === undefined) return;
        outcomes[i] = outcome;
        done += outcome.ticks;
        onTicks(done, ++trials);
      }
    };
    try {
      await this.#pool.all(feed);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
    return outcomes.filter((outcome) => outcome !== undefined);
  }

  /** Ends the threads, also in the middle of a trial. */
  close(): Promise<void> {
    return this.#pool.terminate();
  }
}
