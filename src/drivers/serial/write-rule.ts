/** What a device does by itself when something is written to it, and when a driver may write that. Data, to which tests hold the drivers. */

/** How a device is, as far as its driver knows. */
export const WRITE_STATES = {
  limp: 'It has no torque: it is set up, calibrated, or stands by.',
  comingOn: 'A person has asked for torque, until all devices of the robot were read to have it.',
  driven: 'It has torque, and says so: motion, brake path, exit ramp, standing.',
  away: 'It was silent, has lost what it was given, or is found with torque that nobody gave it: until a person has torque turned on.',
} as const;

export type WriteState = keyof typeof WRITE_STATES;

export interface WriteRule {
  /** Register, as its control table calls it, or command. */
  readonly what: string;
  /** Of this value alone, in counts; absent: of each that has no rule of its own. */
  readonly value?: number | undefined;
  /** What the device does by itself then. */
  readonly does: string;
  /** In which states it is written. */
  readonly allowed: readonly WriteState[];
  readonly source: string;
}
