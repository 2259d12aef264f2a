/** The guard's end of a link over a unix stream socket: forwards to another link. */
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { ReinError, SystemClock } from '../../model/index.ts';
import type { GuardFrame, GuardNotice } from '../../rows/index.ts';
import { commandNumbers, frameNumbers, isCommand, packFrame } from './frames.ts';
import type { Asker, ServedLink } from './link.ts';
import { MessageBudget } from './message-budget.ts';
import { parseRequest, readNumbers } from './messages.ts';
import { encodeJson, encodeNumbers, MESSAGE, MessageDecoder } from './wire.ts';

/** Unread data above which a slow node loses frames in real time: the newest state matters more than completeness. */
const MAX_UNREAD_BYTES = 256 * 1024;
/** Bytes of garbage above which a peer is no node. */
const MAX_SKIPPED_BYTES = 64 * 1024;

/**
 * Serves `link` to one node at a time at `path`. A second node is refused while the first is connected. When a node disconnects,
 * the robot is requested to hold; the next node must activate it again.
 */
export class GuardSocketServer {
  readonly #link: ServedLink;
  readonly #path: string;
  readonly #server: Server;
  readonly #frameNumbers: Float64Array;
  readonly #commandNumbers: Float64Array;
  readonly #removeListener: () => void;
  readonly #onNotice: (notice: GuardNotice) => void;
  readonly #nodeIs: Asker;
  readonly #clock: SystemClock = new SystemClock();
  #node: Socket | undefined;
  /** One budget for the robot, not per connection: a node that floods gains nothing by reconnecting. */
  readonly #budget: MessageBudget;
  #leaveNotices: () => void = () => undefined;
  #droppedFrames = 0;
  /** Largest lateness of the frames dropped since the last one sent, s. */
  #droppedLateS = 0;
  #refusedMessages = 0;

  private constructor(link: ServedLink, path: string, onNotice: (notice: GuardNotice) => void, nodeIs: Asker) {
    this.#nodeIs = nodeIs;
    this.#link = link;
    this.#path = path;
    this.#onNotice = onNotice;
    this.#budget = new MessageBudget(link.shape.controlHz, this.#clock.nowS());
    this.#frameNumbers = new Float64Array(frameNumbers(link.shape));
    this.#commandNumbers = new Float64Array(commandNumbers(link.shape));
    this.#server = createServer((socket) => this.#accept(socket));
    this.#removeListener = link.onFrame((frame) => this.#sendFrame(frame));
    link.onLost(() => this.#node?.destroy());
  }

  /**
   * Starts to listen. A file left at `path` by a guard that died is replaced; the file is accessible to its owner only. `onNotice` is
   * called when a node is disconnected for its messages. `nodeIs`: requester of the node's requests. Default `person`.
   */
  static async listen(
    link: ServedLink,
    path: string,
    onNotice: (notice: GuardNotice) => void = () => undefined,
    nodeIs: Asker = 'person',
  ): Promise<GuardSocketServer> {
    const server = new GuardSocketServer(link, path, onNotice, nodeIs);
    rmSync(path, { force: true });
    const umask = process.umask(0o077);
    try {
      await new Promise<void>((resolve, reject) => {
        server.#server.once('error', reject);
        server.#server.listen(path, resolve);
      });
    } catch (error) {
      throw new ReinError('link', `The guard cannot listen at ${path}: ${(error as Error).message}.`, { cause: error });
    } finally {
      process.umask(umask);
    }
    return server;
  }

  /** Number of frames that a slow node did not get. */
  get droppedFrames(): number {
    return this.#droppedFrames;
  }

  /** Number of intact messages with invalid content. */
  get refusedMessages(): number {
    return this.#refusedMessages;
  }

  /** Closes the connection and stops listening; the link stays open. */
  async close(): Promise<void> {
    this.#removeListener();
    this.#node?.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    rmSync(this.#path, { force: true });
  }

  #accept(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (this.#node !== undefined || this.#link.lostReason !== undefined) {
      socket.destroy();
      return;
    }
    this.#node = socket;
    const decoder = new MessageDecoder((kind, payload) => this.#receive(socket, kind, payload));
    socket.on('data', (bytes) => {
      decoder.push(bytes);
      if (decoder.skippedBytes > MAX_SKIPPED_BYTES) this.#cutOff(socket, 31, 'bytes outside valid messages');
    });
    socket.once('close', () => this.#nodeGone());
    socket.write(encodeJson(MESSAGE.hello, { shape: this.#link.shape, tick: this.#link.latest.tick }));
    // A node that connects later receives earlier notices.
    this.#leaveNotices = this.#link.onNotice((notice) => socket.write(encodeJson(MESSAGE.notice, notice)));
  }

  #nodeGone(): void {
    this.#node = undefined;
    this.#leaveNotices();
    if (this.#link.lostReason !== undefined) return;
    // The lease would brake the robot too; this only ends the node's right to move it. Refused if nothing moves.
    this.#link.request({ kind: 'hold' }).catch(() => undefined);
  }

  /** The robot brakes as for a lost node, and the next node may connect. */
  #cutOff(socket: Socket, row: number, what: string): void {
    if (socket.destroyed) return;
    socket.destroy();
    const message = `The node sent too many ${what}: it was disconnected, and the robot brakes and holds.`;
    this.#onNotice({ row, level: 'error', message, remedy: 'Check the node; then start it again.' });
  }

  #receive(socket: Socket, kind: number, payload: Uint8Array): void {
    // The rest of a flood in the decoder is not served.
    if (socket.destroyed) return;
    if (this.#link.shape.timing === 'real-time' && !this.#budget.take(this.#clock.nowS())) {
      this.#cutOff(socket, 32, 'messages');
      return;
    }
    if (kind === MESSAGE.command) this.#receiveCommand(payload);
    else if (kind === MESSAGE.request) this.#receiveRequest(socket, payload);
    else if (kind === MESSAGE.advance) this.#receiveAdvance(socket, payload);
    else this.#refusedMessages++;
  }

  #receiveCommand(payload: Uint8Array): void {
    const isOurs = readNumbers(this.#commandNumbers, payload) && isCommand(this.#commandNumbers, 0);
    if (isOurs) this.#link.sendRow(this.#commandNumbers);
    else this.#refusedMessages++;
  }

  #receiveRequest(socket: Socket, payload: Uint8Array): void {
    const message = parseRequest(payload);
    if (message === undefined) {
      this.#refusedMessages++;
      return;
    }
    this.#link.request(message.request, this.#nodeIs).then(
      (answer) => socket.write(encodeJson(MESSAGE.answer, { id: message.id, answer })),
      // The link was lost meanwhile: the node learns it from the closed connection.
      () => socket.destroy(),
    );
  }

  #receiveAdvance(socket: Socket, payload: Uint8Array): void {
    const ticks = new Float64Array(1);
    const isOurs = this.#link.shape.timing === 'lock-step' && readNumbers(ticks, payload);
    if (!isOurs || !Number.isSafeInteger(ticks[0]) || ticks[0]! < 1 || ticks[0]! > 1e6) {
      this.#refusedMessages++;
      return;
    }
    this.#link.advance(ticks[0]!).catch(() => socket.destroy());
  }

  #sendFrame(frame: GuardFrame): void {
    const node = this.#node;
    if (node === undefined || node.destroyed) return;
    if (this.#link.shape.timing === 'real-time' && node.writableLength > MAX_UNREAD_BYTES) {
      this.#droppedFrames++;
      this.#droppedLateS = Math.max(this.#droppedLateS, frame.tickLateS);
      return;
    }
    const isLater = this.#droppedLateS > frame.tickLateS;
    packFrame(this.#frameNumbers, 0, isLater ? { ...frame, tickLateS: this.#droppedLateS } : frame);
    this.#droppedLateS = 0;
    node.write(encodeNumbers(MESSAGE.frame, this.#frameNumbers));
  }
}
