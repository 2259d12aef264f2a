/** Observations whose image is replaced by what a frozen encoder makes of it: what replay, learner and policy then work with. */
import { type ObservationParts, ReinError, type Rng, totalObservationSize } from '../../core/index.ts';
import type { FrameStorage } from '../replay/index.ts';
import type { FrozenEncoder } from './frozen-encoder.ts';

export class ObservationEncoder {
  /** The observation that leaves: that of the task with the features in place of the image. */
  readonly parts: ObservationParts;
  /** How replay keeps the features: V variants a row. */
  readonly frame: FrameStorage;
  readonly #encoder: FrozenEncoder;
  readonly #rawSize: number;
  readonly #size: number;

  /** `parts`: the task's, with the image that `encoder` was opened for. The encoder stays the caller's. */
  constructor(encoder: FrozenEncoder, parts: ObservationParts) {
    if (parts.image === undefined) {
      throw new ReinError(
        'config',
        "The learner's configuration names a frozen encoder, where the task has no image.",
        {
          remedy: 'Leave the encoder out, or give the task an image.',
        },
      );
    }
    this.#encoder = encoder;
    this.parts = { ...parts, image: encoder.features };
    this.frame = {
      offset: parts.stateSize,
      size: encoder.featureSize,
      storage: 'float32',
      variants: encoder.variants,
    };
    this.#rawSize = totalObservationSize(parts);
    this.#size = totalObservationSize(this.parts);
  }

  /** V·F: numbers of all variants of one observation. */
  get variantsSize(): number {
    return this.frame.variants * this.frame.size;
  }

  /**
   * From the task's observation `raw` to `out`, which has the features of the frame itself, and to `variants` [V, F], its own
   * and those of shifted copies that `rng` draws. One call at a time. Throws as `FrozenEncoder.encode` does.
   */
  async encode(raw: Float32Array, out: Float32Array, variants: Float32Array, rng: Rng): Promise<void> {
    const { offset, size } = this.frame;
    if (raw.length !== this.#rawSize || out.length !== this.#size || variants.length !== this.variantsSize) {
      throw new RangeError(
        `observations of ${this.#rawSize} numbers become ${this.#size} and variants of ${this.variantsSize}; got ${raw.length}, ${out.length} and ${variants.length}`,
      );
    }
    await this.#encoder.encode(raw, offset, variants, rng);
    const behind = this.#size - offset - size;
    out.set(raw.subarray(0, offset));
    out.set(variants.subarray(0, size), offset);
    out.set(raw.subarray(raw.length - behind), offset + size);
  }
}
