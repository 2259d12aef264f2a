/**
 * Writes the stream of a run to `trace.mcap`, then `trace-2.mcap` and so on in its folder. Bounded: a full file is
 * followed by another, and the oldest is deleted beyond a maximum. On a full disk the messages without room are dropped
 * and counted; the trace continues when there is room.
 */
import { rmSync } from 'node:fs';
import { writeErrorOf } from '../../host/index.ts';
import { messageOf } from '../../model/index.ts';
import { kindOf } from '../../rows/index.ts';
import { Translation } from './channels.ts';
import { FIRST_EPISODE, openSink, TraceFile, type TraceSink, traceFileAfter, traceFiles } from './trace-file.ts';

/** Size from which a file is followed by another at the end of its episode, bytes. */
export const MOST_FILE_BYTES = 64 * 2 ** 20;
/** Most files of a run. */
export const MOST_FILES = 8;
/** A chunk is written at an episode's end, at this size, bytes, or on request. */
const CHUNK_BYTES = 256 * 1024;
/** Most bytes pending on a full disk. */
const MOST_WAITING_BYTES = 2 ** 20;
const RETRY_MS = 5000;

export interface TraceWriterOptions {
  readonly folder: string;
  /** Offset added to the numbers of this start's episodes, which continue those of earlier starts. */
  readonly firstEpisode: number;
  /** Called with one sentence when the disk refuses, and when it accepts again. */
  readonly onTrouble: (message: string) => void;
  readonly open?: (path: string) => TraceSink;
  readonly mostFileBytes?: number;
}

export class TraceWriter {
  /** Messages that found no room, or cannot be read. */
  dropped = 0;
  readonly #options: TraceWriterOptions;
  readonly #translation: Translation = new Translation();
  /** Written again at the head of each file. */
  #run: Uint8Array | undefined;
  #file: TraceFile | undefined;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #isRefused = false;
  #isUnread = false;

  constructor(options: TraceWriterOptions) {
    this.#options = options;
  }

  /** Adds a packet of the stream. Never throws. */
  add(packet: Uint8Array): void {
    const kind = kindOf(packet);
    if (kind === 'run') this.#run = packet;
    const isNew = this.#file === undefined;
    const file = this.#opened();
    if (file === undefined) {
      this.dropped++;
      return;
    }
    // A new file already begins with the run's packet.
    if (kind !== 'run' || !isNew) this.#take(file, packet);
    if (file.waitingBytes > CHUNK_BYTES || kind === 'episode' || kind === 'run') this.flush();
    if (file.waitingBytes > MOST_WAITING_BYTES) this.#drop(file);
    if (kind === 'episode' && file.bytes > (this.#options.mostFileBytes ?? MOST_FILE_BYTES)) this.#end();
  }

  /** Writes the pending messages. */
  flush(): void {
    const file = this.#file;
    if (file !== undefined) this.#try(() => file.flush());
  }

  /** Writes the pending messages and the index. */
  close(): void {
    this.#end();
  }

  /** Unreadable packets are left out: one bad message must not cost a run its trace. */
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

  /** The file written to; `undefined` while the disk refuses one. */
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
      // The run's packet determines the channels.
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

  /** Retries what the disk refused only after a pause. */
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
