/**
 * How torque goes off under an arm that does not hold itself without it: at the end of the brake, as a ramp, so that somebody can
 * support it or it sinks onto its rest.
 */
import { exitRampOf, type RobotModel } from '../../core/index.ts';

/** Counts from when torque is to go off. Tick-safe. */
export class ExitRamp {
  /** s; 0: the robot holds itself, and torque may go off at once. */
  readonly rampS: number;
  #passedS = 0;

  constructor(robot: Pick<RobotModel, 'holdsWithoutTorque' | 'exitRampS'>) {
    this.rampS = exitRampOf(robot);
  }

  /** One more tick of `dtS`, in which torque is to go off. Once begun it goes on, whatever the arm sinks to. */
  advance(dtS: number): void {
    // A clock that jumps does not drop an arm, nor hold it up for ever.
    this.#passedS += dtS > 0 ? Math.min(dtS, MOST_TICK_S) : 0;
  }

  restart(): void {
    this.#passedS = 0;
  }

  get isRunning(): boolean {
    return this.#passedS > 0 && !this.isOver;
  }

  /** Torque may go off. */
  get isOver(): boolean {
    return this.#passedS >= this.rampS;
  }

  /** Share of its torque that each joint may still give, [0, 1]. */
  get torqueRatio(): number {
    return this.isOver ? 0 : 1 - this.#passedS / this.rampS;
  }
}

/** The longest a tick counts for, s. */
const MOST_TICK_S = 0.2;
