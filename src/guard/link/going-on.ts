/** Why the guard lets nothing move, and what lets it go on: acknowledge what is latched, then torque. */
import type { GuardAnswer, GuardFrame, JointModel } from '../../core/index.ts';
import { COMMAND_LATE, faultsOf, messageOf, withRow } from '../../safety/index.ts';
import type { GuardLink } from './link.ts';

/** Ticks in which torque may come on. */
const ENABLE_TRIES = 5;

/** A stop or a fault stays until somebody acknowledges it. */
export function isLatched({ state, faultFlags }: Pick<GuardFrame, 'state' | 'faultFlags'>): boolean {
  return state === 'stopped' || state === 'fault' || (state === 'standby' && faultFlags !== 0);
}

/** Messages of the faults in `frame`, each with its row; empty where there are none. `joints`: of the robot, in order. */
export function faultText(frame: GuardFrame, joints: readonly JointModel[], flags: number = frame.faultFlags): string {
  return faultsOf(flags)
    .map((fault) => withRow(messageOf(fault, frame, joints), fault.row))
    .join(' ');
}

/** The clause that says why a motion is over, where `frame` is of no state that moves. For people; allocates. */
export function whyHeld(frame: GuardFrame): string {
  // Commands of a person or a script that run out are no fault to the guard: the robot is ready again, and no flag says so.
  const late = frame.state === 'ready' && frame.faultFlags === 0 ? COMMAND_LATE : 0;
  const why = faultText(frame, [], frame.faultFlags | late).slice(0, -1);
  const state = `the guard is in state "${frame.state}"`;
  return why === '' ? state : `${state}: ${why[0]!.toLowerCase()}${why.slice(1)}`;
}

/** Acknowledges what is latched and lets a tick pass; `undefined` where there was nothing. */
export async function acknowledge(link: GuardLink): Promise<GuardAnswer | undefined> {
  if (!isLatched(link.latest)) return undefined;
  const answer = await link.request({ kind: 'acknowledge' });
  await link.advance(1);
  return answer;
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
