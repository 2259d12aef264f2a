/** Result of a check on the way to an arm that drives, with its remedy. */

export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** Present state or problem, in one line. */
  readonly detail: string;
  /** Action that solves the problem. */
  readonly remedy?: string | undefined;
}

/** For a line that echoes sent bytes, as adapters with one wire do. */
export const ECHO_NOTE = '; what is sent comes back on it, and is left out';
