/** What a driver measures, in preallocated arrays that live as long as the guard. */
import { doubles, number, type RowOf } from '../rows/index.ts';
import { zeros } from './units.ts';

/** The fields of a measurement, in the order in which the guard's link carries them. */
export const ROBOT_STATE = {
  /** [n] */
  positionRad: doubles('joints', 0, zeros<'rad'>),
  /** [n] */
  velocityRadPerS: doubles('joints', 0, zeros<'rad/s'>),
  /** [n] torque that the servos exert: of this moment, or the mean since the reading before. */
  torqueNm: doubles('joints', 0, zeros<'N*m'>),
  /** [6] force (N) then torque (N·m) that the surroundings exert on the tool, base frame, about the TCP; tared at reset. */
  wrench: doubles(6),
  /** [k] task numbers that the scene or further sensors give, as named by `DriverFacts.signalNames`. */
  signals: doubles('signals'),
  /** When it was measured: seconds of the guard's clock. */
  measuredAtS: number(),
};

/** One measurement of the robot, filled in place by `Driver.read`. */
export interface RobotState extends RowOf<typeof ROBOT_STATE> {}
