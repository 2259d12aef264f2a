/** A terminal in raw mode: bytes as typed, and the mode restored at the end, however the process ends. */
import type { Readable } from 'node:stream';

/** A readable stream that may be a terminal, as `process.stdin` is. */
export type TerminalInput = Readable & {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  setRawMode?(mode: boolean): unknown;
};

export interface TerminalListener {
  readonly onBytes: (bytes: Uint8Array) => void;
  /** Called when the stream ended or broke. At most once, not after `close`. */
  readonly onLost: () => void;
}

/** Owns the input from construction until `close`. */
export class RawTerminal {
  readonly #input: TerminalInput;
  readonly #wasRaw: boolean;
  readonly #onData: (chunk: Buffer | string) => void;
  readonly #onEnd: () => void;
  readonly #onExit = (): void => this.#restoreMode();
  #isOpen = true;

  constructor(input: TerminalInput, listener: TerminalListener) {
    this.#input = input;
    this.#wasRaw = input.isRaw === true;
    let isLost = false;
    this.#onData = (chunk) => listener.onBytes(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    this.#onEnd = () => {
      if (isLost) return;
      isLost = true;
      listener.onLost();
    };
    process.on('exit', this.#onExit);
    if (input.isTTY === true) input.setRawMode?.(true);
    input.on('data', this.#onData);
    for (const event of ['end', 'close', 'error']) input.on(event, this.#onEnd);
    input.resume();
  }

  /** Restores the mode and stops reading. Idempotent. */
  close(): void {
    if (!this.#isOpen) return;
    this.#restoreMode();
    this.#isOpen = false;
    process.off('exit', this.#onExit);
    this.#input.off('data', this.#onData);
    for (const event of ['end', 'close']) this.#input.off(event, this.#onEnd);
    // The listener for errors stays: a terminal that breaks later must not end the process.
    this.#input.pause();
  }

  #restoreMode(): void {
    if (this.#isOpen && this.#input.isTTY === true) this.#input.setRawMode?.(this.#wasRaw);
  }
}
