/** Dialogue with the operator beside the robot, at a terminal or as lines of standard input. */
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ReinError } from '../model/index.ts';

/** Work while an answer is awaited. */
export interface Meanwhile {
  /** Called about fifty times a second. An exception ends the question. */
  look(): void;
  /** Lines shown meanwhile; their content may change, but not their number. */
  lines(): readonly string[];
}

export interface Guide {
  /** Prints a line that stays. */
  say(line: string): void;
  /** Asks, and resolves to the typed answer without surrounding blanks. Rejects with `ReinError` once no answer can come. */
  ask(question: string, meanwhile?: Meanwhile): Promise<string>;
  /** Releases the input for another reader until the next question. Absent: it holds none. */
  close?(): void;
}

/** Asks for `y` or `n`; a bare Enter means `otherwise`. Asks again for anything else. */
export async function confirm(
  guide: Guide,
  question: string,
  otherwise: 'yes' | 'no',
  meanwhile?: Meanwhile,
): Promise<boolean> {
  for (;;) {
    const choice = otherwise === 'yes' ? '[Y/n]' : '[y/N]';
    const answer = (await guide.ask(`${question} ${choice}`, meanwhile)).toLowerCase();
    if (answer === '') return otherwise === 'yes';
    if (['y', 'yes'].includes(answer)) return true;
    if (['n', 'no'].includes(answer)) return false;
    guide.say('Type y or n, then Enter.');
  }
}

const LOOK_MS = 20;
/** Refresh period of the shown lines, in looks. */
const SHOW_EVERY = 5;

export interface TerminalGuideOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** True if lines can be overwritten. */
  readonly isTerminal: boolean;
  /** Ends every question. */
  readonly signal: AbortSignal;
}

/** Works line by line, so that a script can answer like an operator. */
export class TerminalGuide implements Guide {
  readonly #options: TerminalGuideOptions;
  readonly #typed: string[] = [];
  #lines: Interface | undefined;
  #isOver = false;
  #onLine: (() => void) | undefined;

  constructor(options: TerminalGuideOptions) {
    this.#options = options;
    this.#listen();
    options.signal.addEventListener('abort', () => this.#onLine?.());
  }

  say(line: string): void {
    this.#options.output.write(`${line}\n`);
  }

  ask(question: string, meanwhile?: Meanwhile): Promise<string> {
    const { output, isTerminal, signal } = this.#options;
    this.#listen();
    output.write(`${question} `);
    if (meanwhile === undefined || !isTerminal) output.write('\n');
    return new Promise((done, fail) => {
      let looks = 0;
      let shown = 0;
      const end = (): void => {
        clearInterval(timer);
        this.#onLine = undefined;
        if (shown > 0) output.write('\n');
      };
      const look = (): void => {
        try {
          meanwhile?.look();
        } catch (error) {
          end();
          fail(error);
          return;
        }
        if (meanwhile !== undefined && isTerminal && looks++ % SHOW_EVERY === 0) {
          const lines = meanwhile.lines();
          // Moves up to the first line, and overwrites each.
          const up = shown > 1 ? `\u001b[${shown - 1}A` : '';
          output.write(`${shown === 0 ? '\n' : '\r'}${up}${lines.map((line) => `\u001b[K${line}`).join('\n')}`);
          shown = lines.length;
        }
      };
      const settle = (): void => {
        if (this.#onLine !== settle) return;
        if (signal.aborted) {
          end();
          fail(signal.reason);
        } else if (this.#typed.length > 0) {
          // Measurements up to this moment count.
          look();
          end();
          done(this.#typed.shift()!);
        } else if (this.#isOver) {
          end();
          fail(nobodyAnswers(question));
        }
      };
      const timer = setInterval(look, LOOK_MS);
      this.#onLine = settle;
      // Not at once: a script that always has an answer would leave no turn in which a signal is handled.
      setImmediate(settle);
    });
  }

  /** Idempotent. */
  close(): void {
    const lines = this.#lines;
    this.#lines = undefined;
    lines?.close();
  }

  #listen(): void {
    if (this.#lines !== undefined) return;
    const { input } = this.#options;
    // An input that has ended reports this only once.
    if (input.readableEnded || input.destroyed) this.#isOver = true;
    const lines = createInterface({ input, terminal: false });
    this.#lines = lines;
    lines.on('line', (line) => {
      this.#typed.push(line.trim());
      this.#onLine?.();
    });
    lines.on('close', () => {
      // The input was only released.
      if (this.#lines !== lines) return;
      this.#isOver = true;
      this.#onLine?.();
    });
  }
}

function nobodyAnswers(question: string): ReinError {
  return new ReinError('environment', `Standard input ended before it was answered: ${question}`, {
    remedy: 'Start it in a terminal, or give an answer a line on standard input. What was done so far is kept.',
  });
}
