/** Weights from learner to robots: both ends. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Dealer, Subscriber, type XPublisher } from 'zeromq';
import { type PolicyWeights, verifyWeights } from '../model/index.ts';
import { Connection } from './connection.ts';
import { decodeBundle, encodeBundle } from './messages.ts';
import { CONNECTING_OPTIONS, Outbox, SEND_TIMEOUT_MS, weightsAddressBeside } from './sockets.ts';
import { decodeFrame, encodeFrame, fault, type LinkFault, peekWeightsVersion } from './wire.ts';

/** Options of a subscription. */
export interface SubscribeOptions {
  /** The learner's address, as `LearnerServer.address`. */
  readonly address: string;
  /** Address of the weights publisher, if not the next port. */
  readonly weightsAddress?: string;
  readonly keep: 'newest' | 'all';
  readonly runId: string;
  readonly schemaHash: string;
  /** Version in use: only newer ones are delivered. Default 0. */
  readonly after?: number;
  /** With `all` the next version is delivered when the promise resolves. Errors thrown go to `onFault`. */
  readonly onBundle: (bundle: PolicyWeights) => void | Promise<void>;
  /** Called for every rejected message, and with `all` for versions that are no longer kept. */
  readonly onFault?: (fault: LinkFault) => void;
  /** Time without a peer, or without weights that the learner has announced, after which a new socket is created, ms. */
  readonly renewAfterMs?: number;
}

/** A running subscription. */
export interface Subscription {
  /** Newest version passed to `onBundle`. */
  readonly version: number;
  /** Reports that the learner's newest weights are `version`: if they do not arrive for long, a new socket is created. */
  learnerHas(version: number): void;
  close(): Promise<void>;
}

const ASK_AGAIN_MS = 1000;
/** Time without announced weights after which a new socket is created; doubled after each renewal, up to the limit. */
const PATIENCE_MS = 5000;
const MOST_PATIENCE_MS = 60_000;

/**
 * Subscribes a robot: `newest` skips superseded versions (real time); `all` delivers every version in order (lock-step). Only
 * bundles verified by `verifyWeights` are delivered. Works before the learner runs. Throws `ReinError('link')` for a bad address.
 */
export function subscribeWeights(options: SubscribeOptions): Subscription {
  const gate = new BundleGate(options);
  const heard = (bytes: Uint8Array): void => watch.heard(bytes);
  const { connection, close } =
    options.keep === 'newest' ? subscribeNewest(options, gate, heard) : subscribeAll(options, gate, heard);
  const watch = new Arrivals(options, connection);
  return {
    get version() {
      return gate.version;
    },
    learnerHas: (version) => watch.expect(version),
    close,
  };
}

interface Subscribed {
  readonly connection: { renew(): void };
  close(): Promise<void>;
}

function subscribeNewest(options: SubscribeOptions, gate: BundleGate, heard: (bytes: Uint8Array) => void): Subscribed {
  let newest: Uint8Array | undefined;
  let taking: Promise<void> | undefined;
  /** Versions superseded while the previous one was being checked are skipped. */
  const take = async (): Promise<void> => {
    await nextTurn(); // all pending messages have been received
    while (newest !== undefined) {
      const bytes = newest;
      newest = undefined;
      await gate.receive(bytes);
    }
    taking = undefined;
  };
  const connection = new Connection({
    address: options.weightsAddress ?? weightsAddressBeside(options.address),
    // No CONFLATE: libzmq aborts the process if a peer sends a multipart message.
    open: () => {
      const socket = new Subscriber({ ...CONNECTING_OPTIONS, receiveHighWaterMark: 2 });
      socket.subscribe('');
      return socket;
    },
    renewAfterMs: options.renewAfterMs,
    onMessage: (bytes) => {
      heard(bytes);
      newest = bytes;
      taking ??= take();
    },
  });
  const close = async (): Promise<void> => {
    await connection.close();
    await taking;
  };
  return { connection, close };
}

function subscribeAll(options: SubscribeOptions, gate: BundleGate, heard: (bytes: Uint8Array) => void): Subscribed {
  const connection = new Connection({
    address: options.address,
    open: () => new Dealer({ ...CONNECTING_OPTIONS, sendTimeout: SEND_TIMEOUT_MS }),
    waiting: 2,
    renewAfterMs: options.renewAfterMs,
    onMessage: async (bytes) => {
      heard(bytes);
      if (await gate.receive(bytes)) ask();
    },
  });
  const ask = (): void => connection.send(encodeFrame({ kind: 'weightsRequest', sequence: gate.version }));
  const timer = setInterval(ask, ASK_AGAIN_MS);
  ask();
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await connection.close();
  };
  return { connection, close };
}

/** Creates a new socket if announced weights do not arrive: a subscription can be lost on a live connection. */
class Arrivals {
  readonly #connection: { renew(): void };
  readonly #patienceMs: number;
  #arrived: number;
  #patientMs: number;
  #sinceMs: number = performance.now();

  constructor({ renewAfterMs, after = 0 }: SubscribeOptions, connection: { renew(): void }) {
    this.#connection = connection;
    this.#patienceMs = renewAfterMs ?? PATIENCE_MS;
    this.#patientMs = this.#patienceMs;
    this.#arrived = after;
  }

  /** Records the arrival of a message, whatever its content. */
  heard(bytes: Uint8Array): void {
    this.#arrived = peekWeightsVersion(bytes) ?? this.#arrived;
    this.#patientMs = this.#patienceMs;
    this.#sinceMs = performance.now();
  }

  expect(version: number): void {
    const nowMs = performance.now();
    if (version <= this.#arrived) this.#sinceMs = nowMs;
    if (nowMs - this.#sinceMs < this.#patientMs) return;
    this.#sinceMs = nowMs;
    // A transfer of large weights over a slow line must not be restarted for ever.
    this.#patientMs = Math.min(2 * this.#patientMs, MOST_PATIENCE_MS);
    this.#connection.renew();
  }
}

/** Passes each valid bundle on once. */
class BundleGate {
  version: number;
  readonly #options: SubscribeOptions;
  #reportedVersion = '';

  constructor(options: SubscribeOptions) {
    this.#options = options;
    this.version = options.after ?? 0;
  }

  /** True if the bundle was new and valid. Never rejects. */
  async receive(bytes: Uint8Array): Promise<boolean> {
    const announced = peekWeightsVersion(bytes);
    if (announced !== undefined && announced <= this.version) return false; // a repetition for another subscriber
    const bundle = this.#check(bytes);
    if (bundle === undefined) return false;
    const { version } = bundle.manifest;
    if (this.#options.keep === 'all' && this.version > 0 && version > this.version + 1) {
      this.#report(
        fault('old-version', `weights versions ${this.version + 1} to ${version - 1} are no longer kept`).error,
      );
    }
    this.version = version;
    try {
      await this.#options.onBundle(bundle);
    } catch (error) {
      this.#report({ reason: 'bad-message', message: `weights version ${version} was not taken: ${error}` });
    }
    return true;
  }

  #check(bytes: Uint8Array): PolicyWeights | undefined {
    const frame = decodeFrame(bytes);
    if (!frame.ok) return this.#report(frame.error);
    if (frame.value.kind !== 'weights') return undefined;
    const bundle = decodeBundle(frame.value.payload);
    if (!bundle.ok) return this.#report(bundle.error);
    const { runId, schemaHash } = this.#options;
    const verified = verifyWeights(bundle.value, { runId, schemaHash, newestVersion: this.version });
    return verified.ok ? verified.value : this.#report(verified.error);
  }

  #report(problem: LinkFault): undefined {
    // A learner of another version repeats its weights: reported once.
    if (problem.reason === 'bad-version' && problem.message === this.#reportedVersion) return;
    if (problem.reason === 'bad-version') this.#reportedVersion = problem.message;
    this.#options.onFault?.(problem);
    return undefined;
  }
}

/** Number of versions kept for subscribers that want all. */
const HISTORY = 64;
/** An unanswered request is repeated every second: an older one is from a client that is gone. */
const REQUEST_EXPIRES_MS = 10_000;

interface Waiting {
  readonly identity: Buffer;
  readonly have: number;
  readonly askedMs: number;
}

/**
 * The learner's end: the newest version is published to all subscribers and repeated for late ones; a client that wants every
 * version requests the one after its last, and gets it as soon as it exists.
 */
export class WeightsPublisher {
  readonly #outbox: Outbox<Uint8Array>;
  readonly #reply: (identity: Buffer, frame: Uint8Array) => void;
  readonly #history: { version: number; frame: Uint8Array }[] = [];
  readonly #waiting = new Map<string, Waiting>();

  /** `socket` is bound by the caller; `reply` sends a frame to a requesting client. */
  constructor(socket: XPublisher, reply: (identity: Buffer, frame: Uint8Array) => void) {
    this.#outbox = new Outbox<Uint8Array>(socket, 4);
    this.#reply = reply;
  }

  /** Version of the newest bundle, 0 before the first. */
  get newest(): number {
    return this.#history.at(-1)?.version ?? 0;
  }

  /** Publishes `bundle`. Throws `RangeError` if its version does not increase or it is too large for a message. */
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

  /** Publishes the newest version again: for a new subscriber, or in case it was dropped. */
  repeat(): void {
    const newest = this.#history.at(-1);
    this.#outbox.clear(); // queued versions are superseded
    if (newest !== undefined) this.#outbox.push(newest.frame);
  }

  /** Requests the version after `have` for the client `identity`. */
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
