/** The last few frames of what was seen, oldest first, as the policy wants them. */
import { frameSize, type GuardFrame, type ObservationSpec } from '../../core/index.ts';

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
  readonly #size: number;
  readonly #frames: number;
  readonly #write: FrameWriter;

  constructor(spec: ObservationSpec, write: FrameWriter) {
    this.#size = frameSize(spec);
    this.#frames = spec.frames;
    this.values = new Float32Array(this.#size * spec.frames);
    this.#write = write;
  }

  /** An episode starts: every frame shows what is seen now. */
  reset(frame: GuardFrame, previousExecuted: Float32Array): void {
    this.#write(this.values, 0, frame, previousExecuted);
    for (let i = 1; i < this.#frames; i++) this.values.copyWithin(i * this.#size, 0, this.#size);
  }

  /** A step has passed: the oldest frame makes room for what is seen now. */
  push(frame: GuardFrame, previousExecuted: Float32Array): void {
    this.values.copyWithin(0, this.#size);
    this.#write(this.values, this.#size * (this.#frames - 1), frame, previousExecuted);
  }
}
