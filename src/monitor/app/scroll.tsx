/** What may be wider than the page, and is scrolled by keys too. */
import type { ComponentChildren } from 'preact';

export function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
