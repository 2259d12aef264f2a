/** Whether measurements go to and fro between two places, as those of two that publish the same joints do. */

/** Two readings of one place differ by less, and those of two places by more, rad. */
const ALTERNATES_RAD = 0.002;
/** So many within so long: a wrong reading now and then is an encoder's. One publisher of 2 Hz beside the robot gives them. */
const COUNT = 3;
const WITHIN_S = 2;

export class Alternations {
  readonly #before: Float64Array;
  readonly #beforeThat: Float64Array;
  /** When the newest ones were, s; the next overwrites the oldest. */
  readonly #atS: Float64Array = new Float64Array(COUNT).fill(Number.NEGATIVE_INFINITY);
  #next = 0;

  constructor(joints: number) {
    this.#before = new Float64Array(joints);
    this.#beforeThat = new Float64Array(joints);
  }

  /** Takes the next measurement: back where the one before the last was, while the last was elsewhere, is one. */
  note(positionRad: ArrayLike<number>, nowS: number): void {
    let away = 0;
    let back = 0;
    for (let i = 0; i < this.#before.length; i++) {
      away = Math.max(away, Math.abs(positionRad[i]! - this.#before[i]!));
      back = Math.max(back, Math.abs(positionRad[i]! - this.#beforeThat[i]!));
    }
    if (away > ALTERNATES_RAD && back < away / 4) {
      this.#atS[this.#next] = nowS;
      this.#next = (this.#next + 1) % COUNT;
    }
    this.#beforeThat.set(this.#before);
    this.#before.set(positionRad);
  }

  /** They have, a short time before `nowS`. */
  isSeen(nowS: number): boolean {
    // What is overwritten next is the oldest.
    return nowS - this.#atS[this.#next]! <= WITHIN_S;
  }
}
