/**
 * Send queue of one page. Of a state only the newest packet is kept; events wait in a bounded list, from which the
 * oldest are dropped and counted. A page that reads nothing thus costs a bounded amount; a slow page acknowledges its
 * frames and is sent no further one before, so that none queues in its browser or on the way.
 */
import { isState, kindOf } from '../../rows/index.ts';

/** Destination of packets, as implemented by a WebSocket. */
export interface Sink {
  /** Bytes passed to it that have not left this process. */
  readonly bufferedAmount: number;
  send(packet: Uint8Array): void;
}

/** Bytes in transit at which sending pauses: half a second of frames. */
const FULL_BYTES = 64 * 1024;
/** Most waiting event packets, and their bytes. */
const MOST_WAITING = 256;
const MOST_WAITING_BYTES = 1024 * 1024;

export class Outbox {
  readonly #sink: Sink;
  readonly #states = new Map<string, Uint8Array>();
  readonly #happened: Uint8Array[] = [];
  #happenedBytes = 0;
  readonly #window: number;
  #unanswered = 0;
  #answered: unknown;
  /** Packets that were replaced or dropped before they were sent. */
  skipped = 0;

  /** `window`: most unacknowledged frames; unlimited for a page that acknowledges none. */
  constructor(sink: Sink, window: number = Number.POSITIVE_INFINITY) {
    this.#sink = sink;
    this.#window = window;
  }

  /** The page has shown one more frame, with this stamp if given: further messages with the same stamp do not count. */
  answer(stamp?: unknown): void {
    if (stamp !== undefined && stamp === this.#answered) return;
    this.#answered = stamp;
    this.#unanswered = Math.max(0, this.#unanswered - 1);
    this.flush();
  }

  /** Bytes queued here, besides those in transit. */
  get waitingBytes(): number {
    let bytes = this.#happenedBytes;
    for (const packet of this.#states.values()) bytes += packet.byteLength;
    return bytes;
  }

  /** Queues a packet of the stream. */
  put(packet: Uint8Array): void {
    const kind = kindOf(packet);
    if (kind !== undefined) this.offer(packet, isState(kind) ? kind : undefined);
  }

  /** Queues bytes. `state`: key of the state of which they are the newest; `undefined`: an event. */
  offer(bytes: Uint8Array, state: string | undefined): void {
    if (state !== undefined) {
      if (this.#states.delete(state)) this.skipped++;
      this.#states.set(state, bytes);
    } else {
      this.#happened.push(bytes);
      this.#happenedBytes += bytes.byteLength;
      while (this.#happened.length > MOST_WAITING || this.#happenedBytes > MOST_WAITING_BYTES) this.#drop();
    }
    this.flush();
  }

  /** Sends as much as there is room for: events first, then states, longest waiting first. */
  flush(): void {
    while (this.#sink.bufferedAmount < FULL_BYTES) {
      const packet = this.#happened.shift();
      if (packet !== undefined) {
        this.#happenedBytes -= packet.byteLength;
        this.#sink.send(packet);
        continue;
      }
      const kind = this.#nextState();
      if (kind === undefined) return;
      const state = this.#states.get(kind)!;
      this.#states.delete(kind);
      if (kind === 'frame') this.#unanswered++;
      this.#sink.send(state);
    }
  }

  #nextState(): string | undefined {
    const isFull = this.#unanswered >= this.#window;
    for (const kind of this.#states.keys()) if (kind !== 'frame' || !isFull) return kind;
    return undefined;
  }

  #drop(): void {
    const dropped = this.#happened.shift();
    this.#happenedBytes -= dropped?.byteLength ?? 0;
    this.skipped++;
  }
}
