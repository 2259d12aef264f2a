/**
 * The robot's side of the weights. `newest` skips what is overtaken (real time); `all` gives every version in order
 * (lock-step). Nothing reaches the callback that has not passed `verifyBundle`.
 */
import { Dealer, Subscriber } from 'zeromq';
import { fault, type LinkFault } from './fault.ts';
import {
  CONNECTING_OPTIONS,
  Outbox,
  parseAddress,
  receiveAll,
  SEND_TIMEOUT_MS,
  weightsAddressBeside,
} from './sockets.ts';
import { decodeBundle, verifyBundle, type WeightsBundle } from './weights-bundle.ts';
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
  readonly onBundle: (bundle: WeightsBundle) => void | Promise<void>;
  /** Told of every message that is not used, and with `all` of versions that are no longer kept. */
  readonly onFault?: (fault: LinkFault) => void;
}

/** A running subscription. */
export interface Subscription {
  /** The newest version given to `onBundle`. */
  readonly version: number;
  close(): Promise<void>;
}

const ASK_AGAIN_MS = 1000;

/** Starts to receive weights; works whether or not the learner runs yet. Throws `ReinError('link')` for a bad address. */
export function subscribeWeights(options: SubscribeOptions): Subscription {
  parseAddress(options.address);
  return options.keep === 'newest' ? subscribeNewest(options) : subscribeAll(options);
}

function subscribeNewest(options: SubscribeOptions): Subscription {
  // CONFLATE only works when it is set before connect
  const socket = new Subscriber({ ...CONNECTING_OPTIONS, conflate: true });
  socket.connect(options.weightsAddress ?? weightsAddressBeside(options.address));
  socket.subscribe('');
  const gate = new BundleGate(options);
  const done = receiveAll(socket, ([bytes]) => gate.receive(bytes!));
  return {
    get version() {
      return gate.version;
    },
    async close() {
      socket.close();
      await done;
    },
  };
}

function subscribeAll(options: SubscribeOptions): Subscription {
  const socket = new Dealer({ ...CONNECTING_OPTIONS, sendTimeout: SEND_TIMEOUT_MS });
  socket.connect(options.address);
  const outbox = new Outbox<Uint8Array>(socket, 2);
  const gate = new BundleGate(options);
  const ask = () => outbox.push(encodeFrame({ kind: 'weightsRequest', sequence: gate.version }));
  const timer = setInterval(ask, ASK_AGAIN_MS);
  ask();
  const done = receiveAll(socket, async ([bytes]) => {
    const isUsed = await gate.receive(bytes!);
    if (isUsed) ask();
  });
  return {
    get version() {
      return gate.version;
    },
    async close() {
      clearInterval(timer);
      socket.close();
      await done;
    },
  };
}

/** Lets each good bundle through once. */
class BundleGate {
  version: number;
  readonly #options: SubscribeOptions;

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

  #check(bytes: Uint8Array): WeightsBundle | undefined {
    const frame = decodeFrame(bytes);
    if (!frame.ok) return this.#report(frame.error);
    if (frame.value.kind !== 'weights') return undefined;
    const bundle = decodeBundle(frame.value.payload);
    if (!bundle.ok) return this.#report(bundle.error);
    const { runId, schemaHash } = this.#options;
    const verified = verifyBundle(bundle.value, { runId, schemaHash, currentVersion: this.version });
    return verified.ok ? verified.value : this.#report(verified.error);
  }

  #report(problem: LinkFault): undefined {
    this.#options.onFault?.(problem);
    return undefined;
  }
}
