/** What a row of the fault table says. Rows are those of the specification; their numbers never change. */

/**
 * What a fault makes the arm do, mildest first. `slow` moves at most half as fast, or as the row says; `cat2` brakes and holds,
 * `cat1` brakes, then torque off, `cat0` torque off now.
 */
export const STOP_ACTIONS = ['none', 'warn', 'slow', 'cat2', 'cat1', 'cat0'] as const;
export type StopAction = (typeof STOP_ACTIONS)[number];

/** When a flag may go away: with its cause, or only when an operator acknowledges and the cause is gone. */
export type Clears = 'byItself' | 'acknowledged';

interface Reported {
  /** Name of the flag, and of the event that reports it. */
  readonly name: string;
  readonly clears: Clears;
  /** What happened, and what to do, for an operator. */
  readonly message: string;
  readonly remedy: string;
}

/** A fault that the guard sees: one bit of the frame's fault flags. */
export interface GuardSign extends Reported {
  readonly seenBy: 'guard';
  readonly bit: number;
  readonly action: StopAction;
  /** Who may move the robot while the flag is set. */
  readonly mayMove: 'anybody' | 'human' | 'nobody';
}

/** A fault that somebody else sees, and reports as an event; where the robot has to stop, it stops through the guard. */
export interface OtherSign extends Reported {
  readonly seenBy: 'node' | 'bridge' | 'stopper' | 'supervisor' | 'configuration';
  readonly action: StopAction | 'hold' | 'refuse';
}

/** A row of the fault table. Its tests are found by its number (`tests/support/fault-row.ts`). */
export interface FaultRow {
  readonly row: number;
  /** What goes wrong. */
  readonly fault: string;
  /** What is done about it, with its number. */
  readonly promise: string;
  /** Where the number comes from. */
  readonly source: string;
  /** The promised numbers, units in their names: what the tests assert. */
  readonly numbers: Readonly<Record<string, number>>;
  /** How it is reported; empty where nothing goes wrong that anybody must know of. */
  readonly signs: readonly (GuardSign | OtherSign)[];
}
