/**
 * A connection that comes back: to ZeroMQ's own reconnection after cuts and time-outs it adds a new socket where the old one has
 * ended for ever. libzmq gives a connecting socket up, without a word, when its peer breaks the protocol once (a few garbage
 * bytes, a frame that announces too much).
 */
import type { Dealer, Subscriber } from 'zeromq';
import { Outbox, parseAddress, receiveAll } from './sockets.ts';

/** Silence after which a connecting socket is replaced, ms: three heartbeats of the learner. */
export const RENEW_AFTER_MS = 3000;
/** How often it is looked at, as a share of that. */
const LOOKS = 6;
/**
 * libzmq keeps the parts of a message until the last has come, and has no limit on their number. While nothing whole has come
 * from a peer, this process may grow by so much, bytes; then the connection is replaced, and what it held is free.
 */
const MAX_GROWTH_BYTES = 256 * 1024 * 1024;
/** How often that is looked at, ms. */
const GROWTH_LOOK_MS = 100;

export interface ConnectionOptions<S extends Dealer | Subscriber> {
  readonly address: string;
  /** A new socket, not connected yet. Called again for every renewal. */
  readonly open: () => S;
  /** A message of one part; others are not ours and are dropped. */
  readonly onMessage: (bytes: Buffer) => unknown;
  /** A peer has completed the handshake. */
  readonly onUp?: () => void;
  /** The peer is gone. */
  readonly onDown?: () => void;
  /** Time without a peer after which a new socket is made, ms. Default `RENEW_AFTER_MS`. */
  readonly renewAfterMs?: number | undefined;
  /** Messages that may wait to be sent; default: that of `Outbox`. */
  readonly waiting?: number;
}

/** A Dealer or Subscriber that is replaced when it must be. */
export class Connection<S extends Dealer | Subscriber> {
  readonly #options: ConnectionOptions<S>;
  readonly #renewAfterMs: number;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #loops = new Set<Promise<void>>();
  #socket: S;
  #outbox: Outbox<Uint8Array> | undefined;
  #isUp = false;
  #sinceMs = 0;
  /** Memory of the process when something whole came last, bytes; `undefined` where it has not been looked at since. */
  #residentBytes: number | undefined;
  #isClosed = false;
  /** Sockets that were made after the first. */
  renewals = 0;

  /** Begins to connect. Throws `ReinError('link')` for an address that cannot be one. */
  constructor(options: ConnectionOptions<S>) {
    parseAddress(options.address);
    this.#options = options;
    this.#renewAfterMs = options.renewAfterMs ?? RENEW_AFTER_MS;
    this.#socket = this.#open();
    this.#timers = [
      setInterval(() => {
        if (!this.#isUp && performance.now() - this.#sinceMs > this.#renewAfterMs) this.renew();
      }, this.#renewAfterMs / LOOKS),
      setInterval(() => this.#watchGrowth(), GROWTH_LOOK_MS),
    ];
  }

  /** Sends `message`, or drops it where there is no peer. Never waits. Only where the socket can send. */
  send(message: Uint8Array): void {
    this.#outbox?.push(message);
  }

  /** Forgets what has not been handed to the socket. */
  clear(): void {
    this.#outbox?.clear();
  }

  /** Resolves when everything has been handed to the socket, or dropped. */
  async idle(): Promise<void> {
    await this.#outbox?.idle();
  }

  /** Replaces the socket: for owners that hear nothing although there is a peer. */
  renew(): void {
    if (this.#isClosed) return;
    this.renewals++;
    this.#socket.close();
    this.#socket = this.#open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#socket.close();
    await Promise.all(this.#loops);
  }

  /** Growth that has another cause costs a new connection and nothing else. */
  #watchGrowth(): void {
    if (!this.#isUp) return;
    const residentBytes = process.memoryUsage.rss();
    this.#residentBytes = Math.min(this.#residentBytes ?? residentBytes, residentBytes);
    if (residentBytes - this.#residentBytes > MAX_GROWTH_BYTES) this.renew();
  }

  #open(): S {
    const { open, address, onUp, onDown, onMessage, waiting } = this.#options;
    const socket = open();
    this.#isUp = false;
    this.#sinceMs = performance.now();
    this.#residentBytes = undefined;
    this.#outbox = 'send' in socket ? new Outbox<Uint8Array>(socket, waiting) : undefined;
    const isCurrent = (): boolean => socket === this.#socket;
    socket.events.on('handshake', () => {
      if (!isCurrent()) return;
      this.#isUp = true;
      onUp?.();
    });
    socket.events.on('disconnect', () => {
      if (!isCurrent()) return;
      this.#isUp = false;
      this.#sinceMs = performance.now();
      onDown?.();
    });
    socket.connect(address);
    const loop = receiveAll(socket, (parts) => {
      if (!isCurrent()) return;
      this.#residentBytes = undefined;
      if (parts.length === 1) return onMessage(parts[0]!);
    }).finally(() => this.#loops.delete(loop));
    this.#loops.add(loop);
    return socket;
  }
}
