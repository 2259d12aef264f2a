/**
 * A third-party image encoder with fixed weights, from any ONNX file. Features are computed once for each stored frame, of the
 * frame itself and of shifted copies: the random crops of training, from which replay then draws.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ImageShape, imageSize, ReinError, type Rng, sha256Hex } from '../../model/index.ts';
import type { Tensor } from '../engine/graph.ts';
import type { FrozenEncoderSettings } from '../options/encoder.ts';
import { shiftFrame } from '../replay/crops.ts';
import { EncoderSession } from './encoder-session.ts';

/** Encoder settings, and its input: frames in [0, 1], channel-first. */
export interface FrozenEncoderOptions extends FrozenEncoderSettings {
  readonly image: ImageShape;
}

export class FrozenEncoder {
  /** Feature map of a frame, channel-first: 512x4x4 of a ResNet, Nx1x1 of an encoder that gives a vector. */
  readonly features: ImageShape;
  /** F: size of one row of features. */
  readonly featureSize: number;
  /** V: number of rows per frame. */
  readonly variants: number;
  /** SHA-256 of the file, hexadecimal: features of different files must not be mixed. */
  readonly digest: string;
  readonly #session: EncoderSession;
  readonly #image: ImageShape;
  readonly #padding: number;
  readonly #shifted: Float32Array;

  private constructor(session: EncoderSession, digest: string, { image, padding, variants }: FrozenEncoderOptions) {
    this.#session = session;
    this.#image = image;
    this.#padding = padding;
    this.#shifted = new Float32Array(imageSize(image));
    this.features = session.features;
    this.featureSize = imageSize(session.features);
    this.variants = variants;
    this.digest = digest;
  }

  /** Opens and tries the file. Throws `ReinError` ('config') if it is missing, cannot be run, or does not fit the image. */
  static async open(options: FrozenEncoderOptions): Promise<FrozenEncoder> {
    const { image, input, output } = options;
    const file = basename(options.file);
    const bytes = await readFile(options.file).catch((cause: unknown) => {
      throw new ReinError('config', `The encoder ${options.file} cannot be read.`, {
        remedy: 'Check the path of the encoder.',
        cause,
      });
    });
    const mean = perChannel(options, 'mean', 0);
    const std = perChannel(options, 'std', 1);
    const session = await EncoderSession.open({ file, bytes, image, mean, std, input, output });
    return new FrozenEncoder(session, sha256Hex(bytes), options);
  }

  /**
   * Writes the features of the frame at `offset` of `frames` into row 0 of `out` [≥ 1, F]. Calls must not overlap. Throws
   * `ReinError` ('policy') if one is not finite: `out` is then invalid.
   */
  async encode(frames: Float32Array, offset: number, out: Float32Array): Promise<void> {
    await this.#run(frames, offset, out, 0);
  }

  /** Fills the other rows of `out` [V, F]: features of shifted copies of the frame, drawn from `rng`. Otherwise like `encode`. */
  async encodeShifted(frames: Float32Array, offset: number, out: Float32Array, rng: Rng): Promise<void> {
    for (let row = 1; row < this.variants; row++) await this.#run(this.#shift(frames, offset, rng), 0, out, row);
  }

  /** Adds the features [1, F] of `image` [1, channels, height, width] to a graph; `inline` then completes the model. */
  emit(image: Tensor): Tensor {
    return this.#session.emit(image);
  }

  /** Completes the model of a graph in which `emit` was used once. Throws `ReinError` ('config') if the encoder's file is too old. */
  inline(graph: Uint8Array): Uint8Array {
    return this.#session.inline(graph);
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #run(frames: Float32Array, offset: number, out: Float32Array, row: number): Promise<void> {
    this.#session.write(frames, offset);
    await this.#session.run();
    this.#session.read(out, row * this.featureSize);
  }

  #shift(frames: Float32Array, offset: number, rng: Rng): Float32Array {
    const places = 2 * this.#padding + 1;
    this.#shifted.set(frames.subarray(offset, offset + this.#shifted.length));
    const right = rng.int(places) - this.#padding;
    shiftFrame(this.#shifted, 0, this.#image, right, rng.int(places) - this.#padding);
    return this.#shifted;
  }
}

function perChannel(
  { image, ...options }: FrozenEncoderOptions,
  name: 'mean' | 'std',
  usual: number,
): readonly number[] {
  const given = options[name] ?? new Array<number>(image.channels).fill(usual);
  const isWell = given.every((value) => Number.isFinite(value) && (name === 'mean' || value > 0));
  if (isWell && given.length === image.channels) return given;
  throw new ReinError(
    'config',
    `The encoder's ${name} is [${given.join(', ')}], where the image's ${image.channels} channels need a number each${name === 'std' ? ' above 0' : ''}.`,
    { remedy: `Give ${name} one number for each channel of the image, in the units of pixels in [0, 1].` },
  );
}
