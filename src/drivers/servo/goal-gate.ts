/**
 * Which joints get goals. Some servos turn their torque on when a goal is written to them: one that has started anew, after a dip of its supply for
 * example, would rise to where it stood before. So a servo that was silent, or is read without the torque that it was given, is left alone until
 * somebody has torque turned on anew, whatever is asked of the arm meanwhile: brake path, exit ramp, or motion.
 */

/** So many readings in a row without an answer are a silence, as they are to the guard (row 10): fewer are a reply that was lost. */
const SILENT_MISSES = 3;

/** Tick path after construction. */
export class GoalGate {
  /** [n] 1: its goal goes out in this tick. */
  readonly takes: Uint8Array;
  /** [n] 1: until torque is turned on anew it gets none. */
  readonly #isLeft: Uint8Array;
  readonly #goalTurnsOn: boolean;

  /** `goalTurnsOn`: of the family. */
  constructor(joints: number, goalTurnsOn: boolean) {
    this.takes = new Uint8Array(joints);
    this.#isLeft = new Uint8Array(joints);
    this.#goalTurnsOn = goalTurnsOn;
  }

  /** Torque came on, and was read back, in all. */
  open(): void {
    this.#isLeft.fill(0);
    this.takes.fill(1);
  }

  /** A new reading: what follows is what it says. */
  begin(): void {
    for (let i = 0; i < this.takes.length; i++) this.takes[i] = 1 - this.#isLeft[i]!;
  }

  /** A servo of joint `i` has not answered for `misses` readings in a row: what it does is not known. */
  miss(i: number, misses: number): void {
    if (misses >= SILENT_MISSES) this.leave(i);
    else if (this.#goalTurnsOn) this.takes[i] = 0;
  }

  /** A servo of joint `i` has lost what it was given. */
  leave(i: number): void {
    this.#isLeft[i] = 1;
    this.takes[i] = 0;
  }
}
