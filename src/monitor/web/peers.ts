/** Connections that were let in: what each has still to be told, how much it says, and whether anybody is at its other end. */
import type { WebSocket } from 'ws';
import { Outbox } from './outbox.ts';
import { dismiss, TRY_LATER } from './sockets.ts';

/** Messages of one in a second that are read; a page at 50 Hz sends 60. More is no person. */
const MOST_MESSAGES_PER_S = 250;

export class Peer {
  readonly socket: WebSocket;
  readonly outbox: Outbox;
  /** In the present second. */
  #messages = 0;
  #isAlive = true;

  /** `window`: as of `Outbox`. */
  constructor(socket: WebSocket, window?: number) {
    this.socket = socket;
    this.outbox = new Outbox(socket, window);
    socket.on('pong', () => {
      this.#isAlive = true;
    });
  }

  /** Bytes that wait for it here. */
  get waitingBytes(): number {
    return this.outbox.waitingBytes + this.socket.bufferedAmount;
  }

  /** Counts one more message, or what weighs as much as several. `false` where that is too much: it is dismissed, and is to be forgotten. */
  mayGoOn(weight = 1): boolean {
    this.#messages += weight;
    if (this.#messages <= MOST_MESSAGES_PER_S) return true;
    dismiss(this.socket, `More than ${MOST_MESSAGES_PER_S} messages in a second.`, TRY_LATER);
    return false;
  }

  eachSecond(): void {
    this.#messages = 0;
  }

  /** Ends it where it did not answer since this was called last. */
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

  /** Tells all that nothing more comes. */
  close(): void {
    for (const { socket } of this) socket.close(1001, 'The run has ended.');
  }

  terminate(): void {
    for (const { socket } of this) socket.terminate();
  }
}
