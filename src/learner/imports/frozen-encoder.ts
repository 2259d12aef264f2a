/**
 * An image encoder made by others, from any ONNX file, whose weights stay as they are. Features are computed once for each
 * stored frame, of the frame and of shifted copies of it: the random crops of training, which replay then draws from.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ImageShape, ReinError, type Rng } from '../../core/index.ts';
import { shiftFrame } from '../replay/index.ts';
import { EncoderSession } from './encoder-session.ts';
import { showImage } from './image-port.ts';

export interface FrozenEncoderOptions {
  /** Path of the ONNX file. */
  readonly file: string;
  /** What comes in: frames in [0, 1], channel first. */
  readonly image: ImageShape;
  /**
   * The encoder sees (pixel − mean)/std, one number a channel; absent: the pixel. Encoders trained on ImageNet mostly take
   * 0.485, 0.456, 0.406 and 0.229, 0.224, 0.225.
   */
  readonly mean?: readonly number[];
  readonly std?: readonly number[];
  /** Names in the file; absent: the only ones. */
  readonly input?: string;
  readonly output?: string;
  /** V ≥ 1: rows of features a frame gets, its own and those of V − 1 shifted copies; absent: 1. */
  readonly variants?: number;
  /** Shifted copies move by up to so many pixels in both directions; absent: 4, DrQ's. */
  readonly padding?: number;
  /** The features that replay or a checkpoint was laid out for, to be checked. */
  readonly features?: ImageShape;
}

export class FrozenEncoder {
  /** What a frame becomes, channel first: 512x4x4 of a ResNet, Nx1x1 of an encoder that gives a vector. */
  readonly features: ImageShape;
  /** F: numbers of one row of features. */
  readonly featureSize: number;
  /** V: rows that a frame gets. */
  readonly variants: number;
  /** SHA-256 of the file, hexadecimal: features of one file do not mix with those of another. */
  readonly digest: string;
  readonly #session: EncoderSession;
  readonly #image: ImageShape;
  readonly #padding: number;
  readonly #shifted: Float32Array;

  private constructor(session: EncoderSession, digest: string, { image, padding, variants }: FrozenEncoderOptions) {
    this.#session = session;
    this.#image = image;
    this.#padding = padding ?? 4;
    this.#shifted = new Float32Array(sizeOf(image));
    this.features = session.features;
    this.featureSize = sizeOf(session.features);
    this.variants = variants ?? 1;
    this.digest = digest;
  }

  /** Opens and tries the file. Throws `ReinError` ('config') where it is missing, cannot be run, or does not fit the image. */
  static async open(options: FrozenEncoderOptions): Promise<FrozenEncoder> {
    const { image, input, output, variants = 1 } = options;
    const file = basename(options.file);
    const bytes = await readFile(options.file).catch((cause: unknown) => {
      throw new ReinError('config', `The encoder ${options.file} cannot be read.`, {
        remedy: 'Check the path of the encoder.',
        cause,
      });
    });
    const mean = perChannel(options, 'mean', 0);
    const std = perChannel(options, 'std', 1);
    const session = await EncoderSession.open({ file, bytes, image, mean, std, input, output }, variants);
    const { features } = session;
    if (options.features !== undefined && showImage(options.features) !== showImage(features)) {
      await session.close();
      throw new ReinError(
        'config',
        `${file} gives ${showImage(features)} features for the task's ${showImage(image)} image, where ${showImage(options.features)} are stored.`,
        { remedy: 'Take the encoder that the stored features were made with, or begin with an empty replay.' },
      );
    }
    return new FrozenEncoder(session, createHash('sha256').update(bytes).digest('hex'), options);
  }

  /**
   * Features of the frame at `offset` of `frames`, into `out` [V, F]: first those of the frame itself. `rng` draws the shifts
   * of the others. One call at a time. Throws `ReinError` ('policy') where a feature is not finite: `out` is then of no use.
   */
  async encode(frames: Float32Array, offset: number, out: Float32Array, rng: Rng): Promise<void> {
    const { rows } = this.#session;
    for (let first = 0; first < this.variants; first += rows) {
      const count = Math.min(rows, this.variants - first);
      for (let row = 0; row < count; row++) {
        if (first + row === 0) this.#session.write(row, frames, offset);
        else this.#session.write(row, this.#shift(frames, offset, rng), 0);
      }
      await this.#session.run();
      for (let row = 0; row < count; row++) this.#session.read(row, out, (first + row) * this.featureSize);
    }
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  #shift(frames: Float32Array, offset: number, rng: Rng): Float32Array {
    const places = 2 * this.#padding + 1;
    this.#shifted.set(frames.subarray(offset, offset + this.#shifted.length));
    const right = rng.int(places) - this.#padding;
    shiftFrame(this.#shifted, 0, this.#image, right, rng.int(places) - this.#padding);
    return this.#shifted;
  }
}

function sizeOf({ channels, height, width }: ImageShape): number {
  return channels * height * width;
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
