/** Append-only file that can be truncated to a length known to be good. Synchronous: a trial waits for its disk. */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { storage } from '../../../../src/host/index.ts';
import { ReinError } from '../../../../src/model/index.ts';

/** Size at which buffered bytes are written. */
const BUFFER_BYTES = 1 << 20;

export class AppendFile {
  readonly path: string;
  readonly #file: number;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #length: number;

  /**
   * Opens or creates `path`, and truncates it to `length` bytes. Throws `ReinError`: 'checkpoint' if it is shorter than
   * that or missing, 'storage' if it cannot be written.
   */
  constructor(path: string, length: number) {
    this.path = path;
    this.#length = length;
    if (length > 0 && !existsSync(path)) throw tooShort(path, 'is missing', length);
    this.#file = storage(path, () => openSync(path, length === 0 ? 'w+' : 'r+'));
    const found = storage(path, () => fstatSync(this.#file).size);
    if (found < length) {
      closeSync(this.#file);
      throw tooShort(path, `has ${found} bytes`, length);
    }
    storage(path, () => ftruncateSync(this.#file, length));
  }

  /** Bytes appended so far, including buffered ones. */
  get length(): number {
    return this.#length;
  }

  /** Takes ownership of `bytes`, which must not be changed afterwards. */
  append(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#length += bytes.length;
    if (this.#waitingBytes >= BUFFER_BYTES) this.flush();
  }

  /** Appends `value` as one line of JSON and writes it at once, so that readers can follow. */
  appendLine(value: object): void {
    this.append(Buffer.from(`${JSON.stringify(value)}\n`, 'utf8'));
    this.flush();
  }

  /** Writes buffered bytes. Throws `ReinError('storage')`. */
  flush(): void {
    if (this.#waitingBytes === 0) return;
    const bytes = Buffer.concat(this.#waiting);
    const start = this.#length - bytes.length;
    this.#waiting = [];
    this.#waitingBytes = 0;
    storage(this.path, () => {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#file, bytes, done, bytes.length - done, start + done);
      }
    });
  }

  /** Writes buffered bytes and makes sure that they survive a loss of power. */
  sync(): void {
    this.flush();
    storage(this.path, () => fsyncSync(this.#file));
  }

  /** Closes without writing buffered bytes: call `flush` before. */
  close(): void {
    closeSync(this.#file);
  }
}

function tooShort(path: string, state: string, neededBytes: number): ReinError {
  return new ReinError('checkpoint', `${path} ${state}, the checkpoint was written after ${neededBytes} bytes of it.`, {
    remedy: 'Restore the file that belongs to the checkpoint, or begin again in another folder.',
  });
}
