/** Container that scrolls content wider than the page, also by keys. */
import type { ComponentChildren } from 'preact';

export function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
