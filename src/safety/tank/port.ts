/** Where a robot's commands put energy into it: the springs between its set-points and its body. */
import type { RobotModel, TankModel } from '../../core/index.ts';

/**
 * Places in `SpringPort.costJ`. Numbers go from a port to the tank in an array: `TickTimes` says why.
 */
export const INJECTED = 0;
export const BOOKED = 1;
export const WITH_BRAKE = 2;
export const BOOKED_WITH_BRAKE = 3;
export const DISSIPATED = 4;
export const RELEASED = 5;
export const COSTS = 6;

/**
 * The springs of one robot as the tank sees them. What is sent are joint positions (n, rad); they pull on the robot by a
 * set-point that follows from them. All methods are tick-safe and total; arrays are read, not kept.
 */
export interface SpringPort {
  /** [n] what was sent last. */
  readonly sentRad: Float64Array;
  /**
   * [`COSTS`] what was asked last, J. Of `begin`: what the dampers certainly took out since the last tick (`DISSIPATED`), and
   * what earlier commands turned out not to have cost after all, ≥ 0 (`RELEASED`).
   */
  readonly costJ: Float64Array;
  /** The robot was seen to stand, with no spring pulling at anything. Of `begin`. */
  readonly isRelaxed: boolean;

  /** The robot holds still at `jointsRad` (finite) with its set-point there, or has no torque. */
  restAt(jointsRad: ArrayLike<number>): void;

  /** A tick begins: the robot is at `positionRad`, `passedS[0]` after the last tick. `isMeasured` false: nobody knows where it is. */
  begin(positionRad: ArrayLike<number>, isMeasured: boolean, passedS: Float64Array): void;

  /**
   * Fills `INJECTED`, what sending `candidateRad` puts into the springs with the robot where it was last measured, and
   * `BOOKED`, what must be booked for it: the most that it can turn out to inject. Both are convex in it.
   */
  price(candidateRad: ArrayLike<number>): void;

  /**
   * Fills `WITH_BRAKE`, what a candidate injects that moves with `velocity` (n, rad/s), and the brake behind it, which goes on
   * along it for at most `brakeS[0]` seconds of it (1/(2κ), as in `writeBrakePath`); and `BOOKED_WITH_BRAKE`, what must be
   * booked for both. Convex in candidate and velocity.
   */
  priceWithBrake(candidateRad: ArrayLike<number>, velocity: ArrayLike<number>, brakeS: Float64Array): void;

  /** Writes into `out` (n) what may be sent at no cost: it leaves every set-point where it is, or lets it go back. */
  writeHold(out: Float64Array): void;

  /** `candidateRad` is sent. Fills `BOOKED` with what it costs. */
  send(candidateRad: ArrayLike<number>): void;
}

/** The tank of `model`. Throws `RangeError` where it has none. */
export function tankOf({ name, tank }: RobotModel): TankModel {
  if (tank === undefined) throw new RangeError(`${name} has no energy tank`);
  return tank;
}
