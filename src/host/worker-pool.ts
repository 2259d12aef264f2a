/** A pool of worker threads that process jobs: requests, answers, and the failure of jobs whose thread fails or exits. */
import { type PackedError, packError, ReinError, unpackError } from '../model/index.ts';

/** A worker thread, seen from its owner. */
export interface PoolWorker {
  postMessage(message: unknown): void;
  on(event: string, listener: (value: unknown) => void): unknown;
  terminate(): Promise<unknown>;
}

/** A worker thread's own end of the channel. */
export interface WorkerPort {
  postMessage(message: unknown): void;
  on(event: string, listener: (value: unknown) => void): unknown;
  close(): void;
}

interface NumberedJob<Job> {
  readonly id: number;
  readonly job: Job;
}

/** Answer to a job. */
type JobAnswer<Outcome> =
  | { readonly id: number; readonly outcome: Outcome }
  | { readonly id: number; readonly error: PackedError | Error };

interface Pending<Outcome> {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

export class WorkerPool<Job, Outcome> {
  readonly #workers: readonly PoolWorker[];
  readonly #ended: Promise<unknown>;
  readonly #pending = new Map<number, Pending<Outcome>>();
  #nextId = 0;
  #failure: Error | undefined;

  constructor(workers: readonly PoolWorker[]) {
    this.#workers = workers;
    for (const worker of workers) {
      worker.on('message', (answer) => this.#settle(answer as JobAnswer<Outcome>));
      worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    }
    this.#ended = Promise.all(workers.map((worker) => this.#endOf(worker)));
  }

  /** Calls `work` with the number of each worker. */
  all(work: (worker: number) => Promise<void>): Promise<unknown> {
    return Promise.all(this.#workers.map((_, worker) => work(worker)));
  }

  /** Resolves with the outcome of `job` on worker `worker`. Rejects with what it threw, and once any worker has failed or exited. */
  run(worker: number, job: Job): Promise<Outcome> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#workers[worker]!.postMessage({ id, job } satisfies NumberedJob<Job>);
    });
  }

  /** Ends the workers after their pending jobs. */
  async close(): Promise<void> {
    for (const worker of this.#workers) worker.postMessage('close');
    await this.#ended;
  }

  /** Ends the workers immediately. */
  async terminate(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #endOf(worker: PoolWorker): Promise<void> {
    return new Promise((resolve) => {
      worker.on('exit', (code) => {
        this.#fail(
          new ReinError('environment', `A worker thread has ended by itself, with exit code ${String(code)}.`, {
            remedy: 'Look for process.exit in the modules that the configuration names.',
          }),
        );
        resolve();
      });
    });
  }

  #settle(answer: JobAnswer<Outcome>): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if ('error' in answer) pending?.reject(unpackError(answer.error));
    else pending?.resolve(answer.outcome);
  }

  /** The first error is the cause that is reported. */
  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
  }
}

/** Processes the jobs from `port` in order until the pool is closed; calls `close` last. */
export function serveJobs<Job, Outcome>(
  port: WorkerPort | null,
  work: (job: Job) => Outcome | Promise<Outcome>,
  close: () => void | Promise<void>,
): void {
  if (port === null) throw new Error('this file is a worker thread, not a program');
  const answerOf = async ({ id, job }: NumberedJob<Job>): Promise<JobAnswer<Outcome>> => {
    try {
      return { id, outcome: await work(job) };
    } catch (error) {
      return { id, error: packError(error) };
    }
  };
  let last: Promise<void> = Promise.resolve();
  port.on('message', (sent) => {
    const message = sent as NumberedJob<Job> | 'close';
    last = last.then(async () => {
      if (message !== 'close') return port.postMessage(await answerOf(message));
      await close();
      port.close();
    });
  });
}
