/**
 * Selects the joints that get goals. Some servos switch torque on when a goal is written: one that restarted by itself, e.g.
 * after a supply dip, would rise to its earlier position. So a servo that was silent, or is read without its torque, gets no
 * goals until the operator has torque switched on again, whatever is commanded meanwhile: brake path, exit ramp, or motion.
 */

/** Missed readings in a row that count as silence, as for the guard (row 10): fewer are lost replies. */
const SILENT_MISSES = 3;

/** Tick path after construction. */
export class GoalGate {
  /** [n] 1: the goal is sent in this tick. */
  readonly takes: Uint8Array;
  /** [n] 1: gets no goal until torque is switched on again. */
  readonly #isLeft: Uint8Array;
  readonly #goalTurnsOn: boolean;

  /** `goalTurnsOn`: as in `ServoFamily`. */
  constructor(joints: number, goalTurnsOn: boolean) {
    this.takes = new Uint8Array(joints);
    this.#isLeft = new Uint8Array(joints);
    this.#goalTurnsOn = goalTurnsOn;
  }

  /** Called when torque was switched on, and read back, in all servos. */
  open(): void {
    this.#isLeft.fill(0);
    this.takes.fill(1);
  }

  /** Called at each new reading, before its results: selects all joints that are not left out. */
  begin(): void {
    for (let i = 0; i < this.takes.length; i++) this.takes[i] = 1 - this.#isLeft[i]!;
  }

  /** Called when a servo of joint `i` has missed `misses` readings in a row: its state is unknown. */
  miss(i: number, misses: number): void {
    if (misses >= SILENT_MISSES) this.leave(i);
    else if (this.#goalTurnsOn) this.takes[i] = 0;
  }

  /** Called when a servo of joint `i` no longer has the torque or cap that was written. */
  leave(i: number): void {
    this.#isLeft[i] = 1;
    this.takes[i] = 0;
  }
}
