/** What a driver measures, in preallocated arrays that live as long as the guard. */
import { type Vec, zeros } from './units.ts';

/** One measurement of the robot, filled in place by `Driver.read`. */
export interface RobotState {
  /** [n] */
  readonly positionRad: Vec<'rad'>;
  /** [n] */
  readonly velocityRadPerS: Vec<'rad/s'>;
  /** [n] torque that the servos exert: of this moment, or the mean since the reading before. */
  readonly torqueNm: Vec<'N*m'>;
  /** [6] force (N) then torque (N·m) that the surroundings exert on the tool, base frame, about the TCP; tared at reset. */
  readonly wrench: Float64Array;
  /** [k] task numbers that the scene or further sensors give, as named by `Driver.signalNames`. */
  readonly signals: Float64Array;
  /** When it was measured: seconds of the guard's clock. */
  measuredAtS: number;
}

export function createRobotState(joints: number, signals: number): RobotState {
  return {
    positionRad: zeros<'rad'>(joints),
    velocityRadPerS: zeros<'rad/s'>(joints),
    torqueNm: zeros<'N*m'>(joints),
    wrench: new Float64Array(6),
    signals: new Float64Array(signals),
    measuredAtS: 0,
  };
}
