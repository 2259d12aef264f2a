/**
 * Answers over HTTP, as far as they cost the streams anything: each is made by itself, so much of them waits to be read, and what is read too
 * slowly is cut off. Who may operate and who only watches take nothing from each other.
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SystemClock } from '../../core/index.ts';
import { bearerOf, type MonitorPlace, type Right, rightOf } from './access.ts';

/** Bytes that wait for readers of one right; an answer that is longer waits alone. */
const MOST_WAITING_BYTES = 16 * 2 ** 20;
/** An answer is read within this time, s, and what it takes at so many bytes a second. */
const READ_S = 10;
const LEAST_BYTES_PER_S = 64 * 1024;

/** What waits for readers of one right. */
interface Room {
  bytes: number;
  /** Resolves once the next answer may be made. */
  turn: Promise<void>;
}

/** What is answered. */
interface Answer {
  /** The content; text, bytes, or else what JSON says of it. `undefined`: there is none. */
  readonly make: () => unknown;
  readonly type?: string;
  /** What is said where there is none. */
  readonly missing?: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

export class Answers {
  readonly #place: MonitorPlace;
  readonly #rooms: Readonly<Record<Right, Room>> = {
    operate: { bytes: 0, turn: Promise.resolve() },
    watch: { bytes: 0, turn: Promise.resolve() },
  };
  readonly #clock: SystemClock = new SystemClock();

  constructor(place: MonitorPlace) {
    this.#place = place;
  }

  /** Bytes of answers that nobody has read yet. */
  get waitingBytes(): number {
    return this.#rooms.operate.bytes + this.#rooms.watch.bytes;
  }

  /** Makes and sends an answer, or says why there is none. */
  async give(
    request: FastifyRequest,
    reply: FastifyReply,
    { make, type = JSON_TYPE, missing = 'There is nothing yet.' }: Answer,
  ): Promise<FastifyReply> {
    const room = this.#rooms[rightOf(bearerOf(request.headers.authorization), this.#place) ?? 'watch'];
    const bytes = await this.#inTurn(room, make);
    if (bytes === undefined) return reply.code(404).send({ error: missing });
    if (room.bytes > 0 && room.bytes + bytes.length > MOST_WAITING_BYTES) {
      return reply.code(503).send({ error: 'Too many answers wait to be read: ask again later.' });
    }
    // Whoever asked may be gone meanwhile.
    if (!reply.raw.destroyed) {
      room.bytes += bytes.length;
      reply.raw.once('close', () => {
        room.bytes -= bytes.length;
      });
    }
    return reply.type(type).send(bytes);
  }

  /** One at a time, and a rest as long as each took: the streams are served by the same thread. */
  async #inTurn(room: Room, make: () => unknown): Promise<Buffer | undefined> {
    const made = room.turn.then(async () => {
      const startS = this.#clock.nowS();
      // What cannot be made ends this answer alone, whether it fails at once or later.
      const bytes = await Promise.resolve()
        .then(make)
        .then(bytesOf)
        .catch((error: Error) => error);
      return { bytes, tookMs: 1e3 * (this.#clock.nowS() - startS) };
    });
    room.turn = made.then(({ tookMs }) => delay(tookMs));
    const { bytes } = await made;
    if (bytes instanceof Error) throw bytes;
    return bytes;
  }
}

function bytesOf(made: unknown): Buffer | undefined {
  if (made === undefined || Buffer.isBuffer(made)) return made;
  return Buffer.from(typeof made === 'string' ? made : JSON.stringify(made));
}

/** Cuts `answer` of `bytes` off where it is not read in time. */
export function limitReading(answer: ServerResponse, bytes: number): void {
  const timer = setTimeout(() => answer.destroy(), 1e3 * (READ_S + bytes / LEAST_BYTES_PER_S));
  answer.once('close', () => clearTimeout(timer));
}
