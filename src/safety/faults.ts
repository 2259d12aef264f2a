/**
 * The assembled fault table: faults and reactions. Rows are in `fault-table/`. A flag is one bit; 0 is healthy. Row
 * numbers never change, so that tests and reports can cite them.
 */
import { type JointModel, torqueUnit, withoutFullStop } from '../model/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import { DECIDING } from './fault-table/deciding.ts';
import {
  type FaultRow,
  type GuardSign,
  type OtherSign,
  STOP_ACTIONS,
  type StopAction,
} from './fault-table/fault-row.ts';
import { DRIVER_LOST, SERVO_RESIDUAL, START_OUTSIDE, TICK_STALLED, TORQUE_RESIDUAL } from './fault-table/flags.ts';
import { MACHINE } from './fault-table/machine.ts';
import { MEASURING } from './fault-table/measuring.ts';
import { MOTION } from './fault-table/motion.ts';
import { PEOPLE } from './fault-table/people.ts';
import { SURROUNDINGS } from './fault-table/surroundings.ts';

export type { FaultRow } from './fault-table/fault-row.ts';
export { STOP_ACTIONS, type StopAction };

/** All rows, in order. */
export const FAULT_ROWS: readonly FaultRow[] = [
  ...DECIDING,
  ...MEASURING,
  ...PEOPLE,
  ...MACHINE,
  ...MOTION,
  ...SURROUNDINGS,
];

/** A flag of the guard, with its row. */
export interface Fault {
  /** Row in the fault table. */
  readonly row: number;
  readonly flag: string;
  readonly bit: number;
  readonly action: StopAction;
  /** Condition for clearing the flag: its cause is gone, or the cause is gone and an operator has acknowledged. */
  readonly clears: 'byItself' | 'acknowledged';
  /** Deciders that may move the robot while the flag is set. */
  readonly mayMove: 'anybody' | 'human' | 'nobody';
  /** Description of the fault and the remedy, for the operator. */
  readonly message: string;
  readonly remedy: string;
}

/** A fault detected outside the guard: by the node, by the processes that speak ROS, at the start. */
export interface OtherFault extends OtherSign {
  /** Row in the fault table. */
  readonly row: number;
}

/** All flags of the guard. */
export const FAULTS: readonly Fault[] = FAULT_ROWS.flatMap((row) =>
  row.signs.filter(isGuards).map(({ seenBy: _, name, ...sign }) => ({ row: row.row, flag: name, ...sign })),
);

/** All faults detected outside the guard. */
export const OTHER_FAULTS: readonly OtherFault[] = FAULT_ROWS.flatMap((row) =>
  row.signs.filter(isOthers).map((sign) => ({ row: row.row, ...sign })),
);

function isGuards(sign: GuardSign | OtherSign): sign is GuardSign {
  return sign.seenBy === 'guard';
}

function isOthers(sign: GuardSign | OtherSign): sign is OtherSign {
  return sign.seenBy !== 'guard';
}

/** Flags under which only a human may move the robot. */
export const PERSON_ONLY: number = FAULTS.reduce((bits, f) => (f.mayMove === 'human' ? bits | f.bit : bits), 0);

/** Flags that stay until acknowledged. */
const LATCHED = FAULTS.reduce((bits, fault) => (fault.clears === 'acknowledged' ? bits | fault.bit : bits), 0);

/** Flags under which the chain moves at most half as fast; outside its limits (`START_OUTSIDE`) the robot has its own speed limit. */
export const SLOWING: number =
  FAULTS.reduce((bits, f) => (f.action === 'slow' ? bits | f.bit : bits), 0) & ~START_OUTSIDE;

/** Returns the sternest action required by the set flags. Tick-safe. */
export function worstAction(flags: number): StopAction {
  let worst = 0;
  for (let i = 0; i < FAULTS.length; i++) {
    const fault = FAULTS[i]!;
    if ((flags & fault.bit) !== 0) worst = Math.max(worst, STOP_ACTIONS.indexOf(fault.action));
  }
  return STOP_ACTIONS[worst]!;
}

/** True if `action` is `least` or sterner. Tick-safe. */
export function isAtLeast(action: StopAction, least: StopAction): boolean {
  return STOP_ACTIONS.indexOf(action) >= STOP_ACTIONS.indexOf(least);
}

/**
 * True if a simulated robot may go on by itself while `flags` are set or latched: none is of category 1 or 0, which
 * require a person to look. Tick-safe.
 */
export function mayGoOnInSimulation(flags: number): boolean {
  return !isAtLeast(worstAction(flags), 'cat1');
}

/** Returns the faults whose flags are set. For display; allocates. */
export function faultsOf(flags: number): readonly Fault[] {
  return FAULTS.filter((fault) => (flags & fault.bit) !== 0);
}

/** Row 54: faults of the joint torques. */
export const TORQUE_FAULTS: number = TORQUE_RESIDUAL | SERVO_RESIDUAL;

/** Faults that an overloaded machine causes too: an answer read too late is missing, and the torque of a late tick is off. */
export const TIMING_FAULTS: number = TORQUE_FAULTS | DRIVER_LOST | TICK_STALLED;

/** Figures of a fault besides its message: for row 54, the joint and its torque residual. */
export type FaultFigures = Pick<GuardFrame, 'residualJoint' | 'residualNm'>;

/** Returns the message of `fault`, with the joint (of `joints`) and the amount where there is one. Allocates. */
export function messageOf(
  { bit, message }: Fault,
  { residualJoint, residualNm }: FaultFigures,
  joints: readonly Pick<JointModel, 'name' | 'kind'>[],
): string {
  const joint = joints[residualJoint];
  if ((bit & TORQUE_FAULTS) === 0 || joint === undefined) return message;
  const amount = Number.isFinite(residualNm)
    ? `${residualNm.toFixed(1)} ${torqueUnit(joint)}`
    : 'no torque is measured';
  return `${withoutFullStop(message)} (${joint.name}: ${amount}).`;
}

/** Appends the row of the fault table to a message: `The robot does not answer (fault 10).` Allocates. */
export function withRow(message: string, row: number): string {
  return `${withoutFullStop(message)} (fault ${row}).`;
}

/** Latches flags until they are acknowledged. Tick-safe. */
export class FaultLatch {
  /** Flags set now or not yet acknowledged. */
  flags = 0;

  /** Merges the flags of this tick and returns `flags`. */
  update(present: number): number {
    this.flags = present | (this.flags & LATCHED);
    return this.flags;
  }

  /** Acknowledges by an operator: only flags whose cause is still present (`present`) stay. */
  acknowledge(present: number): void {
    this.flags = present;
  }
}
