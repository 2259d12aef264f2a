/** What was looked at on the way to an arm that drives, and what mends it. */

export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** What is there or what is wrong, in one line. */
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string | undefined;
}

/** Of a line on which what is sent comes back, as on adapters with one wire. */
export const ECHO_NOTE = '; what is sent comes back on it, and is left out';
