/** Detects measurements that alternate between two positions, as with two publishers of the same joints. */

/** Threshold that separates two readings of one position from those of two positions, rad. */
const ALTERNATES_RAD = 0.002;
/** Alternations required within a time: an occasional wrong reading is the encoder's. A second publisher at 2 Hz suffices. */
const COUNT = 3;
const WITHIN_S = 2;

export class Alternations {
  readonly #before: Float64Array;
  readonly #beforeThat: Float64Array;
  /** Times of the newest alternations, s; the next overwrites the oldest. */
  readonly #atS: Float64Array = new Float64Array(COUNT).fill(Number.NEGATIVE_INFINITY);
  #next = 0;

  constructor(joints: number) {
    this.#before = new Float64Array(joints);
    this.#beforeThat = new Float64Array(joints);
  }

  /** Takes the next measurement: an alternation is a return to the position before last while the last was elsewhere. */
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

  /** True if measurements alternated shortly before `nowS`. */
  isSeen(nowS: number): boolean {
    // The entry overwritten next is the oldest.
    return nowS - this.#atS[this.#next]! <= WITHIN_S;
  }
}
