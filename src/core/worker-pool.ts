/** Worker threads that share jobs: what is asked, what is answered, and what becomes of a job whose thread fails or ends. */
import { type PackedError, packError, ReinError, unpackError } from './result.ts';

/** A worker thread as its starter holds it. */
export interface PoolWorker {
  postMessage(message: unknown): void;
  on(event: string, listener: (value: unknown) => void): unknown;
  terminate(): Promise<unknown>;
}

/** A worker thread's end of the same. */
export interface WorkerPort {
  postMessage(message: unknown): void;
  on(event: string, listener: (value: unknown) => void): unknown;
  close(): void;
}

interface NumberedJob<Job> {
  readonly id: number;
  readonly job: Job;
}

/** What comes back of a job. */
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

  /** Calls `work` for each worker, by its number. */
  all(work: (worker: number) => Promise<void>): Promise<unknown> {
    return Promise.all(this.#workers.map((_, worker) => work(worker)));
  }

  /** Resolves to what the worker of this number makes of `job`. Rejects with what it threw, and once any worker has failed or ended. */
  run(worker: number, job: Job): Promise<Outcome> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#workers[worker]!.postMessage({ id, job } satisfies NumberedJob<Job>);
    });
  }

  /** Ends the workers after what they are doing. */
  async close(): Promise<void> {
    for (const worker of this.#workers) worker.postMessage('close');
    await this.#ended;
  }

  /** Ends them in the middle of it. */
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

  /** The first error is why. */
  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
  }
}

/** Does the jobs that come over `port`, one after another in their order, until the pool is closed; `close` is the last of all. */
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
