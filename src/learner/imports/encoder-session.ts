/** An ONNX file of others, opened to turn images into features, a few at a time, in memory that is laid out once. */
import { allFinite, checkModel, explainRejection, type ImageShape, ReinError } from '../../core/index.ts';
import { Bindings, Session } from '../engine/index.ts';
import { type FeatureMap, featureMapOf, featurePortOf, type ImagePort, imagePortOf, showImage } from './image-port.ts';

export interface EncoderModel {
  /** Name of the file, for people. */
  readonly file: string;
  readonly bytes: Uint8Array;
  /** What comes in, channel first. */
  readonly image: ImageShape;
  /** The encoder sees (pixel − mean)/std, one number a channel. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
  /** Names in the file; undefined: the only ones. */
  readonly input: string | undefined;
  readonly output: string | undefined;
}

/** Where the runtime reads images and writes features. */
interface Memory {
  readonly rows: number;
  readonly input: Float32Array;
  readonly inputs: Bindings;
  readonly output: Float32Array;
  readonly outputs: Bindings;
  readonly map: FeatureMap;
}

export class EncoderSession {
  readonly #model: EncoderModel;
  readonly #port: ImagePort;
  readonly #session: Session;
  readonly #memory: Memory;

  private constructor(model: EncoderModel, port: ImagePort, session: Session, memory: Memory) {
    this.#model = model;
    this.#port = port;
    this.#session = session;
    this.#memory = memory;
  }

  /** Opens and tries `model`, for `rows` images a run or as many as the file says. Throws `ReinError` ('config'). */
  static async open(model: EncoderModel, rows: number): Promise<EncoderSession> {
    const info = checkModel(model.file, model.bytes);
    const port = imagePortOf(model.file, info, model.input, model.image);
    const output = featurePortOf(model.file, info, model.output);
    const session = await Session.create(model.bytes).catch((error: unknown) => {
      throw explainRejection(model.file, error, info);
    });
    try {
      return new EncoderSession(model, port, session, await tryOut(session, model, port, output, port.batch ?? rows));
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** Images of one run. */
  get rows(): number {
    return this.#memory.rows;
  }

  /** What each becomes, channel first. */
  get features(): ImageShape {
    return this.#memory.map.shape;
  }

  /** Copies the image at `offset` of `frames` in as image `row` of the next run. */
  write(row: number, frames: Float32Array, offset: number): void {
    const { image, mean, std } = this.#model;
    const { input } = this.#memory;
    const places = image.height * image.width;
    const [step, apart] = strides(this.#port.layout, image.channels, places);
    for (let channel = 0; channel < image.channels; channel++) {
      const [shift, scale] = [mean[channel]!, 1 / std[channel]!];
      const from = offset + channel * places;
      const to = row * image.channels * places + channel * apart;
      for (let i = 0; i < places; i++) input[to + i * step] = (frames[from + i]! - shift) * scale;
    }
  }

  /** Throws `ReinError` ('policy') where a feature is not finite. Blocks the thread although it returns a promise. */
  async run(): Promise<void> {
    const { inputs, outputs, output } = this.#memory;
    await this.#session.run([inputs], [outputs]);
    if (allFinite(output)) return;
    throw notFinite('policy', this.#model.file);
  }

  /** Copies the features of image `row` of the last run to `offset` of `out`, channel first. */
  read(row: number, out: Float32Array, offset: number): void {
    const { map, output } = this.#memory;
    const { channels, height, width } = map.shape;
    const places = height * width;
    const [step, apart] = strides(map.layout, channels, places);
    for (let channel = 0; channel < channels; channel++) {
      const from = row * channels * places + channel * apart;
      for (let i = 0; i < places; i++) out[offset + channel * places + i] = output[from + i * step]!;
    }
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/** From one place to the next and from one channel to the next. */
function strides(layout: ImagePort['layout'], channels: number, places: number): [number, number] {
  return layout === 'channels-first' ? [1, places] : [channels, 1];
}

function notFinite(kind: 'config' | 'policy', file: string): ReinError {
  return new ReinError(kind, `${file} gave a feature that is not a finite number.`, {
    remedy: 'Check that frames lie in [0, 1], and that mean and std are those that the encoder was trained with.',
  });
}

/** Runs the encoder once on grey images, to learn what it gives, and lays out the memory of all later runs. */
async function tryOut(
  session: Session,
  { file, image }: EncoderModel,
  port: ImagePort,
  outputName: string,
  rows: number,
): Promise<Memory> {
  const { channels, height, width } = image;
  const shape = port.layout === 'channels-first' ? [channels, height, width] : [height, width, channels];
  const input = new Float32Array(rows * channels * height * width).fill(0.5);
  const inputs = new Bindings();
  inputs.set(port.name, input, [rows, ...shape]);
  const results = await session.evaluate(inputs).catch((cause: unknown) => {
    const said = cause instanceof Error ? cause.message.split('\n')[0]! : String(cause);
    throw new ReinError('config', `${file} cannot take the task's ${showImage(image)} image: ${said.slice(0, 300)}`, {
      remedy: 'Export the encoder for this image, or give the task the image that the encoder was trained on.',
      cause,
    });
  });
  const { shape: given, data } = results[outputName]!;
  if (!allFinite(data as Float32Array)) throw notFinite('config', file);
  const map = featureMapOf(given, port.layout);
  if (map === undefined || given[0] !== rows) {
    throw new ReinError(
      'config',
      `${file} gives '${outputName}' as [${given.join(',')}] for ${rows} images, where [${rows}, features] or [${rows}, channels, height, width] is needed.`,
      { remedy: 'Name an output that gives features for each image.' },
    );
  }
  const output = new Float32Array(given.reduce((product, size) => product * size, 1));
  const outputs = new Bindings();
  outputs.set(outputName, output, given);
  return { rows, input, inputs, output, outputs, map };
}
