/** Why the node does not do what it is asked for: one sentence, never a crash. */
import { ReinError } from '../../../core/index.ts';
import type { LiveSession } from '../../../runtime/live/index.ts';
import type { SessionHolder } from '../session-holder.ts';

/** What refusals depend on. */
export interface Permission {
  readonly holder: SessionHolder;
  /** The node was activated. */
  readonly isActive: boolean;
  readonly fullName: string;
}

/** The open session. Throws `ReinError('task')` where there is none. */
export function openSessionOf({ holder, fullName }: Permission): LiveSession {
  if (holder.session !== undefined) return holder.session;
  const why = {
    closed: `${fullName} is not configured: ros2 lifecycle set ${fullName} configure`,
    opening: waitOf(holder) ?? 'The connection to the robot is being opened; try again in a moment',
    open: 'The connection to the robot is being closed',
    failed: holder.failure?.message ?? 'The connection to the robot could not be opened',
  };
  throw new ReinError('task', ended(why[holder.state]));
}

/** The open session of an active node: motion may begin. Throws `ReinError('task')` elsewhere. */
export function movableSessionOf(permission: Permission): LiveSession {
  const session = openSessionOf(permission);
  if (permission.isActive) return session;
  const { fullName } = permission;
  throw new ReinError('task', `${fullName} is inactive and may not move: ros2 lifecycle set ${fullName} activate.`);
}

function waitOf({ wait }: SessionHolder): string | undefined {
  return wait === undefined ? undefined : `${wait.message} ${wait.remedy}`;
}

/** One line for people: what is wrong, and what to do. */
export function sentenceOf(error: unknown): string {
  const message = ended(error instanceof Error ? error.message : String(error));
  return error instanceof ReinError && error.remedy !== undefined ? `${message} ${ended(error.remedy)}` : message;
}

/** With a full stop. */
export function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
