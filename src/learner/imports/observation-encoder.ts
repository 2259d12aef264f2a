/** Replaces the image of observations by the features of a frozen encoder: the input of replay, learner and policy. */
import { type ObservationParts, policyObservationSize, Rng } from '../../model/index.ts';
import { crc32c, type Transition } from '../../rows/index.ts';
import type { Tensor } from '../engine/graph.ts';
import { imageOf } from '../image-port.ts';
import { concat, reshape, slice } from '../ops/shape.ts';
import type { EncoderSettings } from '../options/encoder.ts';
import { type FrameStorage, imageStorage } from '../replay/observation-store.ts';
import type { RowFrames } from '../replay/ring.ts';
import { FrozenEncoder } from './frozen-encoder.ts';

/** Cached frames: the observation after a step is the one before the next, and robots' transitions are interleaved. */
const REMEMBERED = 16;

/** A frame and its features [V, F]; those of shifted copies only if requested. */
interface Seen {
  readonly frame: Float32Array;
  readonly variants: Float32Array;
  hasShifted: boolean;
}

/** An encoded transition, and the variants of its frames for replay. */
export interface SeenTransition {
  readonly transition: Transition;
  readonly frames: RowFrames;
}

export class ObservationEncoder {
  /** Encoded observation: the task's, with the features in place of the image. */
  readonly parts: ObservationParts;
  /** Storage of the features in replay: V variants per row. */
  readonly frame: FrameStorage;
  readonly #encoder: FrozenEncoder;
  /** Incoming observation: the task's. */
  readonly #raw: ObservationParts;
  readonly #frameSize: number;
  /** Keyed by the frame's checksum, the most recently used last. */
  readonly #seen = new Map<number, Seen>();
  #turn: Promise<unknown> = Promise.resolve();

  /** `parts`: the task's, with the image that `encoder` was opened for. Takes ownership of the encoder. */
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
   * Encodes the task's observation `raw`, with or without its privileged part: returns a new array with the features of the frame
   * itself. Rejects as `FrozenEncoder.encode` does. Calls are served in order.
   */
  see(raw: Float32Array): Promise<Float32Array> {
    return this.#inTurn(async () => this.#observation(raw, await this.#look(raw)));
  }

  /**
   * Encodes `transition` into new arrays. Shifts are drawn from a generator seeded by the frame: they are identical whichever
   * process encodes the frame and in whatever order, so that a refilled replay is the same.
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

  /** Size of the task's observation without its privileged part. */
  get policySize(): number {
    return policyObservationSize(this.#raw);
  }

  /** Adds the encoding of the task's `raw` [1, `policySize`] for the policy to a graph; `inline` then completes the model. */
  emit(raw: Tensor): Tensor {
    const { channels, height, width } = this.#raw.image!;
    const { offset } = this.frame;
    const end = offset + this.#frameSize;
    const image = reshape(slice(raw, 1, offset, end), [1, channels, height, width]);
    const before = offset > 0 ? [slice(raw, 1, 0, offset)] : [];
    const behind = end < this.policySize ? [slice(raw, 1, end, this.policySize)] : [];
    return concat([...before, this.#encoder.emit(image), ...behind], 1);
  }

  /** Completes the model of a graph in which `emit` was used once. Throws `ReinError` ('config') if the encoder's file is too old. */
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

  /** Features of the frame in `raw`, cached or computed. */
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

  /** Same, with those of shifted copies. */
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
 * Opens the frozen encoder of `settings` for observations of `parts`; `undefined` if there is none. Throws `ReinError`
 * ('config') if there is no image, or the file is missing, cannot be run or does not fit.
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
