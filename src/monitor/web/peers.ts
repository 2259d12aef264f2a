/** Admitted connections: their send queues, message rates, and liveness. */
import type { WebSocket } from 'ws';
import { Outbox } from './outbox.ts';
import { dismiss, TRY_LATER } from './sockets.ts';

/** Most messages per second of one peer; a page at 50 Hz sends 60, and no operator sends more. */
const MOST_MESSAGES_PER_S = 250;

export class Peer {
  readonly socket: WebSocket;
  readonly outbox: Outbox;
  /** Messages in the present second. */
  #messages = 0;
  #isAlive = true;

  /** `window`: as for `Outbox`. */
  constructor(socket: WebSocket, window?: number) {
    this.socket = socket;
    this.outbox = new Outbox(socket, window);
    socket.on('pong', () => {
      this.#isAlive = true;
    });
  }

  /** Bytes queued for it here. */
  get waitingBytes(): number {
    return this.outbox.waitingBytes + this.socket.bufferedAmount;
  }

  /** Counts a message of `weight`. `false` if the rate is exceeded: the peer is dismissed, and must be forgotten. */
  mayGoOn(weight = 1): boolean {
    this.#messages += weight;
    if (this.#messages <= MOST_MESSAGES_PER_S) return true;
    dismiss(this.socket, `More than ${MOST_MESSAGES_PER_S} messages in a second.`, TRY_LATER);
    return false;
  }

  eachSecond(): void {
    this.#messages = 0;
  }

  /** Ends the connection if it has not answered since the last call. */
  ping(): void {
    if (!this.#isAlive) this.socket.terminate();
    this.#isAlive = false;
    this.socket.ping();
  }
}

export class Peers<P extends Peer> extends Set<P> {
  get waitingBytes(): number {
    return [...this].reduce((sum, { waitingBytes }) => sum + waitingBytes, 0);
  }

  flush(): void {
    for (const { outbox } of this) outbox.flush();
  }

  eachSecond(): void {
    for (const peer of this) peer.eachSecond();
  }

  ping(): void {
    for (const peer of this) peer.ping();
  }

  /** Closes all connections: the run has ended. */
  close(): void {
    for (const { socket } of this) socket.close(1001, 'The run has ended.');
  }

  terminate(): void {
    for (const { socket } of this) socket.terminate();
  }
}
