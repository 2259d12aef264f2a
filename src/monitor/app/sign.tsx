/** A state as a sign, a word and a colour, any one of which is enough. */

const KINDS = {
  good: '✓',
  warn: '▲',
  bad: '✗',
  unknown: '?',
} as const;
export type SignKind = keyof typeof KINDS;

export function Sign({ kind, word }: { readonly kind: SignKind; readonly word: string }) {
  return (
    <span class={`sign ${kind}`}>
      <span aria-hidden="true">{KINDS[kind]}</span> {word}
    </span>
  );
}
