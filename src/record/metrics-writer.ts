/** Appends records to a file, outside the tick, and survives a full disk. */
import { type FileHandle, open } from 'node:fs/promises';
import { messageOf } from '../model/index.ts';
import type { MetricRecord } from './metric-records.ts';

export interface MetricsWriterOptions<R> {
  /** Period at which waiting records are written, ms. */
  readonly flushMs?: number;
  /** Records kept while the disk refuses; beyond that the oldest are dropped and counted. */
  readonly maxWaiting?: number;
  /** Called once per change to degraded, with one message. */
  readonly onDegraded?: (message: string) => void;
  /** Encodes a record; `undefined`: it is not written. Default: a line of JSON. */
  readonly encode?: (record: R) => Uint8Array | undefined;
  /** Header of a new file. Default: none. */
  readonly head?: Uint8Array;
}

/**
 * `write` only queues: it never throws, blocks or touches the disk. If writing fails, the records are kept and retried;
 * a partly written one is overwritten, so that the file never holds a broken record in its middle.
 */
export class MetricsWriter<R extends object = MetricRecord> {
  readonly #path: string;
  readonly #maxWaiting: number;
  readonly #onDegraded: (message: string) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #encode: (record: R) => Uint8Array | undefined;
  /** Written before the next records. */
  #head: Uint8Array;
  #waiting: Uint8Array[] = [];
  #file: FileHandle | undefined;
  #position = 0;
  #writing: Promise<void> = Promise.resolve();
  #degraded = false;
  #dropped = 0;
  #closed = false;

  /** Opens `path` at the first flush and appends to its content. */
  constructor(path: string, options: MetricsWriterOptions<R> = {}) {
    this.#path = path;
    this.#maxWaiting = options.maxWaiting ?? 50_000;
    this.#encode = options.encode ?? toLine;
    this.#head = options.head ?? new Uint8Array();
    this.#onDegraded = options.onDegraded ?? (() => {});
    this.#timer = setInterval(() => void this.flush(), options.flushMs ?? 500);
    this.#timer.unref();
  }

  /** True while the file cannot be written; the run goes on. */
  get degraded(): boolean {
    return this.#degraded;
  }

  /** Records given up because the disk refused for too long, or because they cannot be encoded as JSON. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Queues one record. Ignored after `close`. Allocates: not for the tick path. */
  write(record: R): void {
    if (this.#closed) return;
    try {
      const bytes = this.#encode(record);
      if (bytes !== undefined) this.#waiting.push(bytes);
    } catch {
      // A cycle or a bigint: the caller's mistake, but never a reason to stop a robot.
      this.#dropped++;
    }
    this.#trim();
  }

  /** Writes the queued records. Resolves whether or not the disk accepted them; see `degraded`. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeWaiting());
    return this.#writing;
  }

  /** Flushes and closes. Records that the disk still refuses are counted as dropped. Never rejects. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    await this.flush();
    this.#dropped += this.#waiting.length;
    this.#waiting = [];
    const file = this.#file;
    // Special files cannot be truncated, and are closed all the same.
    if (this.#degraded) await file?.truncate(this.#position).catch((cause: unknown) => this.#degrade(cause));
    await file?.close().catch((cause: unknown) => this.#degrade(cause));
  }

  async #writeWaiting(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const records = this.#waiting;
    this.#waiting = [];
    try {
      this.#file ??= await this.#open();
      const bytes = Buffer.concat([this.#head, ...records]);
      let done = 0;
      while (done < bytes.length) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#position + done);
        done += bytesWritten;
      }
      this.#position += bytes.length;
      this.#head = new Uint8Array();
      this.#degraded = false;
    } catch (cause) {
      this.#waiting = records.concat(this.#waiting);
      this.#trim();
      this.#degrade(cause);
    }
  }

  async #open(): Promise<FileHandle> {
    // Not 'a': appending ignores positions on Linux, and then a partly written line could not be overwritten.
    const file = await open(this.#path, 'r+').catch((cause: NodeJS.ErrnoException) => {
      // An existing file that cannot be opened now is not created anew.
      if (cause.code !== 'ENOENT') throw cause;
      return open(this.#path, 'wx+');
    });
    try {
      this.#position = (await file.stat()).size;
      if (this.#position > 0) this.#head = await this.#lineEnd(file);
    } catch (cause) {
      await file.close();
      throw cause;
    }
    return file;
  }

  /** Line end for a line truncated by the end of an earlier process, so that the next one is not lost with it. */
  async #lineEnd(file: FileHandle): Promise<Uint8Array> {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, this.#position - 1);
    return Buffer.from(this.#encode === toLine && buffer[0] !== 0x0a ? '\n' : '');
  }

  #trim(): void {
    const excess = this.#waiting.length - this.#maxWaiting;
    if (excess <= 0) return;
    this.#waiting.splice(0, excess);
    this.#dropped += excess;
  }

  #degrade(cause: unknown): void {
    if (this.#degraded) return;
    this.#degraded = true;
    this.#onDegraded(`${this.#path} cannot be written (${messageOf(cause)}); the run goes on without it.`);
  }
}

function toLine(record: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(record)}\n`, 'utf8');
}
