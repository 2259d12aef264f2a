/** Runs graphs of ours. The only file of the learner that knows the runtime, onnxruntime-node. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { ReinError } from '../../core/index.ts';
import type { Provider } from '../options/learner-config.ts';
import type { Shape } from './graph.ts';
import { openWithFallback, type SessionOptions } from './session-options.ts';

/** Arrays that the runtime takes and fills in place. */
export type TensorData = Float32Array | Float64Array | BigInt64Array;

/** Named arrays with their shapes, wrapped once and used in every call. The arrays stay the caller's. */
export class Bindings {
  readonly tensors: Record<string, Tensor> = {};

  /** Wraps `data` without a copy. */
  set(name: string, data: TensorData, shape: Shape): void {
    const type = data instanceof Float32Array ? 'float32' : data instanceof Float64Array ? 'float64' : 'int64';
    this.tensors[name] = new Tensor(type, data as Float32Array, shape);
  }
}

/** A loaded graph. */
export class Session {
  readonly #session: InferenceSession;
  /** Where it runs: what was asked for, or the CPU. */
  readonly provider: Provider;

  private constructor(session: InferenceSession, provider: Provider) {
    this.#session = session;
    this.provider = provider;
  }

  /** Loads `model`; a number stands for so many threads of the CPU. One by default: more take the cores of others. */
  static async create(model: Uint8Array, options: number | SessionOptions = 1): Promise<Session> {
    const chosen = typeof options === 'number' ? { threads: options } : options;
    const opened = await openWithFallback(chosen, (runtime) => InferenceSession.create(model, runtime));
    return new Session(opened.session, opened.provider);
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

/** One named part of a training's state. */
export interface StatePart {
  readonly name: string;
  readonly shape: Shape;
}

/**
 * State that a graph reads and replaces: inputs `name`, outputs `name_next`. Two copies of one flat array each,
 * because the runtime must not write what it reads; `commit` makes the written one current.
 */
export class PingPongState {
  readonly parts: readonly (StatePart & { readonly offset: number; readonly size: number })[];
  readonly size: number;
  readonly #buffers: readonly [Float32Array, Float32Array];
  readonly #inputs: readonly [Bindings, Bindings];
  readonly #outputs: readonly [Bindings, Bindings];
  #current: 0 | 1 = 0;

  constructor(parts: readonly StatePart[]) {
    let offset = 0;
    this.parts = parts.map(({ name, shape }) => {
      const size = shape.reduce((product, n) => product * n, 1);
      const part = { name, shape, offset, size };
      offset += size;
      return part;
    });
    this.size = offset;
    this.#buffers = [new Float32Array(offset), new Float32Array(offset)];
    this.#inputs = [this.#bind(0, ''), this.#bind(1, '')];
    this.#outputs = [this.#bind(0, '_next'), this.#bind(1, '_next')];
  }

  /** All of the current state; a view that is valid until `commit`. */
  get current(): Float32Array {
    return this.#buffers[this.#current];
  }

  /** A part of the current state; a view that is valid until `commit`. */
  part(name: string): Float32Array {
    const part = this.parts.find((p) => p.name === name);
    if (part === undefined) throw new RangeError(`the state has no part named "${name}"`);
    return this.current.subarray(part.offset, part.offset + part.size);
  }

  /** What a run reads. */
  get inputs(): Bindings {
    return this.#inputs[this.#current];
  }

  /** What a run writes. */
  get outputs(): Bindings {
    return this.#outputs[this.#current === 0 ? 1 : 0];
  }

  /** What a run writes that replaces the parts named `changed` alone. */
  outputsOf(changed: ReadonlySet<string>): Bindings {
    const all = this.outputs;
    const some = new Bindings();
    for (const name of changed) some.tensors[`${name}_next`] = all.tensors[`${name}_next`]!;
    return some;
  }

  /** Takes over what the last run wrote; parts that are not `changed` (all where left out) stay as they were. */
  commit(changed?: ReadonlySet<string>): void {
    const next = this.#current === 0 ? 1 : 0;
    if (changed !== undefined) {
      for (const { name, offset, size } of this.parts) {
        if (changed.has(name)) continue;
        this.#buffers[next].set(this.current.subarray(offset, offset + size), offset);
      }
    }
    this.#current = next;
  }

  /** Replaces the current state. Throws `ReinError` when the size is another network's. */
  load(values: Float32Array): void {
    if (values.length !== this.size) {
      throw new ReinError(
        'checkpoint',
        `The stored state has ${values.length} numbers, these networks have ${this.size}.`,
        {
          remedy: 'Continue with the learner configuration and task that the checkpoint was written with.',
        },
      );
    }
    this.current.set(values);
  }

  #bind(index: 0 | 1, suffix: string): Bindings {
    const bindings = new Bindings();
    for (const part of this.parts) {
      const view = this.#buffers[index].subarray(part.offset, part.offset + part.size);
      bindings.set(part.name + suffix, view, part.shape);
    }
    return bindings;
  }
}
