/** Which events of a session people are told in a line, and in which words: a page has buttons, and no keys of a terminal. */
import type { SessionEvent } from '../session-types.ts';

/** Late commands, single ones, are counted in the metrics. */
const QUIET: readonly string[] = ['commandLate', 'startFar'];
/** Who stands beside the robot looks elsewhere. */
const RINGS: readonly string[] = ['asksForHelp', 'asksForReset'];

/** `undefined` of a fault that passes. */
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
