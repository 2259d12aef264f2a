/**
 * Emulated device at a pseudo-terminal, in real time: bytes of the host reach it when a line of its baud rate would have delivered them,
 * and its answers are sent byte by byte at the times of such a line.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Clock, QuantileHistogram, ReinError } from '../../../../src/model/index.ts';
import type { EmulatedDevice, Transmit } from '../device.ts';
import { meantBy, misheard } from '../memory-line.ts';
import { Wire, type WireOptions } from '../wire.ts';
import { Inbox } from './inbox.ts';
import { LineSpeed } from './line-speed.ts';
import { type PortLink, PseudoTerminal } from './pseudo-terminal.ts';

/** Period of advancing the device while the host sends, and otherwise, s. */
const BUSY_S = 0.002;
const IDLE_S = 0.02;
/** Silence after which the host counts as idle, s. */
const QUIET_S = 0.5;
/** Silence after which the host may have set another baud rate, s. */
const ASK_SPEED_S = 0.0015;
/** Period at which the event loop of this thread gets a turn, s. */
const TURN_S = 0.01;
/** Bytes of one reply that are due within this time are sent together, s. */
const CHUNK_S = 100e-6;
/**
 * The kernel wakes a thread late: by about 60 µs, 10 with real-time priority. Waking is requested earlier by twice the recent lateness,
 * within these limits, and the rest is spent in a busy wait, s.
 */
const WAKE_MIN_S = 20e-6;
const WAKE_MAX_S = 90e-6;
const WAKE_MEMORY = 0.05;
/** Permitted earliness of a byte, s: less than writing it takes. */
const EARLY_S = 10e-6;
/** Lateness above which the begin of a reply counts as late, s. */
const LATE_S = 500e-6;
const START_MS = 10_000;
const END_MS = 1000;

export interface TerminalServerOptions extends WireOptions {
  readonly clock: Clock;
  readonly link?: PortLink | undefined;
}

export class TerminalServer {
  readonly wire: Wire;
  /** Echoes sent bytes, as adapters on a single wire do. */
  isEchoing = false;
  /** Lateness of the begin and end of replies, s. */
  readonly beginLateS: QuantileHistogram = new QuantileHistogram(1e-6, 10);
  readonly endLateS: QuantileHistogram = new QuantileHistogram(1e-6, 10);
  readonly #device: EmulatedDevice;
  readonly #options: TerminalServerOptions;
  readonly #transmit: Transmit;
  readonly #out: Uint8Array = new Uint8Array(4096);
  #port: OpenPort | undefined;
  #isRightBaud = true;
  #hostBaud: number | undefined;
  #lastHeardS = Number.NEGATIVE_INFINITY;
  #receivedBytes = 0;
  #sentBytes = 0;
  #lateReplies = 0;
  #isBetween = true;
  #overshootS = WAKE_MAX_S / 2;

  /** The port exists from `plug` on. */
  constructor(device: EmulatedDevice, options: TerminalServerOptions) {
    this.#device = device;
    this.#options = options;
    this.wire = new Wire(options);
    this.#transmit = (bytes, atS) => {
      if (this.#port !== undefined) this.wire.fromDevice(bytes, bytes.length, atS);
    };
    process.on('exit', this.#onExit);
  }

  /** Present path of the port; `undefined` while it is unplugged. */
  get path(): string | undefined {
    return this.#port?.terminal.path;
  }

  /** Counts since the start. `hostBaud`: baud rate of the host when it last sent. */
  get counts() {
    return {
      receivedBytes: this.#receivedBytes,
      sentBytes: this.#sentBytes,
      lateReplies: this.#lateReplies,
      collidedBytes: this.wire.collisions,
      lostBytes: this.wire.lost + (this.#port?.terminal.lost ?? 0),
      hostBaud: this.#hostBaud,
    };
  }

  /** Creates the port, and the link to it. Throws `ReinError`. No effect if there is one. */
  plug(): void {
    if (this.#port !== undefined) return;
    const terminal = new PseudoTerminal();
    const inbox = new Inbox();
    const reader = new Worker(new URL('./reader-thread.js', import.meta.url), {
      workerData: { masterFd: terminal.masterFd, memory: inbox.memory },
    });
    reader.unref();
    if (!inbox.waitUp(START_MS)) {
      inbox.stop();
      terminal.wakeReader();
      throw new ReinError(
        'environment',
        `The thread that reads the emulated port did not start within ${START_MS / 1e3} s.`,
        {
          remedy: 'This machine is too busy: try again.',
        },
      );
    }
    this.#port = { terminal, inbox, speed: LineSpeed.open(terminal.path) };
    this.#options.link?.pointTo(terminal.path);
  }

  /** Removes the port, as when a cable is pulled; a link to it dangles. The devices keep their power. */
  unplug(): void {
    const port = this.#port;
    if (port === undefined) return;
    this.#port = undefined;
    this.wire.clear();
    port.speed?.close();
    port.inbox.stop();
    port.terminal.wakeReader();
    port.inbox.waitDone(END_MS);
    port.terminal.close();
  }

  /** Serves until `signal` aborts, then removes port and link. `between` is called now and then, on this thread's event loop. */
  async run(signal: AbortSignal, between?: () => void): Promise<void> {
    try {
      while (!signal.aborted) {
        this.#serve(this.#options.clock.nowS() + TURN_S);
        between?.();
        await nextTurn();
      }
    } finally {
      this.close();
    }
  }

  /** Idempotent. */
  close(): void {
    process.off('exit', this.#onExit);
    this.unplug();
    this.#options.link?.remove();
  }

  /** Needed because a process that ends in any way waits for its threads: the reader has to be woken. */
  readonly #onExit = (): void => this.close();

  #serve(untilS: number): void {
    const { clock } = this.#options;
    for (;;) {
      const nowS = clock.nowS();
      const port = this.#port;
      if (port !== undefined) while (port.inbox.take(this.#hear));
      this.#device.advance(nowS, this.#transmit);
      if (port !== undefined) this.#deliver(port.terminal);
      if (nowS >= untilS) return;
      this.#sleep(port, nowS + (nowS - this.#lastHeardS < QUIET_S ? BUSY_S : IDLE_S));
    }
  }

  readonly #hear = (bytes: Uint8Array, atS: number): void => {
    const port = this.#port;
    if (port === undefined) return;
    if (atS - this.#lastHeardS > ASK_SPEED_S) this.#askSpeed(port);
    this.#lastHeardS = atS;
    this.#receivedBytes += bytes.length;
    port.terminal.hostIsThere();
    if (this.isEchoing) this.#echo(bytes, atS);
    const heard = this.#isRightBaud ? bytes.slice() : Uint8Array.from(bytes, misheard);
    this.#device.receive(heard, heard.length, this.wire.fromHost(heard.length, atS), this.#transmit);
  };

  /** Independent of the baud rate: the host receives what it sent. */
  #echo(bytes: Uint8Array, atS: number): void {
    const own = this.#isRightBaud ? bytes.slice() : Uint8Array.from(bytes, meantBy);
    this.wire.fromDevice(own, own.length, atS);
  }

  #askSpeed({ speed }: OpenPort): void {
    this.#hostBaud = speed?.ask() ?? this.#options.baud;
    this.#isRightBaud = this.#hostBaud === this.#options.baud;
  }

  #deliver(terminal: PseudoTerminal): void {
    const { wire } = this;
    if (wire.nextS === Number.POSITIVE_INFINITY) return;
    const nowS = this.#options.clock.nowS();
    const firstS = wire.nextS;
    const lastS = wire.lastS;
    const count = wire.take(this.#out, 0, nowS + EARLY_S);
    if (count === 0) return;
    if (!this.#isRightBaud) for (let i = 0; i < count; i++) this.#out[i] = misheard(this.#out[i]!);
    terminal.write(this.#out, count);
    this.#sentBytes += count;
    const doneS = this.#options.clock.nowS();
    if (this.#isBetween) {
      this.beginLateS.add(Math.max(0, doneS - firstS));
      if (doneS - firstS > LATE_S) this.#lateReplies++;
    }
    this.#isBetween = wire.nextS === Number.POSITIVE_INFINITY;
    if (this.#isBetween) this.endLateS.add(Math.max(0, doneS - lastS));
  }

  /**
   * Sleeps until a byte arrives, the device has to be advanced, or bytes are due: those that begin or end a reply exactly on time, those in
   * between in chunks.
   */
  #sleep(port: OpenPort | undefined, tickS: number): void {
    const { clock } = this.#options;
    const { nextS, lastS } = this.wire;
    const nowS = clock.nowS();
    if (port === undefined) {
      if (tickS > nowS) Atomics.wait(NOBODY, 0, 0, (tickS - nowS) * 1e3);
      return;
    }
    const exactS = this.#isBetween ? nextS : Math.max(nextS, lastS);
    const chunkS = this.#isBetween ? Number.POSITIVE_INFINITY : Math.max(nextS, nowS + CHUNK_S);
    const wakeS = Math.min(WAKE_MAX_S, Math.max(WAKE_MIN_S, 2 * this.#overshootS));
    const untilS = Math.min(tickS, chunkS, exactS - wakeS);
    if (untilS > nowS) {
      port.inbox.wait((untilS - nowS) * 1e3);
      const overshootS = clock.nowS() - untilS;
      // It is early if a byte woke it.
      if (overshootS > 0) this.#overshootS += WAKE_MEMORY * (Math.min(overshootS, WAKE_MAX_S) - this.#overshootS);
    }
    if (clock.nowS() > exactS - wakeS) while (clock.nowS() < exactS - EARLY_S);
  }
}

interface OpenPort {
  readonly terminal: PseudoTerminal;
  readonly inbox: Inbox;
  readonly speed: LineSpeed | undefined;
}

const NOBODY: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(4));
