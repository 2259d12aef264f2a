/** Colours of the page, in light and dark. */
import { type Signal, signal } from '@preact/signals';

/** Counters of changes between dark and light, and between screen and paper: canvases read their colours when created. */
export const theme: Signal<number> = changesOf('(prefers-color-scheme: dark)');
export const paper: Signal<number> = changesOf('print');

function changesOf(query: string): Signal<number> {
  const count = signal(0);
  matchMedia(query).addEventListener('change', () => {
    count.value++;
  });
  return count;
}

/** CSS text of a colour by its name in the style sheet, such as `--blue`. */
export function colourText(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
