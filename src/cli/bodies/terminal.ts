/** Terminal output of commands besides their final output. */

/** Prints lines to standard output, unless the command is quiet. */
export function sayer(output: 'live' | 'quiet'): (line: string) => void {
  return (line) => {
    if (output !== 'quiet') process.stdout.write(`${line}\n`);
  };
}

/** Prints a line to standard error. */
export function warn(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** Prints a problem to standard error, in the form of all errors. */
export function complain(message: string): void {
  warn(`rein: ${message}`);
}

/** One line on standard error that is overwritten. */
export interface ProgressLine {
  /** Shows `share` of the work as done, 0 to 1, and `text` as its state. */
  show(share: number, text: string): void;
  /** Announces work that takes time without reporting progress. */
  phase(text: string): void;
  /** Prints a line that stays. */
  above(line: string): void;
  /** Clears the line; the next progress starts anew. */
  end(): void;
}

const CLEAR = '\r\u001b[K';

/** Delay of the first line without a terminal, ms. */
const FIRST_LINE_MS = 1_000;
/** Share from which the remaining time is shown: before, start-up (modules, compiling) outweighs the work. */
const ESTIMATED_FROM = 0.1;

/**
 * Without a terminal a line is printed after a second, and every `lineMs` from then on. If `lineMs` is not given, or the output is quiet,
 * nothing is printed; phases never are.
 */
export function progressLine(output: 'live' | 'quiet', lineMs?: number): ProgressLine {
  const { stderr } = process;
  const isLive = output === 'live';
  const isOver = isLive && stderr.isTTY;
  let startedMs = performance.now();
  let nextMs = startedMs + FIRST_LINE_MS;
  const clear = (): void => void (isOver && stderr.write(CLEAR));
  return {
    show: (share, text) => {
      const nowMs = performance.now();
      if (!isLive || (!isOver && (lineMs === undefined || nowMs < nextMs))) return;
      nextMs = nowMs + (lineMs ?? 0);
      const leftS = ((nowMs - startedMs) / 1e3) * (1 / share - 1);
      const left = share < ESTIMATED_FROM ? '' : `, about ${Math.ceil(leftS)} s left`;
      const line = `${(100 * share).toFixed(0).padStart(3)} %  ${text}${left}`;
      stderr.write(isOver ? CLEAR + line : `${line}\n`);
    },
    phase: (text) => void (isOver && stderr.write(`${CLEAR}${text} …`)),
    above: (line) => {
      clear();
      warn(line);
    },
    end: () => {
      clear();
      startedMs = performance.now();
      nextMs = startedMs + FIRST_LINE_MS;
    },
  };
}
