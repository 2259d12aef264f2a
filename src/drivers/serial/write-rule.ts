/** Reactions of a device to writes, and when a driver may write. Data that tests check the drivers against. */

/** States of a device, as known to its driver. */
export const WRITE_STATES = {
  limp: 'No torque: setup, calibration, standby.',
  comingOn: 'An operator has requested torque, until all devices of the robot report it.',
  driven: 'The device reports torque: motion, brake path, exit ramp, standing.',
  away: 'The device was silent, has lost its settings, or has torque that this program did not enable: until an operator has torque turned on.',
} as const;

export type WriteState = keyof typeof WRITE_STATES;

export interface WriteRule {
  /** Register by its name in the control table, or command. */
  readonly what: string;
  /** Value that the rule applies to, in counts; absent: all values without a rule of their own. */
  readonly value?: number | undefined;
  /** Reaction of the device. */
  readonly does: string;
  /** States in which it is written. */
  readonly allowed: readonly WriteState[];
  readonly source: string;
}
