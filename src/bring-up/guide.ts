/** The person beside the robot, at a terminal or as lines of standard input: what is said to them, and what they answer. */
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ReinError } from '../core/index.ts';

/** What happens while an answer is awaited. */
export interface Meanwhile {
  /** Called some fifty times a second. What it throws ends the question. */
  look(): void;
  /** What is shown while it goes on; lines may change, their number not. */
  lines(): readonly string[];
}

export interface Guide {
  /** A line that stays. */
  say(line: string): void;
  /** Asks, and resolves with what was typed, without blanks around it. Rejects with `ReinError` when nobody will answer any more. */
  ask(question: string, meanwhile?: Meanwhile): Promise<string>;
  /** Gives the input back, for whoever reads it next, until the next question. Absent: it holds none. */
  close?(): void;
}

/** `y` or `n`, or `otherwise` for a bare Enter. Anything else is asked again. */
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
/** Of the shown lines, in looks. */
const SHOW_EVERY = 5;

export interface TerminalGuideOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether lines can be written over. */
  readonly isTerminal: boolean;
  /** Ends every question. */
  readonly signal: AbortSignal;
}

/** Line by line, so that a script can answer as a person does. */
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
          // Up to where they begin, and each written over.
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
          // What was measured up to this moment counts.
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
      // Not at once: a script that has answered for ever would leave no turn in which a signal is heard.
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
    // An input that has ended says so once.
    if (input.readableEnded || input.destroyed) this.#isOver = true;
    const lines = createInterface({ input, terminal: false });
    this.#lines = lines;
    lines.on('line', (line) => {
      this.#typed.push(line.trim());
      this.#onLine?.();
    });
    lines.on('close', () => {
      // It is given back only.
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
