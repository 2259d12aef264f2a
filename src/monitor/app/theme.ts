/** The page's colours, which differ in light and dark. */
import { type Signal, signal } from '@preact/signals';

/** Count changes between dark and light, and between screen and paper: canvases take their colours when they are made. */
export const theme: Signal<number> = changesOf('(prefers-color-scheme: dark)');
export const paper: Signal<number> = changesOf('print');

function changesOf(query: string): Signal<number> {
  const count = signal(0);
  matchMedia(query).addEventListener('change', () => {
    count.value++;
  });
  return count;
}

/** A colour by its name in the style sheet, such as `--blue`, as CSS writes it. */
export function colourText(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
