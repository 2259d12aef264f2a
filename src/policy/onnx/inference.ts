/** Single-threaded inference on onnxruntime; the runtime reads and writes the buffers in place. */
// Imported first: core keeps the runtime from writing telemetry.
import '../../host/index.ts';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/** Tensors by the name of their input or output. */
export type Tensors = Readonly<Record<string, Tensor>>;

/** Input or output of a network. */
export interface TensorPort {
  readonly name: string;
  /** Sizes; a string is a symbolic size, left open by the file. */
  readonly shape: readonly (number | string)[];
  /** `float32` or another element type; `sequence` for anything that is not a tensor. */
  readonly type: string;
}

const OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  // More than one thread makes a small network slower and its worst case 100 times worse.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 4,
};

/** Wraps `data` as a runtime tensor without copying. */
export function tensorOn(data: Float32Array, shape: readonly number[]): Tensor {
  return new Tensor('float32', data, shape);
}

/** A loaded network. Errors are onnxruntime's own; the caller explains them. */
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
   * Runs the network once and returns the outputs named by `fetches`: written into its tensors, or into new ones if it holds
   * names only. Blocks the thread although it returns a promise. Only one run at a time may use the same buffers.
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

  /** Releases the session as soon as no run is in progress. */
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
