/** Runs graphs built by the learner. The only file of the learner that depends on the runtime, onnxruntime-node. */
// Imported first: core keeps the runtime from writing telemetry.
import '../../host/index.ts';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { ReinError, type TensorShape } from '../../model/index.ts';
import { firstLineOf } from '../../onnx/index.ts';
import type { Provider } from '../options/learner-config.ts';
import type { Shape } from './graph.ts';
import { ParameterLayout } from './parameters.ts';

/** Processor and threads of a loaded graph. */
export interface SessionOptions {
  /** CPU threads of one operation, ≥ 1; default 1. */
  readonly threads?: number;
  /** Waiting threads spin: a fifth faster on cores that are otherwise idle, half as fast on busy ones. */
  readonly spinning?: boolean;
  /** Processor of the graph; default `cpu`. */
  readonly provider?: Provider;
  /** Called with one message if `provider` is unavailable and the CPU is used instead; default: a process warning. */
  readonly onFallback?: (message: string) => void;
}

/** The runtime's own options, with defaults filled in. Values of `extra` are strings. */
export function runtimeOptions({
  threads = 1,
  spinning = false,
  provider = 'cpu',
}: SessionOptions): InferenceSession.SessionOptions {
  return {
    executionProviders: [provider],
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: provider === 'cpu' ? 3 : 4,
    extra: { session: { intra_op: { allow_spinning: spinning ? '1' : '0' } } },
  };
}

/** Calls `open` for the requested provider, falling back to the CPU with a message. Errors of the CPU are thrown. */
export async function openWithFallback<T>(
  options: SessionOptions,
  open: (runtime: InferenceSession.SessionOptions) => Promise<T>,
): Promise<T> {
  const { provider = 'cpu', onFallback = (message) => process.emitWarning(message) } = options;
  if (provider !== 'cpu') {
    try {
      return await open(runtimeOptions(options));
    } catch (error) {
      onFallback(fallbackMessage(provider, error));
    }
  }
  return open(runtimeOptions({ ...options, provider: 'cpu' }));
}

function fallbackMessage(provider: Provider, error: unknown): string {
  const needs = { cpu: '', cuda: 'CUDA 12 and cuDNN 9', webgpu: 'a graphics driver with Vulkan, Metal or Direct3D 12' };
  return `The learner was to compute with "${provider}", which cannot be used here (${firstLineOf(error)}); it uses the CPU. "${provider}" needs ${needs[provider]}.`;
}

/** Arrays that the runtime reads and fills in place. */
export type TensorData = Float32Array | Float64Array | BigInt64Array;

/** Named arrays with their shapes, wrapped once and used in every call. The caller keeps ownership of the arrays. */
export class Bindings {
  readonly tensors: Record<string, Tensor> = {};

  /** Wraps `data` without copying. */
  set(name: string, data: TensorData, shape: Shape): void {
    const type = data instanceof Float32Array ? 'float32' : data instanceof Float64Array ? 'float64' : 'int64';
    this.tensors[name] = new Tensor(type, data as Float32Array, shape);
  }
}

/** A loaded graph. */
export class Session {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  /** Loads `model`, by default for one CPU thread, since more would take cores from other programs. */
  static async create(model: Uint8Array, options: SessionOptions = {}): Promise<Session> {
    return new Session(await openWithFallback(options, (runtime) => InferenceSession.create(model, runtime)));
  }

  /**
   * Runs once; inputs and outputs are the arrays bound by the caller. An output array must not be one of the
   * inputs: the runtime reads inputs while it writes outputs. Blocks the thread although it returns a promise.
   */
  async run(inputs: readonly Bindings[], outputs: readonly Bindings[]): Promise<void> {
    const feeds = Object.assign({}, ...inputs.map((bindings) => bindings.tensors));
    const fetches = Object.assign({}, ...outputs.map((bindings) => bindings.tensors));
    await this.#session.run(feeds, fetches);
  }

  /** Runs once with freshly allocated outputs: for tests and rare calls. */
  async evaluate(inputs: Bindings): Promise<Record<string, { shape: readonly number[]; data: TensorData }>> {
    const results = await this.#session.run(inputs.tensors);
    return Object.fromEntries(
      Object.entries(results).map(([name, { dims, data }]) => [name, { shape: dims, data: data as TensorData }]),
    );
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

/**
 * State that a graph reads and replaces: inputs `name`, outputs `name_next`. Double-buffered in two flat arrays,
 * because the runtime must not write what it reads; `commit` makes the written one current.
 */
export class PingPongState {
  readonly #layout: ParameterLayout;
  readonly #buffers: readonly [Float32Array, Float32Array];
  readonly #inputs: readonly [Bindings, Bindings];
  readonly #outputs: readonly [Bindings, Bindings];
  #current: 0 | 1 = 0;

  constructor(parts: readonly TensorShape[]) {
    this.#layout = new ParameterLayout(parts);
    const { size } = this.#layout;
    this.#buffers = [new Float32Array(size), new Float32Array(size)];
    this.#inputs = [this.#bind(0, ''), this.#bind(1, '')];
    this.#outputs = [this.#bind(0, '_next'), this.#bind(1, '_next')];
  }

  /** The whole current state; a view that is valid until `commit`. */
  get current(): Float32Array {
    return this.#buffers[this.#current];
  }

  /** A part of the current state; a view that is valid until `commit`. */
  part(name: string): Float32Array {
    const part = this.#layout.entries.find((p) => p.name === name);
    if (part === undefined) throw new RangeError(`the state has no part named "${name}"`);
    return this.current.subarray(part.offset, part.offset + part.size);
  }

  /** Inputs of a run. */
  get inputs(): Bindings {
    return this.#inputs[this.#current];
  }

  /** Outputs of a run, for the parts named `changed`. */
  outputsOf(changed: ReadonlySet<string>): Bindings {
    const { tensors } = this.#outputs[this.#next];
    const some = new Bindings();
    for (const name of changed) some.tensors[`${name}_next`] = tensors[`${name}_next`]!;
    return some;
  }

  /** Makes the outputs of the last run current; parts that are not `changed` keep their values. */
  commit(changed: ReadonlySet<string>): void {
    for (const { name, offset, size } of this.#layout.entries) {
      if (changed.has(name)) continue;
      this.#buffers[this.#next].set(this.current.subarray(offset, offset + size), offset);
    }
    this.#current = this.#next;
  }

  /** Replaces the current state. Throws `ReinError` if the size does not match these networks. */
  load(values: Float32Array): void {
    const { size } = this.#layout;
    if (values.length !== size) {
      const message = `The stored state has ${values.length} numbers, these networks have ${size}.`;
      throw new ReinError('checkpoint', message, {
        remedy: 'Continue with the learner configuration and task that the checkpoint was written with.',
      });
    }
    this.current.set(values);
  }

  get #next(): 0 | 1 {
    return this.#current === 0 ? 1 : 0;
  }

  #bind(index: 0 | 1, suffix: string): Bindings {
    const bindings = new Bindings();
    for (const part of this.#layout.entries) {
      const view = this.#buffers[index].subarray(part.offset, part.offset + part.size);
      bindings.set(part.name + suffix, view, part.shape);
    }
    return bindings;
  }
}
