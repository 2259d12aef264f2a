/** Whether a measurement can be true, and what to do when it cannot. */
import { allFinite, type RobotModel, type RobotState } from '../../core/index.ts';
import type { DriverStatus } from '../../drivers/driver.ts';

/** A joint may have moved this many times as far as its velocity limit allows. */
const JUMP_FACTOR = 1.5;
/** And this much more, for sensor noise and impacts, rad. */
const JUMP_SLACK_RAD = 0.02;
/** One wrong sample is held; this many in a row are a fault. */
const WRONG_SAMPLES = 2;
/** A bus that gives no measurement this many times in a row is lost. */
const MISSED_READS = 3;

/** Judges each measurement against the last true one. Tick-safe after construction. */
export class Plausibility {
  /** The driver gave nothing for `MISSED_READS` ticks. */
  busLost = false;
  /** Positions were not finite or jumped for `WRONG_SAMPLES` ticks. */
  encoderWrong = false;
  readonly #model: RobotModel;
  readonly #last: Float64Array;
  #hasLast = false;
  #missedReads = 0;
  #wrongSamples = 0;

  constructor(model: RobotModel) {
    this.#model = model;
    this.#last = new Float64Array(model.joints.length);
  }

  /** Forgets faults and the last sample: the next measurement is taken as it is, if it is finite. */
  restart(): void {
    this.busLost = false;
    this.encoderWrong = false;
    this.#hasLast = false;
    this.#missedReads = 0;
    this.#wrongSamples = 0;
  }

  /** True when `sample`, read with `status` `dtS` after the last, may be believed. */
  check(sample: RobotState, status: DriverStatus, dtS: number): boolean {
    if (status !== 'ok') {
      this.#missedReads++;
      this.busLost ||= this.#missedReads >= MISSED_READS;
      return false;
    }
    this.#missedReads = 0;
    if (!this.#isPossible(sample, dtS)) {
      this.#wrongSamples++;
      this.encoderWrong ||= this.#wrongSamples >= WRONG_SAMPLES;
      return false;
    }
    this.#wrongSamples = 0;
    this.#last.set(sample.positionRad);
    this.#hasLast = true;
    return true;
  }

  #isPossible(sample: RobotState, dtS: number): boolean {
    if (!allFinite(sample.positionRad) || !allFinite(sample.velocityRadPerS)) return false;
    if (!this.#hasLast) return true;
    const elapsedS = Math.max(dtS, 1 / this.#model.controlHz) * (1 + this.#wrongSamples + this.#missedReads);
    for (let i = 0; i < this.#last.length; i++) {
      const reachRad = JUMP_FACTOR * this.#model.joints[i]!.velocityMaxRadPerS * elapsedS + JUMP_SLACK_RAD;
      if (Math.abs(sample.positionRad[i]! - this.#last[i]!) > reachRad) return false;
    }
    return true;
  }
}
