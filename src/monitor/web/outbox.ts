/**
 * What one page has still to be told. Of what is a state the newest counts, and what it replaces is never sent; of what happened a
 * bounded list waits, the oldest is dropped first and counted. A page that reads nothing costs so much and no more; one that reads and
 * is slow answers its frames, and is sent no further one before, so that none waits behind others in its browser or on the way.
 */
import { isState, kindOf } from '../../core/index.ts';

/** Where packets go, as a WebSocket has it. */
export interface Sink {
  /** Bytes that were given to it and have not left this process. */
  readonly bufferedAmount: number;
  send(packet: Uint8Array): void;
}

/** Bytes under way at which nothing more is given: half a second of frames. */
const FULL_BYTES = 64 * 1024;
/** Packets about what happened that wait at most, and their bytes. */
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

  /** `window`: frames that may be on their way unanswered; any number for a page that answers none. */
  constructor(sink: Sink, window: number = Number.POSITIVE_INFINITY) {
    this.#sink = sink;
    this.#window = window;
  }

  /** The page has shown one more frame, with this stamp where it says so: what else it says of the same frame is no answer to another. */
  answer(stamp?: unknown): void {
    if (stamp !== undefined && stamp === this.#answered) return;
    this.#answered = stamp;
    this.#unanswered = Math.max(0, this.#unanswered - 1);
    this.flush();
  }

  /** Bytes that wait here, beyond those under way. */
  get waitingBytes(): number {
    let bytes = this.#happenedBytes;
    for (const packet of this.#states.values()) bytes += packet.byteLength;
    return bytes;
  }

  /** A packet of the stream. */
  put(packet: Uint8Array): void {
    const kind = kindOf(packet);
    if (kind !== undefined) this.offer(packet, isState(kind) ? kind : undefined);
  }

  /** `state`: what the bytes are the newest of; `undefined`: something that happened. */
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

  /** Sends what the way has room for: what happened first, then states, the one that has waited longest before the others. */
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
