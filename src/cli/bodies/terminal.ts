/** What commands write to the terminal, beside their last words. */

/** A line to standard output, unless the command is quiet. */
export function sayer(output: 'live' | 'quiet'): (line: string) => void {
  return (line) => {
    if (output !== 'quiet') process.stdout.write(`${line}\n`);
  };
}

/** A line to standard error. */
export function warn(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** The same of something that went wrong, in the form of all errors. */
export function complain(message: string): void {
  warn(`rein: ${message}`);
}

/** One line on standard error that is written over. */
export interface ProgressLine {
  /** `share` of the work is done, 0 to 1, and `text` says where it is. */
  show(share: number, text: string): void;
  /** Something begins that takes time and says nothing meanwhile. */
  phase(text: string): void;
  /** A line for people that stays. */
  above(line: string): void;
  /** Clears the line; what comes next begins anew. */
  end(): void;
}

const CLEAR = '\r\u001b[K';

/** Without a terminal: when the first line says that something happens. */
const FIRST_LINE_MS = 1_000;
/** What is left is said from this share on: before, the start (modules, compiling) weighs more than the work. */
const ESTIMATED_FROM = 0.1;

/**
 * Without a terminal a line comes after a second, and every `lineMs` from then on. Where that is not given,
 * or quiet, nothing comes; nor do phases.
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
