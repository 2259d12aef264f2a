/** Common settings and helpers of Rein's ZeroMQ sockets. Together with its users in this room, the only importer of zeromq. */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Router, XPublisher } from 'zeromq';
import { ReinError } from '../model/index.ts';
import { MAX_MESSAGE_BYTES } from './wire.ts';

/** Settings of every socket, in ZeroMQ's terms; times in ms. */
interface SocketSettings {
  readonly maxMessageSize: number;
  readonly tcpMaxRetransmitTimeout: number;
  readonly handshakeInterval: number;
  readonly linger: number;
}

/** Settings of a socket that connects. */
interface ConnectingSettings extends SocketSettings {
  readonly immediate: boolean;
  readonly reconnectInterval: number;
  readonly reconnectMaxInterval: number;
}

/**
 * ZeroMQ's defaults allow unlimited message sizes and queues for lost peers. Its heartbeats stay off: libzmq 4.3.5 aborts
 * the process (`!_io_error`, stream_engine_base.cpp) if one falls due after the loss of a peer whose messages are still unread.
 * The link has its own heartbeats, and the kernel ends connections whose data is not acknowledged.
 */
export const SOCKET_OPTIONS: SocketSettings = {
  maxMessageSize: MAX_MESSAGE_BYTES,
  tcpMaxRetransmitTimeout: 10_000,
  handshakeInterval: 1000,
  linger: 0,
};
/** For connecting sockets: no queue without a peer, and reconnection within 2 s. */
export const CONNECTING_OPTIONS: ConnectingSettings = {
  ...SOCKET_OPTIONS,
  immediate: true,
  reconnectInterval: 100,
  reconnectMaxInterval: 1000,
};
/** Time after which a connecting socket drops an unsent message. */
export const SEND_TIMEOUT_MS = 200;
export const HIGH_WATER_MARK = 1024;

/** A receive loop that never yields starves every timer of the process. */
const MESSAGES_PER_TURN = 256;

interface Receiver {
  readonly closed: boolean;
  receive(): Promise<Buffer[]>;
}

/** Passes every message to `onMessage` until the socket is closed. Rejects only with errors of `onMessage`. */
export async function receiveAll(socket: Receiver, onMessage: (parts: Buffer[]) => unknown): Promise<void> {
  for (let n = 1; ; n++) {
    let parts: Buffer[];
    try {
      parts = await socket.receive();
    } catch (error) {
      if (socket.closed) return;
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      continue;
    }
    await onMessage(parts);
    if (n % MESSAGES_PER_TURN === 0) await nextTurn();
  }
}

interface Sender<M> {
  readonly closed: boolean;
  send(message: M): Promise<void>;
}

/**
 * Sends messages one at a time, as a socket requires, without ever blocking the caller. Messages that cannot be sent, or exceed the
 * queue, are dropped: the protocol above resends what matters.
 */
export class Outbox<M> {
  readonly #socket: Sender<M>;
  readonly #limit: number;
  readonly #queue: M[] = [];
  readonly #idlers: (() => void)[] = [];
  #isPumping = false;
  /** Number of messages not sent. */
  dropped = 0;

  constructor(socket: Sender<M>, limit: number = HIGH_WATER_MARK) {
    this.#socket = socket;
    this.#limit = limit;
  }

  push(message: M): void {
    if (this.#queue.length >= this.#limit) {
      this.dropped++;
      return;
    }
    this.#queue.push(message);
    if (!this.#isPumping) void this.#run();
  }

  /** Discards messages not yet passed to the socket. */
  clear(): void {
    this.#queue.length = 0;
  }

  /** Resolves when all messages have been passed to the socket, or dropped. */
  async idle(): Promise<void> {
    if (this.#isPumping) await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  async #run(): Promise<void> {
    this.#isPumping = true;
    for (let n = 1; this.#queue.length > 0 && !this.#socket.closed; n++) {
      try {
        await this.#socket.send(this.#queue.shift()!);
      } catch {
        this.dropped++; // no peer, or one that does not read: the owner handles both as silence
      }
      if (n % MESSAGES_PER_TURN === 0) await nextTurn();
    }
    this.#isPumping = false;
    for (const resolve of this.#idlers.splice(0)) resolve();
  }
}

/** Parses `tcp://host:port`. Throws `ReinError('link')` for anything else. */
export function parseAddress(address: string): { host: string; port: number } {
  const match = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[^:/]+):(\d{1,5})$/.exec(address);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) {
    throw new ReinError('link', `"${address}" is not an address of the form tcp://host:port`, {
      remedy: 'use for example tcp://127.0.0.1:5555',
    });
  }
  return { host: match[1]!, port };
}

/** Address of the weights publisher beside the learner's `address`: the next port. */
export function weightsAddressBeside(address: string): string {
  const { host, port } = parseAddress(address);
  return `tcp://${host}:${port + 1}`;
}

/** Rejects an address that other machines could reach: encryption and an allow-list for them do not exist yet. */
function requireLoopback(address: string): void {
  const { host } = parseAddress(address);
  if (host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)) return;
  throw new ReinError('link', `the learner does not listen on ${host}: only loopback addresses are allowed`, {
    remedy: 'use tcp://127.0.0.1:PORT, through a tunnel (ssh -L) where the robot is another machine',
  });
}

/** Attempts to bind a pair of free ports: the second one may be in use. */
const ATTEMPTS = 20;
/** Time for which a port in use is retried: a closed socket releases its port slightly later. */
const STILL_CLOSING_MS = 300;

/** Binds `router` to `bind` and `publisher` to `weightsBind`, or to the port after the router's. Rejects with `ReinError('link')`. */
export async function bindPair(
  router: Router,
  publisher: XPublisher,
  bind: string,
  weightsBind: string | undefined,
): Promise<{ address: string; weightsAddress: string }> {
  requireLoopback(bind);
  if (weightsBind !== undefined) requireLoopback(weightsBind);
  const isAnyPort = parseAddress(bind).port === 0 && weightsBind === undefined;
  for (let attempt = 1; ; attempt++) {
    const address = await bindOne(router, bind);
    try {
      return { address, weightsAddress: await bindOne(publisher, weightsBind ?? weightsAddressBeside(address)) };
    } catch (error) {
      if (!isAnyPort || attempt === ATTEMPTS) throw error;
      await router.unbind(address);
    }
  }
}

async function bindOne(socket: Router | XPublisher, address: string): Promise<string> {
  const { host, port } = parseAddress(address);
  try {
    await bindPatiently(socket, address, port === 0 ? 0 : STILL_CLOSING_MS);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const message =
      code === 'EADDRINUSE'
        ? `port ${port} on ${host} is in use`
        : `${address} cannot be bound: ${(error as Error).message}`;
    throw new ReinError('link', message, {
      remedy:
        'stop the program that uses it (perhaps another learner), or give --bind another port, and --learner of its robots the same',
      cause: error,
    });
  }
  return socket.lastEndpoint ?? address;
}

async function bindPatiently(socket: Router | XPublisher, address: string, patienceMs: number): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    try {
      await socket.bind(address);
      return;
    } catch (error) {
      const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isInUse || performance.now() - startedMs > patienceMs) throw error;
    }
    await delay(20);
  }
}
