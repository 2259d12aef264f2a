/** Numbers, times and Markdown tables as people read them. The same in every language: a point before fractions. */

/** `value` with so many significant digits and no zeros behind them: 0.123456 → `0.123`. */
export function significant(value: number, digits = 3): string {
  return String(Number(value.toPrecision(digits)));
}

/** A sentence as part of another: `The robot does not answer.` → `The robot does not answer`. */
export function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

/** A number rounded to whole, with `gap` between groups of three: 12345 → `12 345`; `-` when not finite. */
export function grouped(value: number, gap = ' '): string {
  return Number.isFinite(value) ? String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, gap) : '-';
}

/** `1 tick`, `2 ticks`; `gap` between groups of three. */
export function counted(count: number, noun: string, gap = ''): string {
  return `${grouped(count, gap)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A share as a percentage: 0.5 → `50.0 %`; `-` when not finite. */
export function percent(share: number, decimals = 1): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(decimals)} %` : '-';
}

/** Seconds as `m:ss` or `h:mm:ss`, rounded; `-` for null and for what is not finite. */
export function clockText(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return '-';
  const whole = Math.max(0, Math.round(seconds));
  const s = String(whole % 60).padStart(2, '0');
  const m = Math.floor(whole / 60) % 60;
  const h = Math.floor(whole / 3600);
  return h > 0 ? `${h}:${String(m).padStart(2, '0')}:${s}` : `${m}:${s}`;
}

/** A table in Markdown, each line ended; bars and line ends in cells are taken for text. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  const line = (cells: readonly (string | number | undefined)[]): string =>
    `| ${cells.map((cell = '') => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
  return `${line(heads)}|${'---|'.repeat(heads.length)}\n${rows.map(line).join('')}`;
}
