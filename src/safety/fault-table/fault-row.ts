/** Format of the fault table's rows. Rows are those of the specification; their numbers never change. */

/**
 * Reaction of the arm to a fault, mildest first. `slow` moves at most half as fast, or as the row specifies; `cat2`
 * brakes and holds, `cat1` brakes, then torque off, `cat0` torque off now.
 */
export const STOP_ACTIONS = ['none', 'warn', 'slow', 'cat2', 'cat1', 'cat0'] as const;
export type StopAction = (typeof STOP_ACTIONS)[number];

/** Condition for clearing a flag: its cause is gone, or the cause is gone and an operator has acknowledged. */
export type Clears = 'byItself' | 'acknowledged';

interface Reported {
  /** Name of the flag, and of the event that reports it. */
  readonly name: string;
  readonly clears: Clears;
  /** Description of the fault and the remedy, for the operator. */
  readonly message: string;
  readonly remedy: string;
}

/** A fault detected by the guard: one bit of the frame's fault flags. */
export interface GuardSign extends Reported {
  readonly seenBy: 'guard';
  readonly bit: number;
  readonly action: StopAction;
  /** Deciders that may move the robot while the flag is set. */
  readonly mayMove: 'anybody' | 'human' | 'nobody';
}

/** A fault detected outside the guard and reported as an event; where the robot has to stop, it stops through the guard. */
export interface OtherSign extends Reported {
  readonly seenBy: 'node' | 'bridge' | 'stopper' | 'supervisor' | 'configuration';
  readonly action: StopAction | 'hold' | 'refuse';
}

/** A row of the fault table. Its tests are found by its number (`tests/support/fault-row.ts`). */
export interface FaultRow {
  readonly row: number;
  /** The fault. */
  readonly fault: string;
  /** Reaction to the fault, with its number. */
  readonly promise: string;
  /** Origin of the number. */
  readonly source: string;
  /** The promised numbers, units in their names: asserted by the tests. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Reports of the fault; empty where there is nothing to report. */
  readonly signs: readonly (GuardSign | OtherSign)[];
}
