/** Observations of a ring's rows: numbers as they are, and the frame among them in as many variants and bits as asked for. */
import { imageSize, type ObservationParts } from '../../core/index.ts';

/** From this many numbers on, a typed array's `set` beats a loop in spite of the view that it needs. */
const WIDE = 48;
/** What a stored byte stands for. */
const BYTE_VALUES: Float32Array = Float32Array.from({ length: 256 }, (_, i) => i / 255);

/** The part of the observation that is kept apart: an image, or what a frozen encoder made of it. */
export interface FrameStorage {
  /** Where it begins in the observation. */
  readonly offset: number;
  /** Its numbers. */
  readonly size: number;
  /** `uint8` keeps numbers in [0, 1] to 1/255 in a byte each. */
  readonly storage: 'float32' | 'uint8';
  /** V ≥ 1: how many are kept of each observation, such as features of several crops; a batch takes one of them. */
  readonly variants: number;
}

/** The image of observations of `parts`, kept as asked for; `undefined` where they have none. */
export function imageStorage(
  { stateSize, image }: ObservationParts,
  storage: FrameStorage['storage'],
  variants: number = 1,
): FrameStorage | undefined {
  if (image === undefined) return undefined;
  return { offset: stateSize, size: imageSize(image), storage, variants };
}

/** One observation of each row. Rows are slots, [0, rows). */
export class ObservationStore {
  readonly #size: number;
  readonly #frame: FrameStorage | undefined;
  /** Everything but the frame, row by row. */
  #numbers: Float32Array = new Float32Array(0);
  /** [rows, V, size] */
  #frames: Float32Array | Uint8Array;

  /** `size`: O, frame included. Throws `RangeError` where the frame does not lie in it. */
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

  /** Makes room for `rows` rows; those that are there stay. */
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

  /** Keeps `observation` [O] in `row`; `variants` [V, size] in place of its frame, which else is every variant. */
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

  /** Writes the observation of `row` with variant `variant` of its frame to `out` at `to`. Allocates no more than a view. */
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
