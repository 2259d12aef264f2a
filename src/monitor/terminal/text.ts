/** Terminal text: fitting, colours, and number formats. Every glyph used here is one column wide. */

/** Capabilities of a terminal. */
export interface TextStyle {
  readonly colour: 'ansi' | 'none';
  /** `ascii` if the locale cannot show block characters. */
  readonly glyphs: 'unicode' | 'ascii';
}

export const PLAIN: TextStyle = { colour: 'none', glyphs: 'unicode' };

const CODES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' } as const;
export type Ink = keyof typeof CODES;

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const SEQUENCE = /\x1b\[[0-9;?]*[A-Za-z]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const CONTROL = /[\x00-\x1f\x7f-\x9f]+/g;

/** Returns the text without escape sequences. */
export function stripAnsi(text: string): string {
  return text.replace(SEQUENCE, '');
}

// East Asian wide characters and pictographs take two columns; terminals disagree on which, so none is printed.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;

/** Makes external text safe to print on one line: control characters become a space, wide ones a question mark. */
export function oneLine(text: string): string {
  return stripAnsi(text).replace(CONTROL, ' ').replace(WIDE, '?').trim();
}

/** Returns `text` in a colour, if colours are allowed. */
export function ink(style: TextStyle, colour: Ink, text: string): string {
  return style.colour === 'ansi' && text !== '' ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text;
}

/** Returns the width of the text, in columns. */
export function columns(text: string): number {
  return [...stripAnsi(text)].length;
}

/** Truncates the text to `width` columns, with a mark if anything is missing; escape sequences stay whole. */
export function fit(text: string, width: number, style: TextStyle = PLAIN): string {
  if (columns(text) <= width) return text;
  if (width <= 0) return '';
  const mark = style.glyphs === 'unicode' ? '…' : '~';
  let out = '';
  let room = width - 1;
  let at = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    const piece = [...text.slice(at, match.index)].slice(0, room);
    out += piece.join('') + match[0];
    room -= piece.length;
    at = match.index + match[0].length;
  }
  out += [...text.slice(at)].slice(0, room).join('') + mark;
  return style.colour === 'ansi' ? `${out}\x1b[0m` : out;
}

/**
 * Wraps `text` without escape sequences into at most `most` lines of `width` columns, between words; the last line is
 * truncated if needed.
 */
export function wrapped(text: string, width: number, most: number, style: TextStyle = PLAIN): string[] {
  const lines: string[] = [];
  let rest = [...text];
  while (rest.length > width && lines.length < most - 1) {
    const space = rest.lastIndexOf(' ', width);
    const cut = space > 0 ? space : width;
    lines.push(rest.slice(0, cut).join('').trimEnd());
    rest = [...rest.slice(cut).join('').trimStart()];
  }
  return [...lines, fit(rest.join(''), width, style)];
}

/** Places `left` and `right` at the ends of a line of `width` columns; `left` is truncated first. */
export function spread(left: string, right: string, width: number, style: TextStyle = PLAIN): string {
  const room = width - columns(right) - 1;
  if (room < 8) return fit(left, width, style);
  const start = fit(left, room, style);
  return start + ' '.repeat(width - columns(start) - columns(right)) + right;
}

/** Formats a number with a fixed number of decimals; `-` if not finite. */
export function decimal(value: number, decimals: number): string {
  return Number.isFinite(value) ? value.toFixed(decimals) : '-';
}

/** Bar of `width` columns filled to `share` (0..1), to an eighth of a column if the glyphs allow. */
export function bar(share: number, width: number, style: TextStyle): string {
  const filled = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0)) * width;
  if (style.glyphs === 'ascii') {
    const whole = Math.round(filled);
    return ink(style, 'cyan', '#'.repeat(whole)) + ink(style, 'dim', '.'.repeat(width - whole));
  }
  const eighths = Math.round(filled * 8);
  const whole = Math.floor(eighths / 8);
  const part = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8]!;
  const rest = width - whole - part.length;
  return ink(style, 'cyan', '█'.repeat(whole) + part) + ink(style, 'dim', '░'.repeat(rest));
}

/** Last `width` shares (0..1) as one column each; shorter histories are shorter. */
export function sparkline(shares: readonly number[], width: number, style: TextStyle): string {
  const steps = style.glyphs === 'unicode' ? '▁▂▃▄▅▆▇█' : '_.-~=+*#';
  const shown = shares.slice(-Math.max(0, width));
  return shown.map((v) => steps[Math.min(7, Math.max(0, Math.round((Number.isFinite(v) ? v : 0) * 7)))]).join('');
}
