/** Events of a session that people see as a line, and its wording: a page has buttons, and no terminal keys. */
import type { SessionEvent } from '../session-types.ts';

/** Single late commands are only counted, in the metrics. */
const QUIET: readonly string[] = ['commandLate', 'startFar'];
/** Events with a terminal bell: a person beside the robot looks elsewhere. */
const RINGS: readonly string[] = ['asksForHelp', 'asksForReset'];

/** `undefined` for a fault that passes. */
export function linesOf({
  name,
  row,
  level,
  message,
  messageAtPage = message,
}: SessionEvent): readonly [atTerminal: string, atPage: string] | undefined {
  if (row !== 0 && level !== 'error' && QUIET.includes(name)) return undefined;
  return [`${RINGS.includes(name) ? '\u0007' : ''}${message}`, messageAtPage];
}
