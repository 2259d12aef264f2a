/**
 * The policy's observation: the last few frames, oldest first, then the actions executed before, then room for the base policy's action.
 */
import {
  BASE_ACTION,
  frameSize,
  type ObservationSpec,
  observationSize,
  onceSize,
  PREVIOUS_ACTIONS,
} from '../model/index.ts';
import type { GuardFrame } from '../rows/index.ts';

/** Writes one frame of an observation at `offset` of `out`. */
export type FrameWriter = (
  out: Float32Array,
  offset: number,
  frame: GuardFrame,
  previousExecuted: Float32Array,
) => void;

export class ObservationStack {
  /** [O] current observation. Reused: copy it to keep it. */
  readonly values: Float32Array;
  /** All of it but the base policy's action: the base policy's own observation. A view of `values`. */
  readonly state: Float32Array;
  /** Place of the base policy's action, [A] or empty. A view of `values`. */
  readonly baseAction: Float32Array;
  readonly #size: number;
  /** Size of all frames together. */
  readonly #framesSize: number;
  readonly #previous: Float32Array;
  readonly #write: FrameWriter;
  /** Ring buffer of frames that were seen but are not shown yet. */
  readonly #late: Float32Array;
  #oldest = 0;

  /** `delaySteps`: delay of the frames, in policy steps; actions are not delayed. */
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

  /** Starts an episode: every frame shows the current state, and the previous actions are 0. */
  reset(frame: GuardFrame, previousExecuted: Float32Array): void {
    const size = this.#size;
    this.#write(this.values, 0, frame, previousExecuted);
    for (let at = size; at < this.#framesSize; at += size) this.values.copyWithin(at, 0, size);
    for (let at = 0; at < this.#late.length; at += size) this.#copyFrame(this.values, 0, this.#late, at);
    this.#oldest = 0;
    this.#previous.fill(0);
  }

  /** Adds a step: the oldest frame is replaced by the current one, or by the one seen `delaySteps` before. */
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
