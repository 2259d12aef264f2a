/**
 * HTTP responses that could delay the streams: made one at a time, bounded in unread bytes, and cut off if read too
 * slowly. Operating and watching clients have separate budgets.
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SystemClock } from '../../model/index.ts';
import { bearerOf, type MonitorPlace, type Right, rightOf } from './access.ts';

/** Most unread bytes for the clients of one right; a longer response waits alone. */
const MOST_WAITING_BYTES = 16 * 2 ** 20;
/** Time to read a response, s, plus its size at this rate. */
const READ_S = 10;
const LEAST_BYTES_PER_S = 64 * 1024;

/** Unread responses of one right. */
interface Room {
  bytes: number;
  /** Resolves once the next response may be made. */
  turn: Promise<void>;
}

/** Response to make. */
interface Answer {
  /** Returns the content: text, bytes, or a value sent as JSON. `undefined`: there is none. */
  readonly make: () => unknown;
  readonly type?: string;
  /** Error text if there is none. */
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

  /** Bytes of unread responses. */
  get waitingBytes(): number {
    return this.#rooms.operate.bytes + this.#rooms.watch.bytes;
  }

  /** Makes and sends a response, or the reason why there is none. */
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
    // The client may have disconnected meanwhile.
    if (!reply.raw.destroyed) {
      room.bytes += bytes.length;
      reply.raw.once('close', () => {
        room.bytes -= bytes.length;
      });
    }
    return reply.type(type).send(bytes);
  }

  /** One at a time, each followed by a pause as long as it took: the same thread serves the streams. */
  async #inTurn(room: Room, make: () => unknown): Promise<Buffer | undefined> {
    const made = room.turn.then(async () => {
      const startS = this.#clock.nowS();
      // A failure ends this response alone, whether synchronous or not.
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

/** Aborts a response of `bytes` that is not read in time. */
export function limitReading(answer: ServerResponse, bytes: number): void {
  const timer = setTimeout(() => answer.destroy(), 1e3 * (READ_S + bytes / LEAST_BYTES_PER_S));
  answer.once('close', () => clearTimeout(timer));
}
