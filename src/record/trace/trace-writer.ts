/**
 * The trace of a run: what its stream says, in `trace.mcap`, then `trace-2.mcap` and so on in its folder. Bounded: a file that is full is
 * followed by another, and the oldest goes when all are too many. A disk that takes nothing costs what did not fit, which is counted; the
 * trace goes on when there is room.
 */
import { rmSync } from 'node:fs';
import { kindOf, messageOf, writeErrorOf } from '../../core/index.ts';
import { Translation } from './channels.ts';
import { FIRST_EPISODE, openSink, TraceFile, type TraceSink, traceFileAfter, traceFiles } from './trace-file.ts';

/** A file is followed by another at the end of the episode in which it has grown so large, bytes. */
export const MOST_FILE_BYTES = 64 * 2 ** 20;
/** All of a run. */
export const MOST_FILES = 8;
/** A chunk is written at an episode's end, when it has come to this, bytes, or when it is asked for. */
const CHUNK_BYTES = 256 * 1024;
/** What waits for a disk that is full. */
const MOST_WAITING_BYTES = 2 ** 20;
const RETRY_MS = 5000;

export interface TraceWriterOptions {
  readonly folder: string;
  /** Added to the numbers of this start's episodes: those of earlier starts count on. */
  readonly firstEpisode: number;
  /** Told in one sentence when the disk refuses, and when it takes again. */
  readonly onTrouble: (message: string) => void;
  readonly open?: (path: string) => TraceSink;
  readonly mostFileBytes?: number;
}

export class TraceWriter {
  /** Messages that found no room, or cannot be read. */
  dropped = 0;
  readonly #options: TraceWriterOptions;
  readonly #translation: Translation = new Translation();
  /** Told anew at the head of each file. */
  #run: Uint8Array | undefined;
  #file: TraceFile | undefined;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #isRefused = false;
  #isUnread = false;

  constructor(options: TraceWriterOptions) {
    this.#options = options;
  }

  /** Takes a packet of the stream. Never throws. */
  add(packet: Uint8Array): void {
    const kind = kindOf(packet);
    if (kind === 'run') this.#run = packet;
    const isNew = this.#file === undefined;
    const file = this.#opened();
    if (file === undefined) {
      this.dropped++;
      return;
    }
    // A new file has begun with the run.
    if (kind !== 'run' || !isNew) this.#take(file, packet);
    if (file.waitingBytes > CHUNK_BYTES || kind === 'episode' || kind === 'run') this.flush();
    if (file.waitingBytes > MOST_WAITING_BYTES) this.#drop(file);
    if (kind === 'episode' && file.bytes > (this.#options.mostFileBytes ?? MOST_FILE_BYTES)) this.#end();
  }

  /** Writes what waits. */
  flush(): void {
    const file = this.#file;
    if (file !== undefined) this.#try(() => file.flush());
  }

  /** Writes what waits, and the index. */
  close(): void {
    this.#end();
  }

  /** What cannot be read is left out: of one bad message no run loses its evidence. */
  #take(file: TraceFile, packet: Uint8Array): void {
    try {
      this.#put(file, packet);
    } catch (error) {
      this.dropped++;
      const { onTrouble } = this.#options;
      if (!this.#isUnread) onTrouble(`The trace leaves out messages that cannot be read: ${messageOf(error)}.`);
      this.#isUnread = true;
    }
  }

  #put(file: TraceFile, packet: Uint8Array): void {
    for (const { channel, atMs, message } of this.#translation.messages(packet)) {
      file.add(channel, BigInt(Math.round(atMs * 1e3)) * 1000n, new TextEncoder().encode(JSON.stringify(message)));
    }
  }

  /** The file that is written to; `undefined` while the disk gives none. */
  #opened(): TraceFile | undefined {
    if (this.#file === undefined) this.#try(() => this.#next());
    return this.#file;
  }

  #next(): void {
    const { folder, firstEpisode, open = openSink } = this.#options;
    const before = traceFiles(folder);
    for (const path of before.slice(0, Math.max(0, before.length + 1 - MOST_FILES))) rmSync(path, { force: true });
    const path = traceFileAfter(folder, before.at(-1));
    const sink = open(path);
    try {
      // Which channels there are, the run says.
      if (this.#run !== undefined) this.#translation.messages(this.#run, () => false);
      const { channels } = this.#translation;
      this.#file = new TraceFile(sink, channels, new Map([[FIRST_EPISODE, String(firstEpisode)]]));
    } catch (error) {
      sink.close();
      rmSync(path, { force: true });
      throw error;
    }
    if (this.#run !== undefined) this.#put(this.#file, this.#run);
  }

  #end(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    this.#refusedAtMs = Number.NEGATIVE_INFINITY;
    this.#try(() => file.close());
    this.dropped += file.waitingMessages;
  }

  #drop(file: TraceFile): void {
    this.dropped += file.waitingMessages;
    file.drop();
  }

  /** What the disk refuses is tried again later; between, nothing asks it. */
  #try(work: () => void): void {
    if (performance.now() - this.#refusedAtMs < RETRY_MS) return;
    try {
      work();
      if (this.#isRefused) this.#options.onTrouble(`The trace is written again; ${this.dropped} messages are missing.`);
      this.#isRefused = false;
    } catch (error) {
      this.#refusedAtMs = performance.now();
      if (!this.#isRefused) {
        this.#options.onTrouble(`${messageOf(writeErrorOf('The trace', error))} The run goes on without.`);
      }
      this.#isRefused = true;
    }
  }
}
