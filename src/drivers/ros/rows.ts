/**
 * Measurements and commands as rows of doubles: what the guard and the processes that speak ROS send each other at every
 * tick. All times are seconds of the machine's monotonic clock.
 */
import { commandSize, type RosDriverOptions } from './options.ts';

/** Numbers at the beginning of a row of measurements. */
export const STATE = {
  /** Which life of the bridge sent it: rises by one each time it is started. */
  generation: 0,
  sentAtS: 1,
  /** When the newest measurement of all joints arrived; 0: never. */
  measuredAtS: 2,
  /** Measurements of all joints so far. */
  measurements: 3,
  /** When the newest wrench arrived; 0: never. */
  wrenchAtS: 4,
  /** `seq` of the newest stop that was begun; 0 for none. */
  stoppedSeq: 5,
  /** Until when the signals count as new; 0: none has come, or all are events. */
  signalsValidUntilS: 6,
  scalars: 7,
} as const;

/** Numbers at the beginning of a command. */
export const COMMAND = {
  /** The life of the bridge that it is meant for: others ignore it. */
  generation: 0,
  seq: 1,
  issuedAtS: 2,
  /** One of `COMMAND_KIND`. */
  kind: 3,
  scalars: 4,
} as const;
/** `drive`: publish. `stop`: zero or hold, then deactivate where asked; what follows is ignored until the next `prepare`. */
export const COMMAND_KIND = { drive: 1, stop: 2 } as const;

/** What the process that can only stop hears every tick. */
export const PULSE = {
  seq: 0,
  sentAtS: 1,
  /** One of `PULSE_KIND`. */
  kind: 2,
  /** How long the silence after it may last, s. */
  validForS: 3,
  /** `ackermann`: the steering angle that a stop keeps, rad. */
  steeringRad: 4,
  /** When a simulated robot's scene was put back last, s; 0: never. */
  sceneResetAtS: 5,
  numbers: 6,
} as const;
/** `idle`: nothing to stop. `armed`: stop when this is the last that is heard. `act`: stop now. */
export const PULSE_KIND = { idle: 0, armed: 1, act: 2 } as const;

export function stateNumbers(options: RosDriverOptions): number {
  return STATE.scalars + 3 * options.jointNames.length + 6 + options.signals.length;
}

export function commandNumbers(options: RosDriverOptions): number {
  return COMMAND.scalars + commandSize(options.command.interface, options.jointNames.length);
}

/** Where each part of a row of measurements begins. */
export interface StateLayout {
  readonly positionRad: number;
  readonly velocityRadPerS: number;
  readonly torqueNm: number;
  readonly wrench: number;
  readonly signals: number;
  readonly end: number;
}

export function stateLayout(joints: number, signals: number): StateLayout {
  const positionRad = STATE.scalars;
  const velocityRadPerS = positionRad + joints;
  const torqueNm = velocityRadPerS + joints;
  const wrench = torqueNm + joints;
  return { positionRad, velocityRadPerS, torqueNm, wrench, signals: wrench + 6, end: wrench + 6 + signals };
}
