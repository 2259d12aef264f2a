/**
 * The engine in a worker thread: the caller's thread continues during a call, and fills the inputs of the next. Needs the
 * built program (`dist`), since a worker thread cannot run TypeScript.
 */
import { Worker } from 'node:worker_threads';
import { ReinError, unpackError } from '../../model/index.ts';
import { loadAlgorithm } from '../options/algorithms.ts';
import { type PhaseName, phaseOf } from '../update/algorithm.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { buildUpdateGraph } from '../update/update-graph.ts';
import { inputArrays } from '../update/update-inputs.ts';
import type { EngineAnswer, EngineRequest, EngineStart, EngineVerb, SharedEngine } from './engine-worker.ts';
import type { CallReport, OpenPhase, TrainingEngine } from './training-engine.ts';

interface Waiting {
  readonly resolve: (answer: EngineAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** Implements `TrainingEngine`; every method waits for the worker's answer. */
export class EngineThread implements TrainingEngine {
  readonly spec: LearnerSpec;
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #waiting: Waiting | undefined;
  #failure: Error | undefined;

  /** `hasRobot`: see `AgentSpec`. */
  constructor(spec: LearnerSpec, hasRobot: boolean) {
    this.spec = spec;
    const start: EngineStart = { spec, hasRobot };
    this.#worker = new Worker(new URL('./engine-worker.js', import.meta.url), { workerData: start });
    this.#worker.on('message', (answer: EngineAnswer) => this.#settle()?.resolve(answer));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fail(new ReinError('policy', 'The thread of the training engine has ended.'));
        resolve();
      });
    });
  }

  async open(phase: PhaseName, updates: number): Promise<OpenPhase> {
    const algorithm = await loadAlgorithm(this.spec.config);
    const updateGraph = buildUpdateGraph(algorithm, this.spec, phaseOf(algorithm, phase));
    const sets = [inputArrays(updateGraph, updates, true), inputArrays(updateGraph, updates, true)];
    await this.#ask('openShared', phase, updates, sets);
    return { inputs: updateGraph.inputs, sets };
  }

  run(phase: PhaseName, set: number): Promise<CallReport> {
    return this.#ask('run', phase, set);
  }

  shut(phase: PhaseName): Promise<void> {
    return this.#ask('shut', phase);
  }

  read(part?: string): Promise<Float32Array> {
    return this.#ask('read', part);
  }

  write(values: Float32Array, part?: string): Promise<void> {
    return this.#ask('write', values, part);
  }

  criticValues(observations: Float32Array, actions: Float32Array): Promise<Float32Array> {
    return this.#ask('criticValues', observations, actions);
  }

  async close(): Promise<void> {
    if (this.#failure === undefined) await this.#ask('close');
    await this.#exited;
  }

  async #ask<V extends EngineVerb>(
    verb: V,
    ...args: Parameters<SharedEngine[V]>
  ): Promise<Awaited<ReturnType<SharedEngine[V]>>> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#waiting !== undefined) throw new TypeError('calls of a training engine must be awaited one at a time');
    const answer = await new Promise<EngineAnswer>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker.postMessage({ verb, args } satisfies EngineRequest);
    });
    if ('error' in answer) throw unpackError(answer.error);
    return answer.value as Awaited<ReturnType<SharedEngine[V]>>;
  }

  #settle(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#settle()?.reject(this.#failure);
  }
}
