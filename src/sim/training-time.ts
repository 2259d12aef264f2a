/** The wall time of a training, without what it waited for a person's hand, and the limit that a person may give it. */

export interface TrainingTimeOptions {
  /** Absent: what was learned ends the training, and the clock decides nothing. */
  readonly limitS: number | undefined;
  /** When the run began to work, with its demonstrations: seconds of `nowS`. */
  readonly startedS: number;
  /** Monotonic seconds. */
  readonly nowS: () => number;
}

export class TrainingTime {
  readonly #options: TrainingTimeOptions;
  #pacedS = 0;

  constructor(options: TrainingTimeOptions) {
    this.#options = options;
  }

  /** Seconds that were waited so that a person could steer in real time; they cost nothing. */
  get pacedS(): number {
    return this.#pacedS;
  }

  /** What `training_wall_s` holds when training is over. */
  get usedS(): number {
    const { nowS, startedS } = this.#options;
    return nowS() - startedS - this.#pacedS;
  }

  /** Infinity without a limit. */
  get leftS(): number {
    return (this.#options.limitS ?? Number.POSITIVE_INFINITY) - this.usedS;
  }

  /** No further episode begins; what was learned is still judged. */
  get isOver(): boolean {
    return this.leftS <= 0;
  }

  pause(seconds: number): void {
    this.#pacedS += seconds;
  }
}
