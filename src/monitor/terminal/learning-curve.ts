/** Success over a run as a text plot. Pure. */
import { ink, type TextStyle } from './text.ts';

/** Rows of the plot. */
export const CURVE_ROWS = 6;
const LABEL_COLUMNS = 6;
const BLOCKS = ' ▁▂▃▄▅▆▇█';

/**
 * Plots `shares` (0..1, oldest first) left to right, one column each, or as the means of `width` equal parts if there
 * are more. Returns `CURVE_ROWS` lines; none for fewer than two shares, which are no curve.
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

/** Means of `count` parts of `values`, as equal in size as possible. */
function spreadOver(values: readonly number[], count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const part = values.slice(Math.floor((i * values.length) / count), Math.floor(((i + 1) * values.length) / count));
    return part.reduce((sum, value) => sum + Math.min(1, Math.max(0, value || 0)), 0) / part.length;
  });
}

/** Character of a row that the curve fills to the share `filled`; a curve at 0 is visible too. */
function glyph(filled: number, { glyphs }: TextStyle): string {
  if (glyphs === 'ascii') return filled >= 0.5 ? '#' : filled >= 0 ? '.' : ' ';
  return BLOCKS[Math.min(8, Math.max(filled >= 0 ? 1 : 0, Math.round(8 * filled)))]!;
}
