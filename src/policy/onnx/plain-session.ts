/** An ONNX file as it is, with whatever inputs and outputs it has: for base policies, which others may have exported. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { headOf } from './head.ts';

/** An input or output. */
export interface TensorPort {
  readonly name: string;
  /** Sizes; a text where the file leaves one open. */
  readonly shape: readonly (number | string)[];
  /** `float32`; or what else the numbers are, `sequence` for what is no tensor. */
  readonly type: string;
}

/** What a run gave. The data is the session's: copy what you keep. */
export interface RunOutput {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 4,
};

export class PlainSession {
  readonly inputs: readonly TensorPort[];
  readonly outputs: readonly TensorPort[];
  readonly #session: InferenceSession;
  readonly #feeds: Record<string, Tensor> = {};
  #fetches: string[] | Record<string, Tensor> = [];

  private constructor(session: InferenceSession) {
    this.#session = session;
    this.inputs = session.inputMetadata.map(portOf);
    this.outputs = session.outputMetadata.map(portOf);
  }

  /** Opens `file`, with the external data beside it where it has any. Rejects with what onnxruntime says. */
  static async open(file: string): Promise<PlainSession> {
    return new PlainSession(await InferenceSession.create(file, SESSION_OPTIONS));
  }

  /** `data` is what the input `name` gets at every run from now on, as it is then. */
  feed(name: string, data: Float32Array, shape: readonly number[]): void {
    this.#feeds[name] = new Tensor('float32', data, shape);
  }

  /** Chooses the output that runs give. */
  fetch(name: string): void {
    this.#fetches = [name];
  }

  /** One run; one at a time. From the second on the output's memory is reused. Rejects with what onnxruntime says. */
  async run(): Promise<RunOutput> {
    const results = await this.#session.run(this.#feeds, this.#fetches as string[]);
    const [name, tensor] = Object.entries(results)[0] ?? [];
    if (name === undefined || tensor === undefined || tensor.type !== 'float32') throw new Error('no float32 output');
    this.#fetches = { [name]: tensor as Tensor };
    return { shape: tensor.dims, data: tensor.data as Float32Array };
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}

/** Whether the policy network `model` wants noise at each decision. */
export function hasNoiseAlways(model: Uint8Array, actionSize: number): boolean {
  const head = headOf(model, actionSize);
  return typeof head !== 'string' && head.noise === 'always';
}

function portOf(metadata: InferenceSession.ValueMetadata): TensorPort {
  const { name } = metadata;
  return metadata.isTensor
    ? { name, shape: metadata.shape, type: metadata.type }
    : { name, shape: [], type: 'sequence' };
}
