/**
 * The learner's side of the weights: the newest version is published to everybody and repeated to latecomers; who
 * wants every version asks for the one after the last it has, and gets it as soon as it exists.
 */

import type { XPublisher } from 'zeromq';
import type { PolicyWeights } from '../core/index.ts';
import { Outbox } from './sockets.ts';
import { encodeBundle } from './weights-bundle.ts';
import { encodeFrame } from './wire.ts';

/** Versions kept for those who want all. */
const HISTORY = 64;
/** An unanswered request is repeated every second: one that was not is from somebody who has gone. */
const REQUEST_EXPIRES_MS = 10_000;

interface Waiting {
  readonly identity: Buffer;
  readonly have: number;
  readonly askedMs: number;
}

/** See the file's head. */
export class WeightsPublisher {
  readonly #outbox: Outbox<Uint8Array>;
  readonly #reply: (identity: Buffer, frame: Uint8Array) => void;
  readonly #history: { version: number; frame: Uint8Array }[] = [];
  readonly #waiting = new Map<string, Waiting>();

  /** `socket` is bound by the caller; `reply` sends a frame to one who asked. */
  constructor(socket: XPublisher, reply: (identity: Buffer, frame: Uint8Array) => void) {
    this.#outbox = new Outbox<Uint8Array>(socket, 4);
    this.#reply = reply;
  }

  /** Version of the newest bundle, 0 before the first. */
  get newest(): number {
    return this.#history.at(-1)?.version ?? 0;
  }

  /** Sends `bundle` out. Throws `RangeError` when its version does not rise or it is too large for a message. */
  publish(bundle: PolicyWeights): void {
    const { version, schemaHash } = bundle.manifest;
    if (version <= this.newest) throw new RangeError(`weights version ${version} follows ${this.newest}`);
    const frame = encodeFrame(
      { kind: 'weights', schemaHash, sequence: version, monotonicNs: process.hrtime.bigint() },
      encodeBundle(bundle),
    );
    this.#history.push({ version, frame });
    if (this.#history.length > HISTORY) this.#history.shift();
    this.repeat();
    for (const [key, waiting] of [...this.#waiting]) this.#answer(key, waiting);
  }

  /** Publishes the newest again: to somebody who has just subscribed, or in case it was dropped on the way. */
  repeat(): void {
    const newest = this.#history.at(-1);
    this.#outbox.clear(); // what still waits is overtaken
    if (newest !== undefined) this.#outbox.push(newest.frame);
  }

  /** `identity` has version `have` and wants the next. */
  request(identity: Buffer, have: number): void {
    const nowMs = performance.now();
    for (const [key, { askedMs }] of this.#waiting) {
      if (nowMs - askedMs > REQUEST_EXPIRES_MS) this.#waiting.delete(key);
    }
    const key = identity.toString('hex');
    const waiting = { identity, have, askedMs: nowMs };
    this.#waiting.set(key, waiting);
    this.#answer(key, waiting);
  }

  #answer(key: string, waiting: Waiting): void {
    const next = this.#history.find(({ version }) => version > waiting.have);
    if (next === undefined) return;
    this.#waiting.delete(key);
    this.#reply(waiting.identity, next.frame);
  }
}
