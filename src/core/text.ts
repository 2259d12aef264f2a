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

/** Nobody reads a description that is squeezed into less than this. */
const LEAST_ROOM = 20;

/** `text` with every line broken at spaces so that it fits `width` columns; what follows a break stands below the line's last column. */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  if (line.length <= width) return line;
  const indent = ' '.repeat(hangingIndent(line, width));
  const out: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const lead = out.length === 0 ? hangingIndent(line, width) : indent.length;
    const at = rest.lastIndexOf(' ', width);
    // A word that is longer than the line is left whole: half a path or an option is worth nothing.
    const cut = at > lead ? at : rest.indexOf(' ', lead + 1);
    if (cut < 0) break;
    out.push(rest.slice(0, cut).trimEnd());
    rest = indent + rest.slice(cut).trimStart();
  }
  return [...out, rest].join('\n');
}

/** Where the description begins: after the last gap of two or more spaces, as far as that leaves room. */
function hangingIndent(line: string, width: number): number {
  const leading = line.length - line.trimStart().length;
  const gaps = [...line.matchAll(/\S {2,}(?=\S)/g)].map((match) => match.index + match[0].length);
  return gaps.filter((column) => column <= width - LEAST_ROOM).at(-1) ?? leading;
}
