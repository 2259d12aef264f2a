/**
 * A ZeroMQ connection that survives a dead socket: beyond ZeroMQ's own reconnection after cuts and timeouts, it creates a new socket
 * when the old one has given up. libzmq silently abandons a connecting socket when its peer breaks the protocol once (a few garbage
 * bytes, a frame whose announced size is too large).
 */
import type { Dealer, Subscriber } from 'zeromq';
import { Outbox, parseAddress, receiveAll } from './sockets.ts';

/** Silence after which a connecting socket is replaced, ms: three heartbeats of the learner. */
export const RENEW_AFTER_MS = 3000;
/** Number of checks within that time. */
const LOOKS = 6;
/**
 * libzmq buffers the parts of a message until the last has arrived, without a limit on their number. If this process grows by more
 * than this without a complete message from the peer, bytes, the connection is replaced, which frees the buffers.
 */
const MAX_GROWTH_BYTES = 256 * 1024 * 1024;
/** Interval of that check, ms. */
const GROWTH_LOOK_MS = 100;

export interface ConnectionOptions<S extends Dealer | Subscriber> {
  readonly address: string;
  /** Creates a socket, not yet connected. Called again for every renewal. */
  readonly open: () => S;
  /** Called for a message of one part; other messages are dropped. */
  readonly onMessage: (bytes: Buffer) => unknown;
  /** A peer has completed the handshake. */
  readonly onUp?: () => void;
  /** The peer has disconnected. */
  readonly onDown?: () => void;
  /** Time without a peer after which a new socket is created, ms. Default `RENEW_AFTER_MS`. */
  readonly renewAfterMs?: number | undefined;
  /** Capacity of the send queue, messages; default: that of `Outbox`. */
  readonly waiting?: number;
}

/** A Dealer or Subscriber that is replaced when necessary. */
export class Connection<S extends Dealer | Subscriber> {
  readonly #options: ConnectionOptions<S>;
  readonly #renewAfterMs: number;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #loops = new Set<Promise<void>>();
  #socket: S;
  #outbox: Outbox<Uint8Array> | undefined;
  #isUp = false;
  #sinceMs = 0;
  /** Lowest resident memory since the last complete message, bytes; `undefined` if not measured since. */
  #residentBytes: number | undefined;
  #isClosed = false;
  /** Number of sockets created after the first. */
  renewals = 0;

  /** Starts to connect. Throws `ReinError('link')` for an invalid address. */
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

  /** Sends `message`, or drops it without a peer. Never waits. No-op if the socket cannot send. */
  send(message: Uint8Array): void {
    this.#outbox?.push(message);
  }

  /** Discards messages not yet passed to the socket. */
  clear(): void {
    this.#outbox?.clear();
  }

  /** Resolves when all messages have been passed to the socket, or dropped. */
  async idle(): Promise<void> {
    await this.#outbox?.idle();
  }

  /** Replaces the socket: for owners that receive nothing although there is a peer. */
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

  /** Growth of another cause costs a new connection and nothing else. */
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
