/**
 * One side's state of the reliable control channel: messages are numbered, kept until acknowledged, sent again after
 * a reconnection, and handed on once and in order. Pure: whoever owns the socket moves the bytes.
 */
import { jsonPayload } from './messages.ts';

/** A message on its way. */
export interface OutgoingControl {
  readonly number: number;
  readonly payload: Uint8Array;
}

/** Messages that may wait for an acknowledgement; beyond it the oldest are given up. */
const CAPACITY = 256;

/** See the file's head. */
export class ControlChannel {
  readonly #waiting: { number: number; kind: string; body: object }[] = [];
  #next = 0;
  #peer: string | undefined;
  #expected = 0;

  /** Takes a message in; send what `outgoing` gives then. */
  push(kind: string, body: object): void {
    if (this.#waiting.length >= CAPACITY) this.#waiting.shift();
    this.#waiting.push({ number: this.#next++, kind, body });
  }

  /** The messages from `number` on that nobody has acknowledged. */
  outgoing(from = 0): OutgoingControl[] {
    const base = this.#waiting[0]?.number ?? this.#next;
    return this.#waiting
      .filter((message) => message.number >= from)
      .map(({ number, kind, body }) => ({ number, payload: jsonPayload({ kind, body, base }) }));
  }

  /** The number that the next message will get. */
  get next(): number {
    return this.#next;
  }

  /** The peer has everything below `number`. */
  acknowledged(number: number): void {
    while (this.#waiting.length > 0 && this.#waiting[0]!.number < number) this.#waiting.shift();
  }

  /** Another process has taken the peer's place: its numbers start anew. */
  meetPeer(instance: string): void {
    if (this.#peer === instance) return;
    this.#peer = instance;
    this.#expected = 0;
  }

  /** Forgets waiting messages of `kind`: they were meant for one that is gone. */
  forget(kind: string): void {
    for (let i = this.#waiting.length - 1; i >= 0; i--) if (this.#waiting[i]!.kind === kind) this.#waiting.splice(i, 1);
  }

  /** Forgets what is waiting: its addressee is gone. */
  discard(): void {
    this.#waiting.length = 0;
  }

  /** True when the message is the next one and must be handed on; otherwise it was seen, or an earlier one is missing. */
  accept(number: number, base: number): boolean {
    if (base > this.#expected) this.#expected = base;
    if (number !== this.#expected) return false;
    this.#expected++;
    return true;
  }

  /** What to acknowledge: the number of the next message wanted. */
  get expected(): number {
    return this.#expected;
  }
}
