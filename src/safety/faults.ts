/**
 * What can go wrong and what is done about it, as a table. A flag is one bit; 0 is healthy. Row numbers
 * never change, so that tests and reports can cite them; the gaps are faults that nothing detects yet.
 */

/** What a fault makes the arm do, mildest first. `cat2` brakes and holds, `cat1` brakes, then torque off, `cat0` torque off now. */
export const STOP_ACTIONS = ['none', 'warn', 'slow', 'cat2', 'cat1', 'cat0'] as const;
export type StopAction = (typeof STOP_ACTIONS)[number];

export interface Fault {
  /** Row in the fault table. */
  readonly row: number;
  readonly flag: string;
  readonly bit: number;
  readonly action: StopAction;
  /** When the flag may go away: with its cause, or only when an operator acknowledges and the cause is gone. */
  readonly clears: 'byItself' | 'acknowledged';
  /** What happened, and what to do, for an operator. */
  readonly sentence: string;
  readonly remedy: string;
}

export const BROKEN_COMMANDS: number = 1 << 0;
export const COMMAND_LATE: number = 1 << 1;
export const COMMAND_LOST: number = 1 << 2;
export const DRIVER_LOST: number = 1 << 3;
export const READING_NOT_FINITE: number = 1 << 4;
export const ENCODER_JUMP: number = 1 << 5;
export const START_OUTSIDE: number = 1 << 6;
export const START_FAR: number = 1 << 7;
export const EMERGENCY_STOP: number = 1 << 8;
export const TICK_STALLED: number = 1 << 9;
export const LIMIT_BROKEN: number = 1 << 10;
export const FROZEN_READING: number = 1 << 11;
export const TRACKING_ERROR: number = 1 << 12;

export const FAULTS: readonly Fault[] = [
  {
    row: 1,
    flag: 'brokenCommands',
    bit: BROKEN_COMMANDS,
    action: 'cat2',
    clears: 'acknowledged',
    sentence: 'Three commands within a second held NaN or infinity.',
    remedy: 'Look at the policy: its weights or its observation are not finite. Then acknowledge.',
  },
  {
    row: 2,
    flag: 'commandLate',
    bit: COMMAND_LATE,
    action: 'warn',
    clears: 'byItself',
    sentence: 'The newest command is older than its lease; the arm brakes and holds.',
    remedy: 'Nothing, if it is rare. Otherwise the policy or the link is too slow for its period.',
  },
  {
    row: 3,
    flag: 'commandLost',
    bit: COMMAND_LOST,
    action: 'cat2',
    clears: 'acknowledged',
    sentence: 'No command could be followed for a second.',
    remedy: 'Restart the node that decides, then acknowledge.',
  },
  {
    row: 10,
    flag: 'driverLost',
    bit: DRIVER_LOST,
    action: 'cat1',
    clears: 'acknowledged',
    sentence: 'The robot does not answer.',
    remedy: 'Check cable and power, then acknowledge.',
  },
  {
    row: 14,
    flag: 'frozenReading',
    bit: FROZEN_READING,
    action: 'cat1',
    clears: 'acknowledged',
    sentence: 'A joint was asked to move and its reading did not change for 100 ms (a base: 500 ms).',
    remedy:
      'See whether the joint moves: if not, its controller refuses; if so, its sensor is frozen. Then acknowledge.',
  },
  {
    row: 15,
    flag: 'readingNotFinite',
    bit: READING_NOT_FINITE,
    action: 'cat1',
    clears: 'acknowledged',
    sentence: 'A measured joint angle is NaN or infinite.',
    remedy: 'Check the driver and the calibration, then acknowledge.',
  },
  {
    row: 15,
    flag: 'encoderJump',
    bit: ENCODER_JUMP,
    action: 'cat1',
    clears: 'acknowledged',
    sentence: 'A measured joint angle jumped farther than the joint can move, twice.',
    remedy: 'Check the encoder, its wrap-around and the calibration, then acknowledge.',
  },
  {
    row: 16,
    flag: 'startOutside',
    bit: START_OUTSIDE,
    action: 'cat2',
    clears: 'acknowledged',
    sentence: 'The arm stands outside its joint limits or its workspace.',
    remedy: 'Move it inside by hand with the torque off, then acknowledge.',
  },
  {
    row: 17,
    flag: 'startFar',
    bit: START_FAR,
    action: 'warn',
    clears: 'byItself',
    sentence: 'The first target is more than 0.1 rad or 20 mm from the measured pose; refused.',
    remedy: 'Start nearer to where the arm stands, or with smaller actions.',
  },
  {
    row: 23,
    flag: 'emergencyStop',
    bit: EMERGENCY_STOP,
    action: 'cat0',
    clears: 'acknowledged',
    sentence: 'The emergency stop is pressed.',
    remedy: 'Make the cell safe, release the button, then acknowledge.',
  },
  {
    row: 24,
    flag: 'tickStalled',
    bit: TICK_STALLED,
    action: 'cat2',
    clears: 'acknowledged',
    sentence: 'More than three control periods passed without a tick.',
    remedy: 'Find what holds up the machine, then acknowledge.',
  },
  {
    row: 36,
    flag: 'limitBroken',
    bit: LIMIT_BROKEN,
    action: 'cat1',
    clears: 'acknowledged',
    sentence: 'The independent check found a reference outside the limits.',
    remedy: 'This is a defect of the software or of the robot description: report it. Then acknowledge.',
  },
  {
    row: 43,
    flag: 'trackingError',
    bit: TRACKING_ERROR,
    action: 'cat1',
    clears: 'acknowledged',
    sentence: 'A joint was more than 0.2 rad from where it was asked to be for 100 ms.',
    remedy: 'Look for what blocks or pushes the robot, and whether its controller follows. Then acknowledge.',
  },
];

/** Every flag that stays until it is acknowledged. */
const LATCHED = FAULTS.reduce((bits, fault) => (fault.clears === 'acknowledged' ? bits | fault.bit : bits), 0);

/** The sternest action that the set flags ask for. Tick-safe. */
export function worstAction(flags: number): StopAction {
  let worst = 0;
  for (let i = 0; i < FAULTS.length; i++) {
    const fault = FAULTS[i]!;
    if ((flags & fault.bit) !== 0) worst = Math.max(worst, STOP_ACTIONS.indexOf(fault.action));
  }
  return STOP_ACTIONS[worst]!;
}

/** True when `action` is `least` or sterner. Tick-safe. */
export function isAtLeast(action: StopAction, least: StopAction): boolean {
  return STOP_ACTIONS.indexOf(action) >= STOP_ACTIONS.indexOf(least);
}

/** The rows whose flags are set. For people; allocates. */
export function faultsOf(flags: number): readonly Fault[] {
  return FAULTS.filter((fault) => (flags & fault.bit) !== 0);
}

/** Remembers flags that must be acknowledged. Tick-safe. */
export class FaultLatch {
  /** Flags set now or not acknowledged yet. */
  flags = 0;

  /** Takes the flags of this tick and returns `flags`. */
  update(present: number): number {
    this.flags = present | (this.flags & LATCHED);
    return this.flags;
  }

  /** An operator has seen them: only those whose cause is still present (`present`) stay. */
  acknowledge(present: number): void {
    this.flags = present;
  }
}
