/** A network on onnxruntime, for inference: one thread, and memory that the runtime reads and writes in place. */
// First: core keeps the runtime from writing telemetry.
import '../../core/index.ts';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/** Arrays as the runtime takes them, by the name of their input or output. */
export type Tensors = Readonly<Record<string, Tensor>>;

/** An input or output. */
export interface TensorPort {
  readonly name: string;
  /** Sizes; a text where the file leaves one open. */
  readonly shape: readonly (number | string)[];
  /** `float32`; or what else the numbers are, `sequence` for what is no tensor. */
  readonly type: string;
}

const OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  // More threads than one make a small network slower and its worst case 100 times worse.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 4,
};

/** `data` as the runtime takes it; not copied. */
export function tensorOn(data: Float32Array, shape: readonly number[]): Tensor {
  return new Tensor('float32', data, shape);
}

/** A loaded network. Its errors are onnxruntime's own: whoever runs it says what they mean. */
export class Inference {
  readonly inputs: readonly TensorPort[];
  readonly outputs: readonly TensorPort[];
  readonly #session: InferenceSession;
  #pending = 0;
  #isClosing = false;
  #isReleased = false;

  private constructor(session: InferenceSession) {
    this.#session = session;
    this.inputs = session.inputMetadata.map(portOf);
    this.outputs = session.outputMetadata.map(portOf);
  }

  /** Loads `model`: its bytes, or the path of a file, which may have external data beside it. */
  static async open(model: Uint8Array | string): Promise<Inference> {
    const opened =
      typeof model === 'string' ? InferenceSession.create(model, OPTIONS) : InferenceSession.create(model, OPTIONS);
    return new Inference(await opened);
  }

  /**
   * One run, with the outputs that `fetches` names: into its memory, or into new where it holds names alone. Blocks the thread
   * although it returns a promise. One at a time on the same memory.
   */
  async run(feeds: Tensors, fetches: Tensors | readonly string[]): Promise<Tensors> {
    this.#pending++;
    try {
      return (await this.#session.run(feeds, fetches as Tensors)) as Tensors;
    } finally {
      this.#pending--;
      if (this.#isClosing) await this.#releaseIfIdle();
    }
  }

  /** Frees it as soon as no run is under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#releaseIfIdle();
  }

  async #releaseIfIdle(): Promise<void> {
    if (this.#pending > 0 || this.#isReleased) return;
    this.#isReleased = true;
    await this.#session.release();
  }
}

function portOf(metadata: InferenceSession.ValueMetadata): TensorPort {
  const { name } = metadata;
  return metadata.isTensor
    ? { name, shape: metadata.shape, type: metadata.type }
    : { name, shape: [], type: 'sequence' };
}
