/** Formats numbers, times and Markdown tables. Locale-independent: a decimal point. */

/** Formats `value` with `digits` significant digits, without trailing zeros: 0.123456 → `0.123`. */
export function significant(value: number, digits = 3): string {
  return String(Number(value.toPrecision(digits)));
}

/** Removes the full stop, to embed a sentence in another: `The robot does not answer.` → `The robot does not answer`. */
export function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

/** Formats a number rounded to an integer, with `gap` between groups of three: 12345 → `12 345`; `-` if not finite. */
export function grouped(value: number, gap = ' '): string {
  return Number.isFinite(value) ? String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, gap) : '-';
}

/** Count with its noun: `1 tick`, `2 ticks`; `gap` between groups of three. */
export function counted(count: number, noun: string, gap = ''): string {
  return `${grouped(count, gap)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A fraction as a percentage: 0.5 → `50.0 %`; `-` if not finite. */
export function percent(share: number, decimals = 1): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(decimals)} %` : '-';
}

/** Seconds as `m:ss` or `h:mm:ss`, rounded; `-` for null and non-finite values. */
export function clockText(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return '-';
  const whole = Math.max(0, Math.round(seconds));
  const s = String(whole % 60).padStart(2, '0');
  const m = Math.floor(whole / 60) % 60;
  const h = Math.floor(whole / 3600);
  return h > 0 ? `${h}:${String(m).padStart(2, '0')}:${s}` : `${m}:${s}`;
}

/** A Markdown table, each line terminated; bars in cells are escaped, line breaks become spaces. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  const line = (cells: readonly (string | number | undefined)[]): string =>
    `| ${cells.map((cell = '') => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
  return `${line(heads)}|${'---|'.repeat(heads.length)}\n${rows.map(line).join('')}`;
}

/** Smallest readable width of a description, columns. */
const LEAST_ROOM = 20;

/** Breaks every line of `text` at spaces to fit `width` columns; continuation lines align with the start of the line's last column. */
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
    // A word longer than the line is left whole: a broken path or option would be useless.
    const cut = at > lead ? at : rest.indexOf(' ', lead + 1);
    if (cut < 0) break;
    out.push(rest.slice(0, cut).trimEnd());
    rest = indent + rest.slice(cut).trimStart();
  }
  return [...out, rest].join('\n');
}

/** Column at which the description begins: after the last gap of two or more spaces that leaves enough room. */
function hangingIndent(line: string, width: number): number {
  const leading = line.length - line.trimStart().length;
  const gaps = [...line.matchAll(/\S {2,}(?=\S)/g)].map((match) => match.index + match[0].length);
  return gaps.filter((column) => column <= width - LEAST_ROOM).at(-1) ?? leading;
}
