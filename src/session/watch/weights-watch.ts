/** Tells people when the learner has weights that do not arrive, and when they do again (row 53 of the fault table). */
import { OTHER_FAULTS } from '../../safety/index.ts';
import type { SessionEvent } from '../session-types.ts';

const STALE = OTHER_FAULTS.find(({ name }) => name === 'weightsStale')!;
/** The number of row 53. */
const TOLD_AFTER_S = 15;

/** What a robot knows of its learner's weights. */
export interface WeightsSeen {
  /** Newest at the learner, as it said last; 0 before any. */
  readonly learnerVersion: number;
  /** Newest that have come here. */
  readonly arrivedVersion: number;
}

export class WeightsWatch {
  readonly #emit: (event: SessionEvent) => void;
  #arrivedVersion = -1;
  /** Since when nothing has come although the learner has newer weights; `undefined` while all is well. */
  #behindSinceS: number | undefined;
  #isTold = false;

  constructor(emit: (event: SessionEvent) => void) {
    this.#emit = emit;
  }

  /** Takes what is known at `nowS`. Call it some times a second. */
  see({ learnerVersion, arrivedVersion }: WeightsSeen, nowS: number): void {
    const isBehind = learnerVersion > arrivedVersion;
    // A learner that publishes several a second is always a little ahead: it counts from the last that came.
    if (arrivedVersion !== this.#arrivedVersion || !isBehind) this.#behindSinceS = undefined;
    this.#arrivedVersion = arrivedVersion;
    if (isBehind) this.#behindSinceS ??= nowS;
    if (this.#behindSinceS === undefined) this.#well(arrivedVersion);
    else if (nowS - this.#behindSinceS >= TOLD_AFTER_S) this.#bad(learnerVersion, arrivedVersion);
  }

  #bad(learnerVersion: number, arrivedVersion: number): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const { row, name, sentence, remedy } = STALE;
    const message = `${sentence} It has version ${learnerVersion}, here is ${arrivedVersion}.`;
    this.#emit({ level: 'warn', name, row, message, remedy });
  }

  #well(version: number): void {
    if (!this.#isTold) return;
    this.#isTold = false;
    const message = `Weights arrive again: version ${version}.`;
    this.#emit({ level: 'info', name: 'weightsBack', row: STALE.row, message, remedy: '' });
  }
}
