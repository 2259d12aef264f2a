/** Why the guard lets nothing move, and what lets it go on: acknowledge what is latched, then torque. */
import { type ActionCommand, type GuardAnswer, type GuardFrame, isActive, type JointModel } from '../../core/index.ts';
import { COMMAND_LATE, faultsOf, messageOf, withRow } from '../../safety/index.ts';
import type { GuardLink } from './link.ts';

/** Ticks in which torque may come on. */
const ENABLE_TRIES = 5;

/** A stop or a fault stays until somebody acknowledges it. */
export function isLatched({ state, faultFlags }: Pick<GuardFrame, 'state' | 'faultFlags'>): boolean {
  if (state === 'standby' || state === 'disconnected') return faultFlags !== 0;
  return state === 'stopped' || state === 'fault';
}

/** What a fault names a joint by. */
type FaultJoint = Pick<JointModel, 'name' | 'kind'>;

/** Messages of the faults in `frame`, each with its row; empty where there are none. `joints`: of the robot, in order. */
export function faultText(frame: GuardFrame, joints: readonly FaultJoint[], flags: number = frame.faultFlags): string {
  return faultsOf(flags)
    .map((fault) => withRow(messageOf(fault, frame, joints), fault.row))
    .join(' ');
}

/** What is known beside the guard's frame of a motion that is over. */
export interface HeldMotion {
  /** Of the robot, in order; empty: faults name no joint. */
  readonly joints: readonly FaultJoint[];
  /** Left of the lease of the command that moved it last, s; ≤ 0: it has run out. */
  readonly leaseLeftS: number;
}

/** Follows a link's frames for the tick that ended a motion: a command that was issued in time may come too late for it. */
export class EndOfMotion {
  #isMoving = false;
  #isLeaseOver = false;

  /** Whether the latest motion ended as the lease of the newest command ran out: a hold takes the command away. False while the robot moves. */
  get isLeaseOver(): boolean {
    return this.#isLeaseOver;
  }

  /** Of each frame, in order. */
  tick({ state, leaseS, leaseLeftS }: Pick<GuardFrame, 'state' | 'leaseS' | 'leaseLeftS'>): void {
    const wasMoving = this.#isMoving;
    this.#isMoving = isActive(state);
    if (this.#isMoving) this.#isLeaseOver = false;
    else if (wasMoving) this.#isLeaseOver = leaseS > 0 && leaseLeftS === 0;
  }
}

/** The clause that says why a motion is over, where `frame` is of no state that moves. For people; allocates. */
export function whyHeld(frame: GuardFrame, { joints, leaseLeftS }: HeldMotion): string {
  const state = `the guard is in state "${frame.state}"`;
  // Commands of a person or a script that run out are no fault to the guard, nor is a hold: the robot is ready again, and no flag says so.
  const isUnflagged = frame.state === 'ready' && frame.faultFlags === 0;
  if (isUnflagged && leaseLeftS > 0) return `${state}: somebody held the robot`;
  const why = faultText(frame, joints, isUnflagged ? COMMAND_LATE : frame.faultFlags).slice(0, -1);
  return why === '' ? state : `${state}: ${why[0]!.toLowerCase()}${why.slice(1)}`;
}

/** What is left at `nowS` of the lease of `command`, s; negative once it has run out. */
export function leaseLeftS({ issuedAtS, leaseS }: ActionCommand, nowS: number): number {
  return issuedAtS + leaseS - nowS;
}

/** Acknowledges what is latched and lets a tick pass; `undefined` where there was nothing. */
export async function acknowledge(link: GuardLink): Promise<GuardAnswer | undefined> {
  if (!isLatched(link.latest)) return undefined;
  const answer = await link.request({ kind: 'acknowledge' });
  await link.advance(1);
  // Somebody else has acknowledged in the meantime.
  const isDone = !answer.ok && answer.needs === 'state' && !isLatched(link.latest);
  return isDone ? undefined : answer;
}

/**
 * Acknowledges what is latched, then puts torque on: the robot holds. Gives the refusal, where there is one. Torque comes on only
 * in a tick that has measured the joints; one that has not, and nothing else, is asked again.
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
 * Asks for leave to move, and waits while the guard tries each joint (row 34): the last answer. In `ready` the state is the reason for
 * nothing else.
 */
export async function activate(link: GuardLink): Promise<GuardAnswer> {
  for (;;) {
    const answer = await link.request({ kind: 'activate' });
    if (answer.ok || answer.needs !== 'state') return answer;
    await link.advance(1);
    if (link.latest.state !== 'ready') return answer;
  }
}
