/** Display of a run's status: repainted in place on a terminal, one line a second elsewhere. */
import type { RunStatus } from '../../session/index.ts';
import { renderLine, renderStatus } from './render-status.ts';
import { columns, type TextStyle } from './text.ts';

/** Part of a stream used by the display; `process.stdout` is one. */
export interface DisplayStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface TerminalDisplayOptions {
  readonly stream: DisplayStream;
  /** Environment variables; `NO_COLOR`, `TERM`, `LANG`, `LC_ALL`, `LC_CTYPE` are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Monotonic seconds. */
  readonly nowS: () => number;
  /** Registers a cleanup for any end of the process; returns a function that unregisters it. */
  readonly onExit?: (restore: () => void) => () => void;
}

const REPAINT_S = 0.1;
const LINE_S = 1;
/** Smallest readable display; ptys of programs often report a size of 0. */
const MIN_COLUMNS = 40;
const MIN_ROWS = 8;
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
// Terminals that support these show a frame only once complete; others ignore them.
const BEGIN_FRAME = '\x1b[?2026h';
const END_FRAME = '\x1b[?2026l';

/** Text style of a stream, from its type and the environment (https://no-color.org). */
export function textStyle(isTty: boolean, env: TerminalDisplayOptions['env']): TextStyle {
  const colour = isTty && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb' ? 'ansi' : 'none';
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return { colour, glyphs: /utf-?8/i.test(locale) ? 'unicode' : 'ascii' };
}

/** Repaints statuses as they come, at 10 Hz at most. Not for the tick path: it writes to a stream. */
export class TerminalDisplay {
  readonly #options: TerminalDisplayOptions;
  readonly #isTerminal: boolean;
  readonly #style: TextStyle;
  #painted: string[] = [];
  #lastS = Number.NEGATIVE_INFINITY;
  #lastPhase = '';
  /** Paints a status that came too early once it is due. */
  #later: NodeJS.Timeout | undefined;
  #forgetExit: (() => void) | undefined;
  #stopped = false;

  constructor(options: TerminalDisplayOptions) {
    this.#options = options;
    this.#isTerminal = options.stream.isTTY === true && options.env['TERM'] !== 'dumb';
    this.#style = textStyle(options.stream.isTTY === true, options.env);
  }

  /** True if there is room to repaint in place; a window may be resized at any time. */
  get #live(): boolean {
    const { columns: width, rows } = this.#size();
    return this.#isTerminal && width >= MIN_COLUMNS && rows >= MIN_ROWS;
  }

  /** Shows the status if the last one is old enough to be replaced; a new phase is shown at once. */
  update(status: RunStatus): void {
    if (this.#stopped) return;
    const nowS = this.#options.nowS();
    const waitS = this.#lastS + (this.#live ? REPAINT_S : LINE_S) - nowS;
    if (waitS > 1e-6 && status.phase === this.#lastPhase) {
      // No further status may come for a while, so this one is shown later.
      if (this.#live) this.#later ??= setTimeout(() => this.#showLate(status), 1e3 * waitS).unref();
      return;
    }
    this.#forgetLater();
    this.#lastS = nowS;
    this.#lastPhase = status.phase;
    this.#show(status);
  }

  /** Prints a permanent line above the repainted part. */
  print(line: string): void {
    const { stream } = this.#options;
    if (!this.#live || this.#painted.length === 0) {
      stream.write(`${line}\n`);
      return;
    }
    stream.write(`${BEGIN_FRAME}${this.#toTop()}\x1b[J${line}\n${this.#painted.join('\n')}\n${END_FRAME}`);
  }

  /** Shows a last status regardless of the rate, restores the cursor and ends the display. May be called twice. */
  stop(last?: RunStatus): void {
    if (this.#stopped) return;
    this.#forgetLater();
    if (last !== undefined) this.#show(last);
    this.#stopped = true;
    this.#restore();
    this.#forgetExit?.();
  }

  /** Shows the status in its present state: the object may have changed since. */
  #showLate(status: RunStatus): void {
    this.#later = undefined;
    if (this.#stopped) return;
    this.#lastS = this.#options.nowS();
    this.#show(status);
  }

  #forgetLater(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
  }

  #show(status: RunStatus): void {
    if (this.#live) {
      this.#paint(status);
      return;
    }
    this.#painted = [];
    this.#options.stream.write(`${renderLine(status)}\n`);
  }

  #paint(status: RunStatus): void {
    const { stream } = this.#options;
    const size = this.#size();
    // The last row stays free: a newline there would scroll, and the next repaint would miss its start.
    const rows = size.rows - 1;
    const lines = renderStatus(status, size.columns, this.#style, rows).slice(0, rows);
    if (this.#forgetExit === undefined) {
      stream.write(HIDE_CURSOR);
      this.#forgetExit = (this.#options.onExit ?? onProcessExit)(() => this.#restore());
    }
    const body = lines.map((line) => `${line}\x1b[K\n`).join('');
    stream.write(`${BEGIN_FRAME}${this.#toTop()}${body}\x1b[J${END_FRAME}`);
    this.#painted = lines;
  }

  /** Moves to the first painted row; a terminal made narrower since has wrapped lines. */
  #toTop(): string {
    const width = this.#size().columns;
    let rows = 0;
    for (const line of this.#painted) rows += Math.max(1, Math.ceil(columns(line) / width));
    return rows === 0 ? '' : `\x1b[${rows}A\r`;
  }

  #size(): { columns: number; rows: number } {
    const { columns: width, rows } = this.#options.stream;
    return { columns: width || 80, rows: rows || 24 };
  }

  #restore(): void {
    if (this.#forgetExit !== undefined) this.#options.stream.write(SHOW_CURSOR);
  }
}

function onProcessExit(restore: () => void): () => void {
  process.once('exit', restore);
  return () => process.removeListener('exit', restore);
}
