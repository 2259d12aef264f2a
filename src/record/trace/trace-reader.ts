/**
 * Reads the episodes of a trace, also while it is written, or truncated: reading ends with the last complete chunk.
 * Keeps the location of each episode, and reads additions on request.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { McapConstants, McapStreamReader, type McapTypes } from '@mcap/core';
import { asObject, parseJson } from '../../model/index.ts';
import type { EpisodePlace } from '../relabelling.ts';
import { FACTS, FIRST_EPISODE, traceFiles } from './trace-file.ts';

/** Listed episode. */
export interface TracedEpisode {
  /** Number among all episodes of the run's trace, from 0. */
  readonly episode: number;
  /** Location in the journal; absent if it is not there. */
  readonly recordedAs?: EpisodePlace;
  /** `training`, `evaluation` or `demo`. */
  readonly purpose: string;
  readonly success: boolean;
  /** `success`, `failure`, `time limit`, or the reason why it was cut. */
  readonly endedBy: string;
  readonly steps: number;
  /** Number of its steps in the trace. */
  readonly traced: number;
  readonly returnSum: number;
  readonly interventions: number;
  readonly interventionSteps: number;
  /** End, ms since 1970. */
  readonly atMs: number;
}

/** Step of an episode: a `StepView`, and the frame of its end, both as in JSON. */
export interface TracedStep extends Readonly<Record<string, unknown>> {
  /** `FrameView`; absent if the trace was truncated before it. */
  readonly frame?: Readonly<Record<string, unknown>>;
}

export interface EpisodeTrace extends Omit<TracedEpisode, 'steps'> {
  readonly stepCount: number;
  /** Stride of the returned steps: 1 except for very long episodes. */
  readonly every: number;
  readonly steps: readonly TracedStep[];
}

/** Bytes of a file between two records. */
interface Part {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

interface Entry {
  readonly about: TracedEpisode;
  readonly part: Part;
}

/** File with the progress of reading it. */
interface Followed {
  readonly path: string;
  /** Offset of the next record. */
  at: number;
  /** Everything before the first chunk: schemas and channels needed to decode chunks. */
  head: Uint8Array | undefined;
  firstEpisode: number;
  /** Offset of the present episode's first chunk. */
  episodeAt: number;
  /** Steps in the present episode's chunks. */
  steps: number;
}

const MAGIC_BYTES = 8;
/** Opcode and length. */
const RECORD_HEAD_BYTES = 9;
/** Longest valid record; a longer length means damage. */
const LONGEST_RECORD_BYTES = 64 * 2 ** 20;
/** Most steps returned of an episode. */
const MOST_STEPS = 5000;

/** Number of the next episode of the trace in `folder`: 0 if there is none. */
export async function nextEpisode(folder: string): Promise<number> {
  const last = (await new TraceReader(folder).episodes()).at(-1);
  return last === undefined ? 0 : last.episode + 1;
}

export class TraceReader {
  readonly #folder: string;
  readonly #files = new Map<string, Followed>();
  #entries: readonly Entry[] = [];
  #reading: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** All finished episodes, in order. Empty if there is no trace. */
  async episodes(): Promise<readonly TracedEpisode[]> {
    await this.#catchUp();
    return this.#entries.map(({ about }) => about);
  }

  /** Episode with its steps; `undefined` if the trace has no such episode. */
  async episode(number: number): Promise<EpisodeTrace | undefined> {
    await this.#catchUp();
    const entry = this.#entries.find(({ about }) => about.episode === number);
    if (entry === undefined) return undefined;
    const every = Math.max(1, Math.ceil(entry.about.traced / MOST_STEPS));
    const found = await this.#readSteps(entry.part);
    return { ...entry.about, stepCount: entry.about.steps, every, steps: found.filter((_, i) => i % every === 0) };
  }

  /** Reads additions; concurrent calls run one after another. */
  #catchUp(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#follow());
    return this.#reading;
  }

  async #follow(): Promise<void> {
    const paths = traceFiles(this.#folder);
    this.#entries = this.#entries.filter(({ part }) => paths.includes(part.path));
    for (const path of paths) {
      const file = this.#files.get(path) ?? {
        path,
        at: MAGIC_BYTES,
        head: undefined,
        firstEpisode: 0,
        episodeAt: 0,
        steps: 0,
      };
      this.#files.set(path, file);
      await this.#followFile(file).catch(() => undefined); // deleted meanwhile: the oldest file makes room
    }
  }

  async #followFile(file: Followed): Promise<void> {
    const handle = await open(file.path);
    try {
      const { size } = await handle.stat();
      while (file.at + RECORD_HEAD_BYTES <= size) {
        const start = await read(handle, file.at, RECORD_HEAD_BYTES);
        const opcode = start[0];
        const length = Number(start.readBigUInt64LE(1));
        const end = file.at + RECORD_HEAD_BYTES + length;
        // Truncated, or still being written; DATA_END is followed by the index.
        if (length > LONGEST_RECORD_BYTES || end > size || opcode === McapConstants.Opcode.DATA_END) break;
        if (opcode === McapConstants.Opcode.CHUNK) {
          file.head ??= this.#begin(file, await read(handle, 0, file.at));
          this.#see(file, await read(handle, file.at, end - file.at), end);
        }
        file.at = end;
      }
    } finally {
      await handle.close();
    }
  }

  /** Reads the head of a file. Episodes do not continue across files. */
  #begin(file: Followed, head: Uint8Array): Uint8Array {
    const facts = recordsOf(head).find((record) => record.type === 'Metadata' && record.name === FACTS);
    file.firstEpisode = Number(facts?.type === 'Metadata' ? facts.metadata.get(FIRST_EPISODE) : 0) || 0;
    file.episodeAt = file.at;
    return head;
  }

  /** Reads a chunk, which ends at `end`: an episode's end is the last message of its chunk. */
  #see(file: Followed, chunk: Uint8Array, end: number): void {
    const { path, firstEpisode } = file;
    for (const { topic, message } of messagesOf(file.head!, chunk)) {
      if (topic === '/step') file.steps++;
      if (topic !== '/episode') continue;
      const part = { path, from: file.episodeAt, to: end };
      this.#entries = [...this.#entries, { about: aboutOf(message(), firstEpisode, file.steps), part }];
      file.episodeAt = end;
      file.steps = 0;
    }
  }

  async #readSteps({ path, from, to }: Part): Promise<TracedStep[]> {
    const found: TracedStep[] = [];
    const handle = await open(path);
    try {
      const bytes = await read(handle, from, to - from);
      for (const { topic, message } of messagesOf(this.#files.get(path)!.head!, bytes)) {
        if (topic === '/step') found.push(message());
        const last = found.at(-1);
        if (topic === '/frame' && last !== undefined) found[found.length - 1] = { ...last, frame: message() };
      }
      return found;
    } finally {
      await handle.close();
    }
  }
}

async function read(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, from);
  return bytes.subarray(0, bytesRead);
}

type Json = Readonly<Record<string, unknown>>;

/** Messages of the chunks in `bytes`, whose file begins with `head`; none of a damaged chunk. */
function messagesOf(head: Uint8Array, bytes: Uint8Array): { readonly topic: string; readonly message: () => Json }[] {
  const topics = new Map<number, string>();
  return recordsOf(head, bytes).flatMap((record) => {
    if (record.type === 'Channel') topics.set(record.id, record.topic);
    if (record.type !== 'Message') return [];
    const message = (): Json => asObject(parseJson(new TextDecoder().decode(record.data))) ?? {};
    return [{ topic: topics.get(record.channelId) ?? '', message }];
  });
}

function recordsOf(...pieces: readonly Uint8Array[]): McapTypes.TypedMcapRecord[] {
  const reader = new McapStreamReader();
  const records: McapTypes.TypedMcapRecord[] = [];
  try {
    for (const piece of pieces) reader.append(piece);
    for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) records.push(record);
  } catch {
    return records; // records before the damage are complete
  }
  return records;
}

function aboutOf(told: Json, firstEpisode: number, traced: number): TracedEpisode {
  const number = (key: string): number => (typeof told[key] === 'number' ? (told[key] as number) : 0);
  const text = (key: string): string => (typeof told[key] === 'string' ? (told[key] as string) : '');
  return {
    episode: firstEpisode + number('episode'),
    ...placeIn(told['recordedAs']),
    purpose: text('purpose'),
    success: told['success'] === true,
    endedBy: text('endedBy'),
    steps: number('steps'),
    traced,
    returnSum: number('returnSum'),
    interventions: number('interventions'),
    interventionSteps: number('interventionSteps'),
    atMs: number('atMs'),
  };
}

function placeIn(told: unknown): { readonly recordedAs?: EpisodePlace } {
  const { epoch, episode } = asObject(told) ?? {};
  return Number.isInteger(epoch) && Number.isInteger(episode) ? { recordedAs: { epoch, episode } as EpisodePlace } : {};
}
