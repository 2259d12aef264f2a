/**
 * A policy whose inference runs on a thread of its own, for networks that take longer than the node may be blocked
 * (onnxruntime blocks the thread that it runs on). Small networks are faster without.
 */
import { Worker } from 'node:worker_threads';
import { err, ok, type PolicyWeights, ReinError, type Result } from '../core/index.ts';
import type { OnnxPolicyOptions, SwapReport } from './onnx/onnx-policy.ts';
import type { WorkerAnswer, WorkerRequest } from './onnx/worker-messages.ts';
import type { Policy, PolicyNoise } from './policy.ts';

interface Waiting {
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (error: Error) => void;
}

type RequestBody = WorkerRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never;

/** Same contract as `OnnxPolicy`. Needs the built program (`dist`): a worker thread cannot run TypeScript. */
export class WorkerPolicy implements Policy {
  readonly observationSize: number;
  readonly actionSize: number;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #newest: Float32Array;
  #newestSeenAtS = Number.NEGATIVE_INFINITY;
  #isBusy = false;
  #nextId = 0;
  #version = 0;
  #run = 0;
  #failure: Error | undefined;
  #exited: Promise<void>;

  constructor(options: OnnxPolicyOptions) {
    this.observationSize = options.observationSize;
    this.actionSize = options.actionSize;
    this.#newest = new Float32Array(options.actionSize);
    this.#worker = new Worker(new URL('./onnx/policy-worker.js', import.meta.url), { workerData: options });
    this.#worker.on('message', (answer: WorkerAnswer) => this.#onAnswer(answer));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fail(new ReinError('policy', "The policy's thread has ended."));
        resolve();
      });
    });
  }

  get version(): number {
    return this.#version;
  }

  get run(): number {
    return this.#run;
  }

  /**
   * One decision; see `Policy.decide`. Draws one number, the seed of the noise, which the thread draws: only there is
   * known which head acts when a swap is under way.
   */
  async decide(observation: Float32Array, { rng, purpose }: PolicyNoise, out: Float32Array): Promise<void> {
    const answer = await this.#ask({ kind: 'decide', observation, seed: rng.nextU32(), purpose });
    if (answer.kind !== 'decided') throw unexpected(answer);
    out.set(answer.action);
  }

  /**
   * Starts a decision on `observation`, measured at `measuredAtS`, unless one is under way; the result is for `newest`.
   * Gives false where the observation was skipped. Never waits. A failed decision leaves the older result to age.
   */
  submit(observation: Float32Array, noise: PolicyNoise, measuredAtS: number): boolean {
    if (this.#isBusy || this.#failure !== undefined) return false;
    this.#isBusy = true;
    this.decide(observation, noise, this.#newest).then(
      () => {
        this.#newestSeenAtS = measuredAtS;
        this.#isBusy = false;
      },
      () => {
        this.#isBusy = false;
      },
    );
    return true;
  }

  /** Copies the newest result of `submit` into `out`; gives the age of its observation at `nowS`, s, Infinity for none. */
  newest(out: Float32Array, nowS: number): number {
    out.set(this.#newest);
    return nowS - this.#newestSeenAtS;
  }

  /** As `OnnxPolicy.swap`. */
  async swap(weights: PolicyWeights): Promise<Result<SwapReport>> {
    return this.#exchange({ kind: 'swap', weights });
  }

  /** As `OnnxPolicy.adopt`. */
  async adopt(graph: Uint8Array, version: number): Promise<Result<SwapReport>> {
    return this.#exchange({ kind: 'adopt', graph, version });
  }

  /** As `OnnxPolicy.rollback`. */
  async rollback(): Promise<Result<number>> {
    try {
      const answer = await this.#ask({ kind: 'rollback' });
      if (answer.kind !== 'rolledBack') throw unexpected(answer);
      this.#version = answer.version;
      this.#run = answer.run;
      return ok(answer.version);
    } catch (error) {
      return asResult(error);
    }
  }

  /** Asks the thread to end and waits until it has. Idempotent. */
  async close(): Promise<void> {
    if (this.#failure === undefined) this.#worker.postMessage({ id: this.#nextId++, kind: 'close' });
    await this.#exited;
  }

  async #exchange(request: RequestBody): Promise<Result<SwapReport>> {
    try {
      const answer = await this.#ask(request);
      if (answer.kind !== 'swapped') throw unexpected(answer);
      this.#version = answer.report.version;
      this.#run = answer.report.run;
      return ok(answer.report);
    } catch (error) {
      return asResult(error);
    }
  }

  #ask(request: RequestBody): Promise<WorkerAnswer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...request });
    });
  }

  #onAnswer(answer: WorkerAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.kind === 'failed') {
      const remedy = answer.remedy === undefined ? {} : { remedy: answer.remedy };
      waiting?.reject(new ReinError('policy', answer.message, remedy));
    } else waiting?.resolve(answer);
  }

  /** The thread is gone: everything that waits is told, and so is every later caller. */
  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function asResult(error: unknown): Result<never> {
  if (error instanceof ReinError) return err(error);
  throw error;
}

function unexpected(answer: WorkerAnswer): Error {
  return new Error(`the policy's thread answered '${answer.kind}'`);
}
