/** Help texts made to fit a terminal: broken between words only, columns kept. */

/** Width of help where the output is no terminal, columns. */
export const DEFAULT_HELP_COLUMNS = 120;
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
