/** Explains why the robot is held, and resumes: acknowledges what is latched, then enables torque. */
import type { JointModel } from '../../model/index.ts';
import { type ActionCommand, type GuardAnswer, type GuardFrame, isActive } from '../../rows/index.ts';
import { COMMAND_LATE, faultsOf, messageOf, withRow } from '../../safety/index.ts';
import type { GuardLink } from './link.ts';

/** Largest number of attempts to enable torque, one per tick. */
const ENABLE_TRIES = 5;

/** True if a stop or a fault is latched until it is acknowledged. */
export function isLatched({ state, faultFlags }: Pick<GuardFrame, 'state' | 'faultFlags'>): boolean {
  if (state === 'standby' || state === 'disconnected') return faultFlags !== 0;
  return state === 'stopped' || state === 'fault';
}

/** Joint fields used in fault messages. */
type FaultJoint = Pick<JointModel, 'name' | 'kind'>;

/** Messages of the faults in `frame`, each with its row; empty if there are none. `joints`: those of the robot, in order. */
export function faultText(frame: GuardFrame, joints: readonly FaultJoint[], flags: number = frame.faultFlags): string {
  return faultsOf(flags)
    .map((fault) => withRow(messageOf(fault, frame, joints), fault.row))
    .join(' ');
}

/** Facts about an ended motion beyond the guard's frame. */
export interface HeldMotion {
  /** Joints of the robot, in order; empty: faults name no joint. */
  readonly joints: readonly FaultJoint[];
  /** Remaining lease of the command that moved it last, s; ≤ 0: expired. */
  readonly leaseLeftS: number;
}

/** Detects in a link's frames whether a motion ended by an expired lease: a command issued in time may arrive too late. */
export class EndOfMotion {
  #isMoving = false;
  #isLeaseOver = false;

  /** True if the latest motion ended because the lease of the newest command expired; a hold removes the command. False while moving. */
  get isLeaseOver(): boolean {
    return this.#isLeaseOver;
  }

  /** Takes each frame, in order. */
  tick({ state, leaseS, leaseLeftS }: Pick<GuardFrame, 'state' | 'leaseS' | 'leaseLeftS'>): void {
    const wasMoving = this.#isMoving;
    this.#isMoving = isActive(state);
    if (this.#isMoving) this.#isLeaseOver = false;
    else if (wasMoving) this.#isLeaseOver = leaseS > 0 && leaseLeftS === 0;
  }
}

/** Clause that explains why a motion ended, if `frame` has a state without motion. For the operator; allocates. */
export function whyHeld(frame: GuardFrame, { joints, leaseLeftS }: HeldMotion): string {
  const state = `the guard is in state "${frame.state}"`;
  // An expired command of the operator or a script is no fault of the guard, nor is a hold: the robot is ready again, without a flag.
  const isUnflagged = frame.state === 'ready' && frame.faultFlags === 0;
  if (isUnflagged && leaseLeftS > 0) return `${state}: the robot was held on request`;
  const why = faultText(frame, joints, isUnflagged ? COMMAND_LATE : frame.faultFlags).slice(0, -1);
  return why === '' ? state : `${state}: ${why[0]!.toLowerCase()}${why.slice(1)}`;
}

/** Remaining lease of `command` at `nowS`, s; negative once expired. */
export function leaseLeftS({ issuedAtS, leaseS }: ActionCommand, nowS: number): number {
  return issuedAtS + leaseS - nowS;
}

/** Acknowledges what is latched and advances one tick; `undefined` if nothing was latched. */
export async function acknowledge(link: GuardLink): Promise<GuardAnswer | undefined> {
  if (!isLatched(link.latest)) return undefined;
  const answer = await link.request({ kind: 'acknowledge' });
  await link.advance(1);
  // Another client has acknowledged in the meantime.
  const isDone = !answer.ok && answer.needs === 'state' && !isLatched(link.latest);
  return isDone ? undefined : answer;
}

/**
 * Acknowledges what is latched, then enables torque: the robot holds. Returns the refusal, if any. Torque comes on only in a tick
 * with a joint measurement; a refusal for that reason alone is retried.
 */
export async function holdAgain(link: GuardLink): Promise<GuardAnswer> {
  const acknowledged = await acknowledge(link);
  if (acknowledged?.ok === false) return acknowledged;
  if (link.latest.state !== 'standby') return { ok: true };
  for (let tries = 1; ; tries++) {
    const answer = await link.request({ kind: 'enable' });
    await link.advance(1);
    if (answer.ok || answer.needs !== 'reading' || tries === ENABLE_TRIES) return answer;
  }
}

/**
 * Requests activation, and waits while the guard tests each joint (row 34); returns the last answer. In `ready` only that test is a
 * refusal for the state.
 */
export async function activate(link: GuardLink): Promise<GuardAnswer> {
  for (;;) {
    const answer = await link.request({ kind: 'activate' });
    if (answer.ok || answer.needs !== 'state') return answer;
    await link.advance(1);
    if (link.latest.state !== 'ready') return answer;
  }
}
