/**
 * The robot's side of the weights. `newest` skips what is overtaken (real time); `all` gives every version in order
 * (lock-step). Nothing reaches the callback that has not passed `verifyWeights`.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Dealer, Subscriber } from 'zeromq';
import { type PolicyWeights, verifyWeights } from '../core/index.ts';
import { Connection } from './connection.ts';
import { fault, type LinkFault } from './fault.ts';
import { CONNECTING_OPTIONS, SEND_TIMEOUT_MS, weightsAddressBeside } from './sockets.ts';
import { decodeBundle } from './weights-bundle.ts';
import { decodeFrame, encodeFrame, peekWeightsVersion } from './wire.ts';

/** What a subscription needs. */
export interface SubscribeOptions {
  /** The learner's address, as `LearnerServer.address`. */
  readonly address: string;
  /** Where it publishes, when that is not the next port. */
  readonly weightsAddress?: string;
  readonly keep: 'newest' | 'all';
  readonly runId: string;
  readonly schemaHash: string;
  /** The version in use: only newer ones are given. Default 0. */
  readonly after?: number;
  /** With `all` the next version comes when the promise resolves. What it throws goes to `onFault`. */
  readonly onBundle: (bundle: PolicyWeights) => void | Promise<void>;
  /** Told of every message that is not used, and with `all` of versions that are no longer kept. */
  readonly onFault?: (fault: LinkFault) => void;
  /** Time without a peer, or without weights that the learner has, after which a new socket is made, ms. */
  readonly renewAfterMs?: number;
}

/** A running subscription. */
export interface Subscription {
  /** The newest version given to `onBundle`. */
  readonly version: number;
  /** The learner says that its newest weights are `version`: where they do not come for long, a new socket is made. */
  learnerHas(version: number): void;
  close(): Promise<void>;
}

const ASK_AGAIN_MS = 1000;
/** Weights that the learner has and that do not come: after so long a new socket is made, after twice that the next. */
const PATIENCE_MS = 5000;
const MOST_PATIENCE_MS = 60_000;

/** Starts to receive weights; works whether or not the learner runs yet. Throws `ReinError('link')` for a bad address. */
export function subscribeWeights(options: SubscribeOptions): Subscription {
  return options.keep === 'newest' ? subscribeNewest(options) : subscribeAll(options);
}

function subscribeNewest(options: SubscribeOptions): Subscription {
  const gate = new BundleGate(options);
  let newest: Uint8Array | undefined;
  let taking: Promise<void> | undefined;
  /** What has been overtaken while the one before was looked at is not looked at. */
  const take = async (): Promise<void> => {
    await nextTurn(); // everything that has come by now has been received
    while (newest !== undefined) {
      const bytes = newest;
      newest = undefined;
      await gate.receive(bytes);
    }
    taking = undefined;
  };
  const connection = new Connection({
    address: options.weightsAddress ?? weightsAddressBeside(options.address),
    // No CONFLATE: libzmq aborts the process where a peer sends it a message of several parts.
    open: () => {
      const socket = new Subscriber({ ...CONNECTING_OPTIONS, receiveHighWaterMark: 2 });
      socket.subscribe('');
      return socket;
    },
    ...(options.renewAfterMs === undefined ? {} : { renewAfterMs: options.renewAfterMs }),
    onMessage: (bytes) => {
      watch.heard(bytes);
      newest = bytes;
      taking ??= take();
    },
  });
  const watch = new Arrivals(options, connection);
  return {
    get version() {
      return gate.version;
    },
    learnerHas: (version) => watch.expect(version),
    async close() {
      await connection.close();
      await taking;
    },
  };
}

function subscribeAll(options: SubscribeOptions): Subscription {
  const gate = new BundleGate(options);
  const connection = new Connection({
    address: options.address,
    open: () => new Dealer({ ...CONNECTING_OPTIONS, sendTimeout: SEND_TIMEOUT_MS }),
    waiting: 2,
    ...(options.renewAfterMs === undefined ? {} : { renewAfterMs: options.renewAfterMs }),
    onMessage: async (bytes) => {
      watch.heard(bytes);
      if (await gate.receive(bytes)) ask();
    },
  });
  const watch = new Arrivals(options, connection);
  const ask = (): void => connection.send(encodeFrame({ kind: 'weightsRequest', sequence: gate.version }));
  const timer = setInterval(ask, ASK_AGAIN_MS);
  ask();
  return {
    get version() {
      return gate.version;
    },
    learnerHas: (version) => watch.expect(version),
    async close() {
      clearInterval(timer);
      await connection.close();
    },
  };
}

/** Makes a new socket where weights that exist do not come: a subscription can be lost on a connection that lives. */
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

  /** A message has come, whatever it is worth. */
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
    // Large weights on a slow line must not be begun again for ever.
    this.#patientMs = Math.min(2 * this.#patientMs, MOST_PATIENCE_MS);
    this.#connection.renew();
  }
}

/** Lets each good bundle through once. */
class BundleGate {
  version: number;
  readonly #options: SubscribeOptions;
  #toldVersion = '';

  constructor(options: SubscribeOptions) {
    this.#options = options;
    this.version = options.after ?? 0;
  }

  /** True when the bundle was new and good. Never rejects. */
  async receive(bytes: Uint8Array): Promise<boolean> {
    const announced = peekWeightsVersion(bytes);
    if (announced !== undefined && announced <= this.version) return false; // a repetition for somebody else
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
      this.#report({ reason: 'bad-message', sentence: `weights version ${version} was not taken: ${error}` });
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
    // A learner of another version repeats its weights as any: said once.
    if (problem.reason === 'bad-version' && problem.sentence === this.#toldVersion) return;
    if (problem.reason === 'bad-version') this.#toldVersion = problem.sentence;
    this.#options.onFault?.(problem);
    return undefined;
  }
}
