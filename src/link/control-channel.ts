/**
 * State of one end of the reliable control channel: messages are numbered, kept until acknowledged, resent after a reconnection,
 * and delivered once and in order. Pure: the owner of the socket moves the bytes.
 */
import { jsonPayload } from './messages.ts';

/** A message to be sent. */
export interface OutgoingControl {
  readonly number: number;
  readonly payload: Uint8Array;
}

/** Largest number of unacknowledged messages; beyond it the oldest are discarded. */
const CAPACITY = 256;

/** See the top of this file. */
export class ControlChannel {
  readonly #waiting: { number: number; kind: string; body: object }[] = [];
  #next = 0;
  #peer: string | undefined;
  #expected = 0;

  /** Queues a message; then send the result of `outgoing`. */
  push(kind: string, body: object): void {
    if (this.#waiting.length >= CAPACITY) this.#waiting.shift();
    this.#waiting.push({ number: this.#next++, kind, body });
  }

  /** Unacknowledged messages from `number` on. */
  outgoing(from = 0): OutgoingControl[] {
    const base = this.#waiting[0]?.number ?? this.#next;
    return this.#waiting
      .filter((message) => message.number >= from)
      .map(({ number, kind, body }) => ({ number, payload: jsonPayload({ kind, body, base }) }));
  }

  /** Number of the next message. */
  get next(): number {
    return this.#next;
  }

  /** Removes messages below `number`, which the peer has received. */
  acknowledged(number: number): void {
    while (this.#waiting.length > 0 && this.#waiting[0]!.number < number) this.#waiting.shift();
  }

  /** Resets the receiving side if another process has taken the peer's place: its numbers start at 0. */
  meetPeer(instance: string): void {
    if (this.#peer === instance) return;
    this.#peer = instance;
    this.#expected = 0;
  }

  /** Discards unacknowledged messages of `kind`, addressed to a previous peer. */
  forget(kind: string): void {
    for (let i = this.#waiting.length - 1; i >= 0; i--) if (this.#waiting[i]!.kind === kind) this.#waiting.splice(i, 1);
  }

  /** Discards all unacknowledged messages: their addressee is gone. */
  discard(): void {
    this.#waiting.length = 0;
  }

  /** True if the message is the next one and must be delivered; false if it is a repetition, or an earlier one is missing. */
  accept(number: number, base: number): boolean {
    if (base > this.#expected) this.#expected = base;
    if (number !== this.#expected) return false;
    this.#expected++;
    return true;
  }

  /** Number to acknowledge: that of the next expected message. */
  get expected(): number {
    return this.#expected;
  }
}
