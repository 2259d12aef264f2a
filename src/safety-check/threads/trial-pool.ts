/** Threads that share the trials of a check. The outcome of a trial depends on its plan only. */
import { Worker } from 'node:worker_threads';
import { WorkerPool } from '../../host/index.ts';
import type { CheckSubject } from '../../robot-import/index.ts';
import type { StageName } from '../../safety/chain-report.ts';
import type { TrialPlan } from '../attack/plan.ts';
import type { TrialOutcome } from '../trial-outcome.ts';

export interface CheckWorkerData {
  readonly subject: CheckSubject;
  readonly chain: 'on' | 'off';
  readonly seed: number;
  /** Largest distance outside its box at which the arm may stand, m. */
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
   * Runs all `plans`; outcomes come in their order. `onTicks` receives the numbers of ticks and trials done so far.
   * When `signal` aborts, resolves at once to the finished trials: those under way are lost. Rejects with the first
   * error.
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

  /** Ends the threads, even in the middle of a trial. */
  close(): Promise<void> {
    return this.#pool.terminate();
  }
}
