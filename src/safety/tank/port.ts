/** Where a robot's commands put energy into it: the springs between its set-points and its body. */

/**
 * The springs of one robot as the tank sees them. What is sent are joint positions (n, rad); they pull on the robot by a
 * set-point that follows from them. All methods are tick-safe and total; arrays are read, not kept.
 */
export interface SpringPort {
  /** [n] what was sent last. */
  readonly sentRad: Float64Array;
  /** What the dampers certainly took out since the last tick, J. Of `begin`. */
  readonly dissipatedJ: number;
  /** What earlier commands turned out not to have cost after all, J ≥ 0. Of `begin`. */
  readonly releasedJ: number;
  /** The robot was seen to stand, with no spring pulling at anything. Of `begin`. */
  readonly isRelaxed: boolean;

  /** The robot holds still at `jointsRad` (finite) with its set-point there, or has no torque. */
  restAt(jointsRad: ArrayLike<number>): void;

  /** A tick begins: the robot is at `positionRad`, `dtS` after the last tick. `isMeasured` false: nobody knows where it is. */
  begin(positionRad: ArrayLike<number>, isMeasured: boolean, dtS: number): void;

  /** What sending `candidateRad` puts into the springs with the robot where it was last measured, J. Convex in it. */
  injectedJ(candidateRad: ArrayLike<number>): number;

  /** What must be booked for it: the most that it can turn out to inject, J. Convex in it. */
  bookedJ(candidateRad: ArrayLike<number>): number;

  /**
   * `injectedJ` of a candidate that moves with `velocity` (n, rad/s), and of the brake behind it, which goes on along it for
   * at most `brakeS` seconds of it (1/(2κ), as in `brakePathS`). Convex in both.
   */
  withBrakeJ(candidateRad: ArrayLike<number>, velocity: ArrayLike<number>, brakeS: number): number;

  /** The same of `bookedJ`. */
  bookedWithBrakeJ(candidateRad: ArrayLike<number>, velocity: ArrayLike<number>, brakeS: number): number;

  /** Writes into `out` (n) what may be sent at no cost: it leaves every set-point where it is, or lets it go back. */
  writeHold(out: Float64Array): void;

  /** `candidateRad` is sent. Returns `bookedJ` of it. */
  send(candidateRad: ArrayLike<number>): number;
}
