/** Success over a run as a plot of text. Pure. */
import { ink, type TextStyle } from './text.ts';

/** Rows of the plot. */
export const CURVE_ROWS = 6;
const LABEL_COLUMNS = 6;
const BLOCKS = ' ▁▂▃▄▅▆▇█';

/**
 * `shares` (0..1, oldest first) from the left to the right, as many columns as there are or fit into `width`: then each is the mean of
 * its part. `CURVE_ROWS` lines; none for fewer than two shares, which are no curve.
 */
export function learningCurve(shares: readonly number[], width: number, style: TextStyle): string[] {
  if (shares.length < 2) return [];
  const heights = spreadOver(shares, Math.min(shares.length, width - LABEL_COLUMNS)).map((share) => share * CURVE_ROWS);
  return Array.from({ length: CURVE_ROWS }, (_, row) => {
    const floor = CURVE_ROWS - 1 - row;
    const label = row === 0 ? '100 % ' : row === CURVE_ROWS - 1 ? '  0 % ' : ' '.repeat(LABEL_COLUMNS);
    const line = heights.map((height) => glyph(height - floor, style)).join('');
    return ink(style, 'dim', label) + ink(style, 'green', line.trimEnd());
  });
}

/** The means of `count` parts of `values`, as equal as they can be. */
function spreadOver(values: readonly number[], count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const part = values.slice(Math.floor((i * values.length) / count), Math.floor(((i + 1) * values.length) / count));
    return part.reduce((sum, value) => sum + Math.min(1, Math.max(0, value || 0)), 0) / part.length;
  });
}

/** What stands in a row of which the curve fills the share `filled`; a line at 0 is seen too. */
function glyph(filled: number, { glyphs }: TextStyle): string {
  if (glyphs === 'ascii') return filled >= 0.5 ? '#' : filled >= 0 ? '.' : ' ';
  return BLOCKS[Math.min(8, Math.max(filled >= 0 ? 1 : 0, Math.round(8 * filled)))]!;
}
