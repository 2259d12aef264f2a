/** What drawings of other packages share with the pages: markup, numbers and colours. */
import { readFileSync } from 'node:fs';

export { Html, html, shortNumber } from './page/html.ts';
export type { Hue } from './page/training-charts.ts';

/** The style sheet of the pages' colours. */
export function colours(): string {
  return readFileSync(new URL('./page/tokens.css', import.meta.url), 'utf8');
}
