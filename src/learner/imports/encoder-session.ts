/** Session of a third-party ONNX encoder that maps one image at a time to features, in preallocated memory. */
import { allFinite, type ImageShape, imageSize, ReinError, Rng } from '../../model/index.ts';
import {
  checkModel,
  ENCODER_PLACE,
  explainRejection,
  firstLineOf,
  inlineModel,
  type ModelInfo,
} from '../../onnx/index.ts';
import { Graph, sizeOf, type Tensor } from '../engine/graph.ts';
import { Bindings, Session } from '../engine/session.ts';
import { type FeatureMap, featureMapOf, featurePortOf, type ImagePort, imagePortOf, showImage } from '../image-port.ts';
import { mul, sub } from '../ops/elements.ts';
import { permute, reshape } from '../ops/shape.ts';

/** Encoder model with its input and output specification. */
export interface EncoderModel {
  /** File name, for display. */
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Input image, channel-first. */
  readonly image: ImageShape;
  /** The encoder's input is (pixel − mean)/std, one number per channel. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
  /** Names in the file; undefined: the only input and output. */
  readonly input: string | undefined;
  readonly output: string | undefined;
}

/** Buffers from which the runtime reads images and into which it writes features. */
interface Memory {
  readonly input: Float32Array;
  readonly inputs: Bindings;
  readonly output: Float32Array;
  readonly outputs: Bindings;
  /** Shape and name of the output. */
  readonly shape: readonly number[];
  readonly name: string;
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

  /** Opens and tries `model`. Throws `ReinError` ('config'). */
  static async open(model: EncoderModel): Promise<EncoderSession> {
    const info = checkModel(model.file, model.bytes);
    const port = imagePortOf(model.file, info, model.input, model.image);
    const output = featurePortOf(model.file, info, model.output);
    const session = await Session.create(model.bytes).catch((error: unknown) => {
      throw explainRejection(model.file, error, info);
    });
    try {
      const opened = new EncoderSession(model, port, session, await tryOut(session, model, port, output));
      await opened.#tryAgain();
      await opened.#tryInside(info);
      return opened;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** Checks that a second image, noise with bright and dark places, gives features of the same shape. */
  async #tryAgain(): Promise<void> {
    const rng = new Rng(1);
    const noise = Float32Array.from({ length: imageSize(this.#model.image) }, () => rng.uniformIn(0.05, 0.95));
    this.write(noise, 0);
    await this.#runFreely('config');
  }

  /** Checks that the encoder can be inlined into a policy's file: this must be known before a policy is trained. */
  async #tryInside(info: ModelInfo): Promise<void> {
    const { file, image } = this.#model;
    const g = new Graph('trial');
    g.output('features', this.emit(g.input('image', [1, image.channels, image.height, image.width])));
    const whole = await Session.create(this.inline(g.serialize())).catch((error: unknown) => {
      throw explainRejection(file, error, info);
    });
    await whole.close();
  }

  /** Feature map of an image, channel-first. */
  get features(): ImageShape {
    return this.#memory.map.shape;
  }

  /** Copies the image at `offset` of `frames` into the input of the next run. */
  write(frames: Float32Array, offset: number): void {
    const { image, mean, std } = this.#model;
    const { input } = this.#memory;
    const places = image.height * image.width;
    const [step, apart] = strides(this.#port.layout, image.channels, places);
    for (let channel = 0; channel < image.channels; channel++) {
      const [shift, scale] = [mean[channel]!, 1 / std[channel]!];
      const from = offset + channel * places;
      const to = channel * apart;
      for (let i = 0; i < places; i++) input[to + i * step] = (frames[from + i]! - shift) * scale;
    }
  }

  /**
   * Runs the encoder. Rejects with `ReinError` ('policy') if a feature is not finite, or the number of features has changed. Blocks
   * the thread although it returns a promise.
   */
  async run(): Promise<void> {
    const { inputs, outputs, output } = this.#memory;
    try {
      await this.#session.run([inputs], [outputs]);
    } catch (cause) {
      // The actual output is known only if the runtime may allocate it.
      await this.#runFreely('policy');
      throw this.#unequal('policy', cause);
    }
    if (!allFinite(output)) throw notFinite('policy', this.#model.file);
  }

  /** Same, with the output allocated by the runtime. */
  async #runFreely(kind: 'config' | 'policy'): Promise<void> {
    const { inputs, name, shape } = this.#memory;
    const { file } = this.#model;
    const results = await this.#session.evaluate(inputs).catch((cause: unknown) => {
      throw this.#unequal(kind, cause);
    });
    const { shape: given, data } = results[name]!;
    if (given.join() !== shape.join()) {
      const message = `${file} gave '${name}' as [${given.join(',')}] for one image and as [${shape.join(',')}] for another, where all must become equally many features.`;
      throw new ReinError(kind, message, {
        remedy: 'Export the encoder so that the shape of its output does not depend on what is in the image.',
      });
    }
    if (!allFinite(data as Float32Array)) throw notFinite(kind, file);
  }

  #unequal(kind: 'config' | 'policy', cause: unknown): ReinError {
    return new ReinError(
      kind,
      `${this.#model.file} cannot take an image as it took another: ${firstLineOf(cause).slice(0, 300)}`,
      {
        remedy: 'Export the encoder again, so that it takes every image in the same way.',
        cause,
      },
    );
  }

  /** Copies the features of the last run to `offset` of `out`, channel-first. */
  read(out: Float32Array, offset: number): void {
    const { map, output } = this.#memory;
    const { channels, height, width } = map.shape;
    const places = height * width;
    const [step, apart] = strides(map.layout, channels, places);
    for (let channel = 0; channel < channels; channel++) {
      const from = channel * apart;
      for (let i = 0; i < places; i++) out[offset + channel * places + i] = output[from + i * step]!;
    }
  }

  /** Adds the features [1, F] of `image` [1, channels, height, width] to a graph, which is complete only after `inline`. */
  emit(image: Tensor): Tensor {
    const { mean, std } = this.#model;
    const { shape, map } = this.#memory;
    const { graph } = image;
    const channel = (values: readonly number[]) => graph.constant(values, [1, values.length, 1, 1]);
    const isPlain = mean.every((value) => value === 0) && std.every((value) => value === 1);
    const scaled = isPlain ? image : mul(sub(image, channel(mean)), channel(std.map((value) => 1 / value)));
    const laid = this.#port.layout === 'channels-first' ? scaled : permute(scaled, [0, 2, 3, 1]);
    const given = graph.emit(ENCODER_PLACE, [laid], shape);
    const isLast = map.layout === 'channels-last' && shape.length > 2;
    const first = isLast ? permute(given, shape.length === 3 ? [0, 2, 1] : [0, 3, 1, 2]) : given;
    return reshape(first, [1, given.size]);
  }

  /** Inlines the encoder into `graph`, in which `emit` was used once. Throws `ReinError` ('config') if the encoder's file is too old. */
  inline(graph: Uint8Array): Uint8Array {
    const { file, bytes } = this.#model;
    return inlineModel(graph, ENCODER_PLACE, { file, bytes, input: this.#port.name, output: this.#memory.name });
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/** Distance from one pixel to the next, and from one channel to the next. */
function strides(layout: ImagePort['layout'], channels: number, places: number): [number, number] {
  return layout === 'channels-first' ? [1, places] : [channels, 1];
}

function notFinite(kind: 'config' | 'policy', file: string): ReinError {
  return new ReinError(kind, `${file} gave a feature that is not a finite number.`, {
    remedy: 'Check that frames lie in [0, 1], and that mean and std are those that the encoder was trained with.',
  });
}

/** Runs the encoder once on a grey image to determine its output, and allocates the buffers of all later runs. */
async function tryOut(
  session: Session,
  { file, image }: EncoderModel,
  port: ImagePort,
  outputName: string,
): Promise<Memory> {
  const { channels, height, width } = image;
  const shape = port.layout === 'channels-first' ? [channels, height, width] : [height, width, channels];
  const input = new Float32Array(imageSize(image)).fill(0.5);
  const inputs = new Bindings();
  inputs.set(port.name, input, [1, ...shape]);
  const results = await session.evaluate(inputs).catch((cause: unknown) => {
    throw new ReinError(
      'config',
      `${file} cannot take the task's ${showImage(image)} image: ${firstLineOf(cause).slice(0, 300)}`,
      {
        remedy: 'Export the encoder for this image, or give the task the image that the encoder was trained on.',
        cause,
      },
    );
  });
  const { shape: given, data } = results[outputName]!;
  if (!allFinite(data as Float32Array)) throw notFinite('config', file);
  const map = featureMapOf(given, port.layout);
  if (map === undefined || given[0] !== 1) {
    throw new ReinError(
      'config',
      `${file} gives '${outputName}' as [${given.join(',')}] for one image, where [1, features] or [1, channels, height, width] is needed.`,
      { remedy: 'Name an output that gives features for each image.' },
    );
  }
  const output = new Float32Array(sizeOf(given));
  const outputs = new Bindings();
  outputs.set(outputName, output, given);
  return { input, inputs, output, outputs, shape: given, name: outputName, map };
}
