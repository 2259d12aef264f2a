/** States as sign, word and colour, any one of which suffices: the same on every page. Imports nothing that a browser lacks. */

/** Signs drawn before the word; the key is the colour's class in `app/main.css`. */
export const SIGNS = {
  good: '✓',
  warn: '▲',
  bad: '✗',
  unknown: '?',
} as const;
export type SignKind = keyof typeof SIGNS;

/** States of a row of "Why is it not learning?", worst first. */
export const CHECK_STATES = {
  bad: ['bad', 'bad'],
  warn: ['warn', 'doubtful'],
  ok: ['good', 'ok'],
  unknown: ['unknown', 'not known yet'],
} as const satisfies Readonly<Record<string, readonly [SignKind, string]>>;
export type CheckState = keyof typeof CHECK_STATES;

const ORDER = Object.keys(CHECK_STATES);

/** Sorted copy, worst first; equal states keep their order. */
export function worstFirst<T extends { readonly state: CheckState }>(rows: readonly T[]): T[] {
  return [...rows].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

export function isWrong({ state }: { readonly state: CheckState }): boolean {
  return state === 'bad' || state === 'warn';
}

/** `3 bad, 1 doubtful, 12 ok, 4 not known yet.` */
export function countsText(rows: readonly { readonly state: CheckState }[]): string {
  const parts = Object.entries(CHECK_STATES).map(
    ([state, [, word]]) => `${rows.filter((row) => row.state === state).length} ${word}`,
  );
  return `${parts.join(', ')}.`;
}
