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

/** What a driver measures beside the task's signals. */
export type Measured = {
  [K in keyof RobotState]: RobotState[K] extends Float64Array ? K : never;
}[Exclude<keyof RobotState, 'signals'>];

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

/** All of it, in the order in which the guard's link carries it: that of `createRobotState`. */
export const MEASURED: readonly Measured[] = Object.entries(createRobotState(0, 0)).flatMap(([key, value]) =>
  value instanceof Float64Array && key !== 'signals' ? [key as Measured] : [],
);

/** Copies `from` into `into`. Sizes must match. Tick-safe. */
export function copyRobotState(into: RobotState, from: RobotState): void {
  for (let i = 0; i < MEASURED.length; i++) into[MEASURED[i]!].set(from[MEASURED[i]!]);
  into.signals.set(from.signals);
  into.measuredAtS = from.measuredAtS;
}
