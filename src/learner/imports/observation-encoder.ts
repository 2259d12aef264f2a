/** Observations whose image is replaced by what a frozen encoder makes of it: what replay, learner and policy then work with. */
import { crc32c, type ObservationParts, policyObservationSize, Rng, type Transition } from '../../core/index.ts';
import type { Tensor } from '../engine/graph.ts';
import { imageOf } from '../image-port.ts';
import { concat, reshape, slice } from '../ops/shape.ts';
import type { EncoderSettings } from '../options/encoder.ts';
import { type FrameStorage, imageStorage } from '../replay/observation-store.ts';
import type { RowFrames } from '../replay/ring.ts';
import { FrozenEncoder } from './frozen-encoder.ts';

/** Frames whose features are remembered: the observation after a step is the one before the next, robots take turns. */
const REMEMBERED = 16;

/** A frame and its features [V, F]: those of shifted copies where somebody has asked for them. */
interface Seen {
  readonly frame: Float32Array;
  readonly variants: Float32Array;
  hasShifted: boolean;
}

/** What a transition becomes, and the variants of its frames for replay. */
export interface SeenTransition {
  readonly transition: Transition;
  readonly frames: RowFrames;
}

export class ObservationEncoder {
  /** The observation that leaves: that of the task with the features in place of the image. */
  readonly parts: ObservationParts;
  /** How replay keeps the features: V variants a row. */
  readonly frame: FrameStorage;
  readonly #encoder: FrozenEncoder;
  /** The observation that comes in: the task's. */
  readonly #raw: ObservationParts;
  readonly #frameSize: number;
  /** By the frame's checksum, the one used last at the end. */
  readonly #seen = new Map<number, Seen>();
  #turn: Promise<unknown> = Promise.resolve();

  /** `parts`: the task's, with the image that `encoder` was opened for. The encoder is closed with this. */
  constructor(encoder: FrozenEncoder, parts: ObservationParts) {
    this.#encoder = encoder;
    this.#raw = parts;
    this.parts = { ...parts, image: encoder.features };
    this.frame = imageStorage(this.parts, 'float32', encoder.variants)!;
    this.#frameSize = imageStorage(parts, 'float32')!.size;
  }

  /** SHA-256 of the encoder's file, hexadecimal. */
  get digest(): string {
    return this.#encoder.digest;
  }

  /**
   * What the learner sees of the task's observation `raw`, whole or without what only critics see: a new array with the features
   * of the frame itself. Rejects as `FrozenEncoder.encode` does. Calls are served in the order in which they were made.
   */
  see(raw: Float32Array): Promise<Float32Array> {
    return this.#inTurn(async () => this.#observation(raw, await this.#look(raw)));
  }

  /**
   * What the learner sees of `transition`, in new arrays. Shifts are drawn from a generator that is keyed by the frame: they are
   * the same whoever encodes it and in whatever order, so that a replay that is filled again is the same one.
   */
  take(transition: Transition): Promise<SeenTransition> {
    return this.#inTurn(async () => {
      const [before, after] = [transition.observation, transition.nextObservation];
      const [observation, nextObservation] = [await this.#lookAround(before), await this.#lookAround(after)];
      return {
        transition: {
          ...transition,
          observation: this.#observation(before, observation),
          nextObservation: this.#observation(after, nextObservation),
        },
        frames: { observation: observation.variants, nextObservation: nextObservation.variants },
      };
    });
  }

  /** Numbers of the task's observation that a policy sees. */
  get policySize(): number {
    return policyObservationSize(this.#raw);
  }

  /** In a graph: what the learner's policy sees of the task's `raw` [1, `policySize`]. `inline` then makes a whole model of it. */
  emit(raw: Tensor): Tensor {
    const { channels, height, width } = this.#raw.image!;
    const { offset } = this.frame;
    const end = offset + this.#frameSize;
    const image = reshape(slice(raw, 1, offset, end), [1, channels, height, width]);
    const before = offset > 0 ? [slice(raw, 1, 0, offset)] : [];
    const behind = end < this.policySize ? [slice(raw, 1, end, this.policySize)] : [];
    return concat([...before, this.#encoder.emit(image), ...behind], 1);
  }

  /** The model of a graph that `emit` was used in once. Throws `ReinError` ('config') where the encoder's file is too old for it. */
  inline(graph: Uint8Array): Uint8Array {
    return this.#encoder.inline(graph);
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#encoder.close());
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Features of the frame in `raw`, remembered or made. */
  async #look(raw: Float32Array): Promise<Seen> {
    const frame = raw.subarray(this.frame.offset, this.frame.offset + this.#frameSize);
    if (frame.length !== this.#frameSize) {
      throw new RangeError(`a frame has ${this.#frameSize} numbers, the observation of ${raw.length} ends before`);
    }
    const key = keyOf(frame);
    const known = this.#seen.get(key);
    const isKnown = known?.frame.every((pixel, i) => pixel === frame[i]) === true;
    const seen = isKnown ? known : await this.#encode(frame);
    this.#seen.delete(key);
    this.#seen.set(key, seen);
    if (this.#seen.size > REMEMBERED) this.#seen.delete(this.#seen.keys().next().value!);
    return seen;
  }

  /** The same with those of shifted copies. */
  async #lookAround(raw: Float32Array): Promise<Seen> {
    const seen = await this.#look(raw);
    if (seen.hasShifted) return seen;
    await this.#encoder.encodeShifted(seen.frame, 0, seen.variants, new Rng(keyOf(seen.frame)));
    seen.hasShifted = true;
    return seen;
  }

  async #encode(frame: Float32Array): Promise<Seen> {
    const seen = { frame: frame.slice(), variants: new Float32Array(this.frame.variants * this.frame.size) };
    await this.#encoder.encode(seen.frame, 0, seen.variants);
    return { ...seen, hasShifted: false };
  }

  #observation(raw: Float32Array, { variants }: Seen): Float32Array {
    const { offset, size } = this.frame;
    const behind = raw.subarray(offset + this.#frameSize);
    const out = new Float32Array(offset + size + behind.length);
    out.set(raw.subarray(0, offset));
    out.set(variants.subarray(0, size), offset);
    out.set(behind, offset + size);
    return out;
  }
}

/**
 * Opens the frozen encoder that `settings` name for observations of `parts`; `undefined` where they name none. Throws `ReinError`
 * ('config') where there is no image, or the file is missing, cannot be run or does not fit.
 */
export async function openObservationEncoder(
  { frozen }: EncoderSettings,
  parts: ObservationParts,
): Promise<ObservationEncoder | undefined> {
  if (frozen === undefined) return undefined;
  return new ObservationEncoder(await FrozenEncoder.open({ ...frozen, image: imageOf(frozen, parts) }), parts);
}

function keyOf(frame: Float32Array): number {
  return crc32c(new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength));
}
