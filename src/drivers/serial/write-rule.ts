/** Reactions of a device to writes, and when a driver may write. Data that tests check the drivers against. */

/** States of a device, as known to its driver. */
export const WRITE_STATES = {
  limp: 'It has no torque: it is set up, calibrated, or stands by.',
  comingOn: 'A person has asked for torque, until all devices of the robot were read to have it.',
  driven: 'It has torque, and says so: motion, brake path, exit ramp, standing.',
  away: 'It was silent, has lost what it was given, or is found with torque that nobody gave it: until a person has torque turned on.',
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
