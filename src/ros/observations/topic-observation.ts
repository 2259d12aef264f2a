/**
 * Newest values of one topic, their age and problems. A message that does not fit changes nothing: the previous values
 * grow old, and past their freshness they must not be used.
 */
import { allFinite } from '../../model/index.ts';
import {
  type ObservationProblem,
  type ObservationSource,
  type ObservationTopic,
  topicSize,
} from '../../tasks/index.ts';
import type { ReadResult } from './image-reader.ts';

/** Rows of the fault table: no fresh observation (row 2), and a camera that is late or frozen (row 44). */
const ROW_STALE = 2;
const ROW_CAMERA = 44;
/** Weight of a new period in the mean. */
const RATE_GAIN = 0.05;

export class TopicObservation implements ObservationSource {
  readonly name: string;
  readonly size: number;
  readonly topic: ObservationTopic;
  /** Messages accepted, and refused as unfit. */
  readonly counters: { taken: number; malformed: number } = { taken: 0, malformed: 0 };

  readonly #values: Float32Array;
  readonly #scratch: Float32Array;
  readonly #frozen: FrozenImage | undefined;
  #takenAtS = Number.NEGATIVE_INFINITY;
  #periodS = Number.NaN;
  #complaint = '';

  /** Throws `RangeError` for a topic without values. */
  constructor(topic: ObservationTopic) {
    const size = topicSize(topic);
    if (typeof size === 'string') throw new RangeError(size);
    this.name = topic.name;
    this.size = size;
    this.topic = topic;
    this.#values = new Float32Array(size);
    this.#scratch = new Float32Array(size);
    if (topic.widthPx !== undefined) this.#frozen = new FrozenImage();
  }

  /** Takes the values that `read` writes of a message received at `receivedAtS`; `bytes`: image content, for images. */
  take(read: (out: Float32Array) => ReadResult, receivedAtS: number, bytes?: Uint8Array): void {
    const result = read(this.#scratch);
    if (result === 'ignored') return;
    if (result !== 'taken') {
      this.refuse(result.malformed);
      return;
    }
    if (!allFinite(this.#scratch)) {
      this.refuse('it holds numbers that are not finite');
      return;
    }
    const { scale } = this.topic;
    for (let k = 0; k < this.size; k++) this.#values[k] = this.#scratch[k]! / scale;
    const passedS = receivedAtS - this.#takenAtS;
    if (Number.isFinite(passedS)) {
      this.#periodS = Number.isNaN(this.#periodS) ? passedS : this.#periodS + RATE_GAIN * (passedS - this.#periodS);
    }
    this.#takenAtS = receivedAtS;
    this.#complaint = '';
    this.counters.taken++;
    if (bytes !== undefined) this.#frozen?.see(bytes);
  }

  /** Counts a message that does not fit; `why` is a message without its full stop. */
  refuse(why: string): void {
    this.counters.malformed++;
    this.#complaint = why;
  }

  fill(out: Float32Array, offset: number): void {
    out.set(this.#values, offset);
  }

  ageMs(nowS: number): number {
    return (nowS - this.#takenAtS) * 1e3;
  }

  /** Recent message rate; 0 while nothing arrives. */
  rateHz(nowS: number): number {
    const hasStopped = nowS - this.#takenAtS > 10 * this.#periodS;
    return Number.isNaN(this.#periodS) || hasStopped ? 0 : 1 / this.#periodS;
  }

  problems(nowS: number): readonly ObservationProblem[] {
    const { freshnessMs, topic, type } = this.topic;
    const ageMs = this.ageMs(nowS);
    const row = this.#frozen === undefined ? ROW_STALE : ROW_CAMERA;
    // Written so that a NaN age counts as old.
    if (!(ageMs <= freshnessMs)) {
      const since = Number.isFinite(ageMs) ? `is ${Math.round(ageMs)} ms old` : 'has not come yet';
      const why = this.#complaint === '' ? '' : ` The last message was refused: ${this.#complaint}.`;
      return [
        {
          row,
          message: `The observation "${this.name}" (${topic}) ${since}, ${freshnessMs} ms are allowed; the robot holds.${why}`,
          remedy: `Check that ${type} is published on ${topic}: ros2 topic hz ${topic}.`,
        },
      ];
    }
    if (this.#frozen?.isFrozen !== true) return [];
    return [
      {
        row: ROW_CAMERA,
        message: `The camera "${this.name}" (${topic}) has shown the same picture five times; the robot holds.`,
        remedy: 'Check whether the camera is frozen; a live one has noise in every picture.',
      },
    ];
  }
}

/** Number of identical consecutive images from which a camera counts as frozen. */
const FROZEN_COUNT = 5;
/** Bytes compared, spread over the image: noise is everywhere. */
const LOOKED_AT = 65_536;

/** Detects a camera that repeats the same image for ever (row 44). */
class FrozenImage {
  #last = -1;
  #same = 0;

  get isFrozen(): boolean {
    return this.#same >= FROZEN_COUNT - 1;
  }

  /** Takes the bytes of the next image. */
  see(bytes: Uint8Array): void {
    const sum = hashOf(bytes);
    this.#same = sum === this.#last ? this.#same + 1 : 0;
    this.#last = sum;
  }
}

/** FNV-1a of every n-th byte, and of the length. */
function hashOf(bytes: Uint8Array): number {
  const stride = Math.max(1, Math.ceil(bytes.length / LOOKED_AT));
  let hash = 0x811c9dc5 ^ bytes.length;
  for (let i = 0; i < bytes.length; i += stride) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash >>> 0;
}
