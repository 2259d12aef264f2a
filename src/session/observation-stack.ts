/**
 * The observation as the policy wants it: the last few frames of what was seen, oldest first, then the actions executed
 * before, then room for what a base policy would do.
 */
import {
  BASE_ACTION,
  frameSize,
  type GuardFrame,
  type ObservationSpec,
  observationSize,
  onceSize,
  PREVIOUS_ACTIONS,
} from '../core/index.ts';

/** Writes one frame of an observation at `offset` of `out`. */
export type FrameWriter = (
  out: Float32Array,
  offset: number,
  frame: GuardFrame,
  previousExecuted: Float32Array,
) => void;

export class ObservationStack {
  /** [O] the current observation. Reused: copy what you keep. */
  readonly values: Float32Array;
  /** All of it but the base policy's action: what a base policy sees. A view of `values`. */
  readonly state: Float32Array;
  /** Where the base policy's action belongs, [A] or nothing. A view of `values`. */
  readonly baseAction: Float32Array;
  readonly #size: number;
  /** Numbers of all frames together. */
  readonly #framesSize: number;
  readonly #previous: Float32Array;
  readonly #write: FrameWriter;
  /** Frames that were seen and are not yet to be shown, as a ring. */
  readonly #late: Float32Array;
  #oldest = 0;

  /** `delaySteps`: how many policy steps late frames are shown; actions are known at once. */
  constructor(spec: ObservationSpec, write: FrameWriter, delaySteps = 0) {
    this.#size = frameSize(spec);
    this.#framesSize = this.#size * spec.frames;
    this.values = new Float32Array(observationSize(spec));
    const stateSize = this.values.length - onceSize(spec, BASE_ACTION);
    this.state = this.values.subarray(0, stateSize);
    this.baseAction = this.values.subarray(stateSize);
    this.#previous = this.values.subarray(this.#framesSize, this.#framesSize + onceSize(spec, PREVIOUS_ACTIONS));
    this.#late = new Float32Array(this.#size * delaySteps);
    this.#write = write;
  }

  /** An episode starts: every frame shows what is seen now, and nothing was done before. */
  reset(frame: GuardFrame, previousExecuted: Float32Array): void {
    const size = this.#size;
    this.#write(this.values, 0, frame, previousExecuted);
    for (let at = size; at < this.#framesSize; at += size) this.values.copyWithin(at, 0, size);
    for (let at = 0; at < this.#late.length; at += size) this.#copyFrame(this.values, 0, this.#late, at);
    this.#oldest = 0;
    this.#previous.fill(0);
  }

  /** A step has passed: the oldest frame makes room for what is seen now, or was seen `delaySteps` before. */
  push(frame: GuardFrame, previousExecuted: Float32Array): void {
    const size = this.#size;
    const newest = this.#framesSize - size;
    this.values.copyWithin(0, size, this.#framesSize);
    if (this.#late.length === 0) this.#write(this.values, newest, frame, previousExecuted);
    else {
      this.#copyFrame(this.#late, this.#oldest, this.values, newest);
      this.#write(this.#late, this.#oldest, frame, previousExecuted);
      this.#oldest = (this.#oldest + size) % this.#late.length;
    }
    if (this.#previous.length === 0) return;
    this.#previous.copyWithin(0, previousExecuted.length);
    this.#previous.set(previousExecuted, this.#previous.length - previousExecuted.length);
  }

  #copyFrame(from: Float32Array, fromAt: number, to: Float32Array, toAt: number): void {
    for (let i = 0; i < this.#size; i++) to[toAt + i] = from[fromAt + i]!;
  }
}
