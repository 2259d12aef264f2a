/** State shown as a sign, a word and a colour. */
import { SIGNS, type SignKind } from '../page/signs.ts';

export function Sign({ kind, word }: { readonly kind: SignKind; readonly word: string }) {
  return (
    <span class={`sign ${kind}`}>
      <span aria-hidden="true">{SIGNS[kind]}</span> {word}
    </span>
  );
}
