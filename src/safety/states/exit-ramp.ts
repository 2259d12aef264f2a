/**
 * Ramps torque down on an arm that does not hold itself without it: at the end of the brake, so that a person can
 * support it or it sinks onto its rest.
 */
import { exitRampOf, type RobotModel } from '../../model/index.ts';

/** Counts from when torque is to be switched off. Tick-safe. */
export class ExitRamp {
  /** Duration of the ramp, s; 0: the robot holds itself, and torque may be switched off at once. */
  readonly rampS: number;
  #passedS = 0;

  constructor(robot: Pick<RobotModel, 'holdsWithoutTorque' | 'exitRampS'>) {
    this.rampS = exitRampOf(robot);
  }

  /** Advances by a tick of `dtS` in which torque is to be switched off. Once begun, the ramp continues, wherever the arm sinks. */
  advance(dtS: number): void {
    // A clock that jumps neither drops an arm nor holds it up for ever.
    this.#passedS += dtS > 0 ? Math.min(dtS, MOST_TICK_S) : 0;
  }

  restart(): void {
    this.#passedS = 0;
  }

  get isRunning(): boolean {
    return this.#passedS > 0 && !this.isOver;
  }

  /** True if torque may be switched off. */
  get isOver(): boolean {
    return this.#passedS >= this.rampS;
  }

  /** Share of its torque that each joint may still exert, [0, 1]. */
  get torqueRatio(): number {
    return this.isOver ? 0 : 1 - this.#passedS / this.rampS;
  }
}

/** Longest tick duration that is counted, s. */
const MOST_TICK_S = 0.2;
