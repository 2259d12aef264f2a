/** The page's colours, which differ in light and dark. */
import { type Signal, signal } from '@preact/signals';

/** Counts changes between dark and light: canvases take their colours when they are made. */
export const theme: Signal<number> = signal(0);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  theme.value++;
});

/** A colour by its name in the style sheet, such as `--blue`, as CSS writes it. */
export function colourText(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
