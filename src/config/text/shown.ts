/** Text of a file as it can be shown in one line of a terminal. */

/** `text` without control characters, so that a file cannot write to the terminal. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal.
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '·');
}

/** The same, cut where it is long. */
export function shown(text: string): string {
  const whole = clean(text);
  return whole.length > 60 ? `${whole.slice(0, 57)}…` : whole;
}
