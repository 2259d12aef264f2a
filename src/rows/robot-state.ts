/** Measurements of a driver, in preallocated arrays that live as long as the guard. */

import { zeros } from '../model/portable.ts';
import { doubles, number, type RowOf } from './fields.ts';

/** Fields of a measurement, in the order of the guard's link. */
export const ROBOT_STATE = {
  /** [n] */
  positionRad: doubles('joints', 0, zeros<'rad'>),
  /** [n] */
  velocityRadPerS: doubles('joints', 0, zeros<'rad/s'>),
  /** [n] torque exerted by the servos: instantaneous, or the mean since the previous reading. */
  torqueNm: doubles('joints', 0, zeros<'N*m'>),
  /** [6] force (N) then torque (N·m) exerted on the tool by the environment, base frame, about the TCP; tared at reset. */
  wrench: doubles(6),
  /** [k] task signals from the scene or further sensors, named by `DriverFacts.signalNames`. */
  signals: doubles('signals'),
  /** Measurement time, s of the guard's clock. */
  measuredAtS: number(),
};

/** One measurement of the robot, filled in place by `Driver.read`. */
export interface RobotState extends RowOf<typeof ROBOT_STATE> {}
