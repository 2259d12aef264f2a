/** The node's end of a link over a unix stream socket. */
import { connect, type Socket } from 'node:net';
import { ReinError } from '../../model/index.ts';
import type { ActionCommand, GuardAnswer, GuardRequest } from '../../rows/index.ts';
import { commandNumbers, frameNumbers, packCommand } from './frames.ts';
import type { GuardLink } from './link.ts';
import { type Hello, parseAnswer, parseHello, parseNotice, readNumbers } from './messages.ts';
import { RemoteEnd } from './remote.ts';
import { encodeJson, encodeNumbers, MESSAGE, MessageDecoder } from './wire.ts';

/** Retry interval while the guard is still starting. */
const RETRY_MS = 20;

export interface ConnectOptions {
  /** Time limit for the guard to listen and send its hello, ms. Default 5000. */
  readonly timeoutMs?: number;
}

/**
 * Connects to the guard that listens at `path`, waiting for it to start; in real time also for its first frame, so that `latest` is
 * measured. Rejects with `ReinError('link', …)` if it does not answer in time, refuses because another node is connected, or
 * speaks another protocol.
 */
export async function connectGuardLink(path: string, options: ConnectOptions = {}): Promise<SocketGuardLink> {
  const timeoutMs = options.timeoutMs ?? 5000;
  const deadlineMs = performance.now() + timeoutMs;
  const socket = await connectBy(path, deadlineMs);
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(
        new ReinError('link', `The guard at ${path} ${why}.`, { remedy: 'Check that one guard and one node run.' }),
      );
    };
    const timer = setTimeout(() => fail(`did not answer within ${timeoutMs} ms`), deadlineMs - performance.now());
    const onClose = (): void => fail('closed the connection: it serves another node, or it has ended');
    socket.once('close', onClose);
    const decoder = new MessageDecoder((kind, payload) => {
      if (link !== undefined) return link.receive(kind, payload);
      const hello = kind === MESSAGE.hello ? parseHello(payload) : undefined;
      if (hello === undefined) return fail('speaks another protocol');
      const connected = new SocketGuardLink(socket, hello);
      link = connected;
      const done = (): void => {
        clearTimeout(timer);
        socket.off('close', onClose);
        resolve(connected);
      };
      if (hello.shape.timing === 'lock-step') return done();
      const stopListening = connected.onFrame(() => {
        stopListening();
        done();
      });
    });
    let link: SocketGuardLink | undefined;
    socket.on('data', (bytes) => decoder.push(bytes));
  });
}

async function connectBy(path: string, deadlineMs: number): Promise<Socket> {
  for (;;) {
    const socket = connect(path);
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      socket.once('connect', () => resolve(undefined));
      socket.once('error', resolve);
    });
    if (error === undefined) return socket.on('error', () => socket.destroy());
    const isStarting = error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
    if (!isStarting || performance.now() > deadlineMs) {
      throw new ReinError('link', `No guard listens at ${path} (${error.code}).`, { remedy: 'Start the guard first.' });
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Created by `connectGuardLink`. */
export class SocketGuardLink extends RemoteEnd implements GuardLink {
  readonly #socket: Socket;
  readonly #frameNumbers: Float64Array;
  readonly #commandNumbers: Float64Array;
  #refusedMessages = 0;

  constructor(socket: Socket, { shape, tick }: Hello) {
    super(shape);
    this.#socket = socket;
    this.latest.tick = tick;
    this.#frameNumbers = new Float64Array(frameNumbers(shape));
    this.#commandNumbers = new Float64Array(commandNumbers(shape));
    socket.once('close', () => this.lose('the guard closed the connection or died'));
  }

  /** Number of intact messages with invalid content. */
  get refusedMessages(): number {
    return this.#refusedMessages;
  }

  send(command: ActionCommand): void {
    if (this.lostReason !== undefined) return;
    if (command.action.length !== this.shape.actions) {
      throw new RangeError(`expected ${this.shape.actions} action numbers, got ${command.action.length}`);
    }
    packCommand(this.#commandNumbers, 0, command);
    this.#socket.write(encodeNumbers(MESSAGE.command, this.#commandNumbers));
  }

  async request(request: GuardRequest): Promise<GuardAnswer> {
    return this.ask((id) => this.#socket.write(encodeJson(MESSAGE.request, { id, request })));
  }

  async advance(ticks: number): Promise<void> {
    const passed = this.wait(ticks);
    if (this.shape.timing === 'lock-step') {
      this.#socket.write(encodeNumbers(MESSAGE.advance, Float64Array.of(ticks)));
    }
    return passed;
  }

  async close(): Promise<void> {
    this.lose('the link was closed');
    if (this.#socket.closed) return;
    await new Promise<void>((resolve) => {
      this.#socket.once('close', () => resolve());
      // Pending data is still sent; a guard that no longer reads must not delay the end.
      this.#socket.end();
      setTimeout(() => this.#socket.destroy(), 500).unref();
    });
  }

  /** Takes one message from the socket. */
  receive(kind: number, payload: Uint8Array): void {
    if (this.lostReason !== undefined) return;
    const understood =
      (kind === MESSAGE.frame && readNumbers(this.#frameNumbers, payload) && this.takeFrame(this.#frameNumbers)) ||
      (kind === MESSAGE.answer && this.#receiveAnswer(payload)) ||
      (kind === MESSAGE.notice && this.#receiveNotice(payload));
    if (!understood) this.#refusedMessages++;
  }

  #receiveAnswer(payload: Uint8Array): boolean {
    const message = parseAnswer(payload);
    if (message === undefined) return false;
    this.takeAnswer(message.id, message.answer);
    return true;
  }

  #receiveNotice(payload: Uint8Array): boolean {
    const notice = parseNotice(payload);
    if (notice === undefined) return false;
    this.notify(notice);
    return true;
  }
}
