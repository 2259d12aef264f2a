/** Text from files, made safe for one line of a terminal. */

/** Replaces control characters of `text`, so that a file cannot write to the terminal. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal.
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '·');
}

/** As `clean`, truncated to 60 characters. */
export function shown(text: string): string {
  const whole = clean(text);
  return whole.length > 60 ? `${whole.slice(0, 57)}…` : whole;
}
