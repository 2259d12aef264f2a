/** Markup, numbers and colours of the pages, shared with drawings of other packages. */
import { readFileSync } from 'node:fs';

export { Html, html, shortNumber } from './page/html.ts';
export type { Hue } from './page/training-charts.ts';

/** Style sheet of the pages' colours. */
export function colours(): string {
  return readFileSync(new URL('./page/tokens.css', import.meta.url), 'utf8');
}
