/** From what is sent to the set-point in force: transport delay and velocity feed-forward. */

/** The references of all servos of an arm, some periods late. Nothing allocates after construction. */
export class ServoReferences {
  /** [n] the set-point in force, rad. */
  readonly setPointRad: Float64Array;
  readonly #joints: number;
  /** [(delay + 1)·n] the newest references, a ring. */
  readonly #sent: Float64Array;
  readonly #last: Float64Array;
  /** [n] feed-forward per change of the reference: φ·d/(K·T). */
  readonly #perChange: Float64Array;
  #at = 0;

  /** `leadS` [n]: how long each servo leads the reference's velocity, s (damping/stiffness, or 0); `periodS`: nominal. */
  constructor(leadS: ArrayLike<number>, periodS: number, delayTicks: number) {
    this.#joints = leadS.length;
    this.setPointRad = new Float64Array(this.#joints);
    this.#last = new Float64Array(this.#joints);
    this.#sent = new Float64Array((delayTicks + 1) * this.#joints);
    this.#perChange = Float64Array.from(leadS, (lead) => lead / periodS);
  }

  /** As if the reference had stood at `jointsRad` for ever. */
  restAt(jointsRad: ArrayLike<number>): void {
    for (let i = 0; i < this.#joints; i++) {
      for (let k = i; k < this.#sent.length; k += this.#joints) this.#sent[k] = jointsRad[i]!;
      this.#last[i] = jointsRad[i]!;
      this.setPointRad[i] = jointsRad[i]!;
    }
  }

  /** A period begins: `sentRad` is sent, and what was sent `delayTicks` periods ago comes into force. */
  push(sentRad: ArrayLike<number>): void {
    const n = this.#joints;
    for (let i = 0; i < n; i++) this.#sent[this.#at + i] = sentRad[i]!;
    this.#at = (this.#at + n) % this.#sent.length;
    for (let i = 0; i < n; i++) {
      // The oldest is the next to be overwritten; without delay it is the one just written.
      const reached = this.#sent[this.#at + i]!;
      // s = r + φ·(d/K)·Δr/T
      this.setPointRad[i] = reached + this.#perChange[i]! * (reached - this.#last[i]!);
      this.#last[i] = reached;
    }
  }
}
