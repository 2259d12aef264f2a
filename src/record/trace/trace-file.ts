/**
 * One MCAP file (https://mcap.dev/spec) that grows during a run: schemas and channels first, then chunks, each written
 * on request, so that a file truncated anywhere is complete up to its last chunk. Records are encoded by `@mcap/core`,
 * whose own writer holds back data until a chunk is full.
 */
import { closeSync, existsSync, ftruncateSync, openSync, readdirSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Channel, type ChunkIndex, McapChunkBuilder, McapRecordBuilder, type Schema } from '@mcap/core';
import type { Channel as TraceChannel } from './channels.ts';

const NAME = /^trace(?:-(\d+))?\.mcap$/;

function numberOf(name: string): number {
  const [, number = '1'] = NAME.exec(name) ?? [];
  return Number(number);
}

function nameOf(number: number): string {
  return number === 1 ? 'trace.mcap' : `trace-${number}.mcap`;
}

/** Path of the file after `last`. */
export function traceFileAfter(folder: string, last: string | undefined): string {
  return join(folder, nameOf(last === undefined ? 1 : numberOf(basename(last)) + 1));
}

/** Files of a trace in order; none if there is no such folder. */
export function traceFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  return names.toSorted((a, b) => numberOf(a) - numberOf(b)).map((name) => join(folder, name));
}

/** Name of the metadata record at the head of each file, and its keys. */
export const FACTS = 'rein';
/** Number in the trace of the first episode of this start of the robot. */
export const FIRST_EPISODE = 'firstEpisode';

/** Destination of bytes; a file, except in tests. */
export interface TraceSink {
  /** Appends all of `bytes`, or throws after having appended some of them. */
  write(bytes: Uint8Array): void;
  /** Truncates to `size`. */
  cut(size: number): void;
  close(): void;
}

/** Opens a new file; throws if it exists. */
export function openSink(path: string): TraceSink {
  const file = openSync(path, 'wx');
  let end = 0;
  return {
    write: (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        const written = writeSync(file, bytes, at, bytes.length - at, end);
        at += written;
        end += written;
      }
    },
    cut: (size) => {
      ftruncateSync(file, size);
      end = size;
    },
    close: () => closeSync(file),
  };
}

export class TraceFile {
  /** Number of bytes written. */
  bytes = 0;
  readonly #sink: TraceSink;
  readonly #schemas: Schema[] = [];
  readonly #channels: Channel[] = [];
  readonly #chunk: McapChunkBuilder = new McapChunkBuilder({ useMessageIndex: true });
  readonly #chunks: ChunkIndex[] = [];
  /** Written messages of each channel. */
  readonly #counts: number[] = [];
  readonly #waiting: number[] = [];

  /** Writes the head: `channels`, numbered by index, and `facts` for readers. Throws disk errors. */
  constructor(sink: TraceSink, channels: readonly TraceChannel[], facts: ReadonlyMap<string, string>) {
    this.#sink = sink;
    const records = new McapRecordBuilder();
    records.writeMagic();
    records.writeHeader({ profile: '', library: 'rein' });
    records.writeMetadata({ name: FACTS, metadata: new Map(facts) });
    for (const [id, { topic, schemaName, schema }] of channels.entries()) {
      const data = new TextEncoder().encode(JSON.stringify(schema));
      this.#schemas.push({ id: id + 1, name: schemaName, encoding: 'jsonschema', data });
      this.#channels.push({ id, schemaId: id + 1, topic, messageEncoding: 'json', metadata: new Map() });
      records.writeSchema(this.#schemas[id]!);
      records.writeChannel(this.#channels[id]!);
      this.#counts.push(0);
      this.#waiting.push(0);
    }
    this.#append(records);
  }

  /** Bytes of the chunk in progress. */
  get waitingBytes(): number {
    return this.#chunk.byteLength;
  }

  get waitingMessages(): number {
    return this.#chunk.numMessages;
  }

  /** Adds a message of channel `channelId`; `timeNs`: since 1970. It is on disk after the next `flush`. */
  add(channelId: number, timeNs: bigint, data: Uint8Array): void {
    const sequence = this.#counts[channelId]! + this.#waiting[channelId]!;
    this.#waiting[channelId]!++;
    this.#chunk.addMessage({ channelId, sequence, logTime: timeNs, publishTime: timeNs, data });
  }

  /** Writes the pending messages as a chunk. Throws disk errors: then nothing of it is in the file, and it stays pending. */
  flush(): void {
    const chunk = this.#chunk;
    if (chunk.numMessages === 0) return;
    const records = new McapRecordBuilder();
    const { messageStartTime, messageEndTime, buffer } = chunk;
    const uncompressedSize = BigInt(buffer.length);
    const content = { messageStartTime, messageEndTime, uncompressedSize, compression: '' };
    records.writeChunk({ ...content, uncompressedCrc: crc32(buffer), records: buffer });
    const chunkLength = BigInt(records.length);
    const messageIndexOffsets = new Map<number, bigint>();
    for (const index of chunk.indices) {
      messageIndexOffsets.set(index.channelId, BigInt(this.bytes + records.length));
      records.writeMessageIndex(index);
    }
    const chunkStartOffset = BigInt(this.bytes);
    const messageIndexLength = BigInt(records.length) - chunkLength;
    this.#append(records);
    const place = { chunkStartOffset, chunkLength, messageIndexOffsets, messageIndexLength };
    this.#chunks.push({ ...content, ...place, compressedSize: uncompressedSize });
    for (const [id, count] of this.#waiting.entries()) this.#counts[id]! += count;
    this.drop();
  }

  /** Discards the pending messages. */
  drop(): void {
    this.#chunk.reset();
    this.#waiting.fill(0);
  }

  /** Writes the pending messages, and the index that players read first; closes the file even on a disk error. */
  close(): void {
    try {
      this.flush();
      const records = new McapRecordBuilder();
      records.writeDataEnd({ dataSectionCrc: 0 });
      const summaryStart = BigInt(this.bytes + records.length);
      for (const schema of this.#schemas) records.writeSchema(schema);
      for (const channel of this.#channels) records.writeChannel(channel);
      records.writeStatistics({
        messageCount: BigInt(this.#counts.reduce((sum, count) => sum + count, 0)),
        schemaCount: this.#schemas.length,
        channelCount: this.#channels.length,
        attachmentCount: 0,
        metadataCount: 1,
        chunkCount: this.#chunks.length,
        messageStartTime: this.#chunks
          .map((each) => each.messageStartTime)
          .reduce((a, b) => (a < b ? a : b), FOREVER_NS),
        messageEndTime: this.#chunks.map((each) => each.messageEndTime).reduce((a, b) => (a > b ? a : b), 0n),
        channelMessageCounts: new Map(this.#counts.map((count, id) => [id, BigInt(count)])),
      });
      for (const chunk of this.#chunks) records.writeChunkIndex(chunk);
      records.writeFooter({ summaryStart, summaryOffsetStart: 0n, summaryCrc: 0 });
      records.writeMagic();
      this.#append(records);
    } finally {
      this.#sink.close();
    }
  }

  #append(records: McapRecordBuilder): void {
    const bytes = records.buffer;
    try {
      this.#sink.write(bytes);
    } catch (error) {
      // A partial record would hide all that follows it.
      this.#sink.cut(this.bytes);
      throw error;
    }
    this.bytes += bytes.length;
  }
}

const FOREVER_NS = 2n ** 63n - 1n;
