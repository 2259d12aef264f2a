/** Stores the observations of a ring's rows: numbers unchanged, and the frame in several variants, as float32 or bytes. */
import { imageSize, type ObservationParts } from '../../model/index.ts';

/** Size from which a typed array's `set` is faster than a loop in spite of the view that it needs. */
const WIDE = 48;
/** Value of each stored byte. */
const BYTE_VALUES: Float32Array = Float32Array.from({ length: 256 }, (_, i) => i / 255);

/** Storage of the separate part of the observation: an image, or features of a frozen encoder. */
export interface FrameStorage {
  /** Index of its first number in the observation. */
  readonly offset: number;
  /** Number of values. */
  readonly size: number;
  /** `uint8` stores numbers in [0, 1] with a resolution of 1/255 in one byte each. */
  readonly storage: 'float32' | 'uint8';
  /** V ≥ 1: variants stored of each observation, such as features of several crops; a batch uses one of them. */
  readonly variants: number;
}

/** Storage of the image of observations of `parts`; `undefined` if there is no image. */
export function imageStorage(
  { stateSize, image }: ObservationParts,
  storage: FrameStorage['storage'],
  variants: number = 1,
): FrameStorage | undefined {
  if (image === undefined) return undefined;
  return { offset: stateSize, size: imageSize(image), storage, variants };
}

/** One observation per row. Rows are slots, [0, rows). */
export class ObservationStore {
  readonly #size: number;
  readonly #frame: FrameStorage | undefined;
  /** Everything except the frame, row by row. */
  #numbers: Float32Array = new Float32Array(0);
  /** [rows, V, size] */
  #frames: Float32Array | Uint8Array;

  /** `size`: O, frame included. Throws `RangeError` if the frame does not lie in it. */
  constructor(size: number, frame: FrameStorage | undefined) {
    if (frame !== undefined) checkFrame(size, frame);
    this.#size = size;
    this.#frame = frame;
    this.#frames = frame?.storage === 'uint8' ? new Uint8Array(0) : new Float32Array(0);
  }

  /** Bytes of one row. */
  get rowBytes(): number {
    return 4 * this.#numbersSize + this.#framesSize * this.#frames.BYTES_PER_ELEMENT;
  }

  /** Allocates `rows` rows, keeping existing ones. */
  grow(rows: number): void {
    const numbers = new Float32Array(rows * this.#numbersSize);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
    const frames =
      this.#frame?.storage === 'uint8'
        ? new Uint8Array(rows * this.#framesSize)
        : new Float32Array(rows * this.#framesSize);
    frames.set(this.#frames);
    this.#frames = frames;
  }

  /** Stores `observation` [O] in `row`; `variants` [V, size] replace its frame, which otherwise becomes every variant. */
  put(row: number, observation: Float32Array, variants: Float32Array | undefined): void {
    const frame = this.#frame;
    if (frame === undefined) {
      this.#numbers.set(observation, row * this.#size);
      return;
    }
    const { offset, size } = frame;
    const at = row * this.#numbersSize;
    this.#numbers.set(observation.subarray(0, offset), at);
    this.#numbers.set(observation.subarray(offset + size), at + offset);
    for (let v = 0; v < frame.variants; v++) {
      const [from, begin] = variants === undefined ? [observation, offset] : [variants, v * size];
      this.#putFrame((row * frame.variants + v) * size, from, begin, size);
    }
  }

  /** Writes the observation of `row` with variant `variant` of its frame to `out` at `to`. Allocates at most a view. */
  copy(row: number, variant: number, out: Float32Array, to: number): void {
    const frame = this.#frame;
    if (frame === undefined) {
      copyNumbers(this.#numbers, row * this.#size, out, to, this.#size);
      return;
    }
    const { offset, size } = frame;
    const at = row * this.#numbersSize;
    copyNumbers(this.#numbers, at, out, to, offset);
    copyNumbers(this.#numbers, at + offset, out, to + offset + size, this.#numbersSize - offset);
    const from = (row * frame.variants + variant) * size;
    const frames = this.#frames;
    if (frames instanceof Float32Array) copyNumbers(frames, from, out, to + offset, size);
    else copyBytes(frames, from, out, to + offset, size);
  }

  get #numbersSize(): number {
    return this.#size - (this.#frame?.size ?? 0);
  }

  get #framesSize(): number {
    return this.#frame === undefined ? 0 : this.#frame.variants * this.#frame.size;
  }

  #putFrame(to: number, from: Float32Array, begin: number, size: number): void {
    const frames = this.#frames;
    if (frames instanceof Float32Array) frames.set(from.subarray(begin, begin + size), to);
    else for (let i = 0; i < size; i++) frames[to + i] = Math.round(255 * from[begin + i]!);
  }
}

function checkFrame(observationSize: number, { offset, size, variants }: FrameStorage): void {
  const fits = Number.isInteger(offset) && offset >= 0 && size >= 1 && offset + size <= observationSize;
  if (!fits || !Number.isInteger(variants) || variants < 1) {
    throw new RangeError(
      `a frame of ${variants} × ${size} numbers from ${offset} on does not lie in an observation of ${observationSize}`,
    );
  }
}

function copyNumbers(from: Float32Array, at: number, out: Float32Array, to: number, count: number): void {
  if (count >= WIDE) out.set(from.subarray(at, at + count), to);
  else for (let i = 0; i < count; i++) out[to + i] = from[at + i]!;
}

function copyBytes(from: Uint8Array, at: number, out: Float32Array, to: number, count: number): void {
  for (let i = 0; i < count; i++) out[to + i] = BYTE_VALUES[from[at + i]!]!;
}
