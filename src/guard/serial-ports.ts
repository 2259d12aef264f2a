/**
 * Serial ports of a guard: on request of the tick's thread, the main thread opens, locks and configures them, as the package serialport
 * works only there. The tick then reads and writes its own descriptor, and no byte passes through the main thread's event loop
 * ([measured](../../bench/README.md#serial-buses)).
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import {
  DescriptorLine,
  type HeldPort,
  holdPort,
  type LineSettings,
  type LineWarning,
  type SerialLine,
} from '../drivers/serial.ts';
import { type Clock, type PackedError, packError, ReinError, unpackError } from '../model/index.ts';

/** Time limit to find and open a port, ms. */
const OPEN_MS = 10_000;

interface PortRequest {
  readonly id: number;
  readonly settings: LineSettings;
}

type PortAnswer = { readonly id: number } & (
  | { readonly ok: true; readonly path: string; readonly baud: number; readonly warning: LineWarning | undefined }
  | { readonly ok: false; readonly error: PackedError }
);

/** The tick thread's part. */
export interface SerialPortsMemory {
  readonly port: MessagePort;
  /** Counter incremented with each answer. */
  readonly answers: SharedArrayBuffer;
}

/** The main thread's end: holds at most one port at a time. */
export class SerialPorts {
  /** To be transferred to the tick's thread, with `port` in the transfer list. */
  readonly memory: SerialPortsMemory;
  readonly #port: MessagePort;
  #held: HeldPort | undefined;
  #opening: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.memory = { port: port2, answers: new SharedArrayBuffer(4) };
    this.#port = port1;
    // Requests are processed one after another.
    port1.on('message', (request: PortRequest) => {
      this.#opening = this.#opening.then(() => this.#open(request));
    });
    // The port does not keep the process alive: the thread does.
    port1.unref();
  }

  /** Releases the port. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#port.close();
    await this.#held?.close();
  }

  async #open({ id, settings }: PortRequest): Promise<void> {
    const answer: PortAnswer = { id, ...(await this.#tryOpen(settings)) };
    this.#port.postMessage(answer);
    const words = new Int32Array(this.memory.answers);
    Atomics.add(words, 0, 1);
    Atomics.notify(words, 0);
  }

  async #tryOpen(settings: LineSettings) {
    try {
      await this.#held?.close();
      const held = await holdPort(settings);
      this.#held = held;
      if (this.#isClosed) await held.close();
      return { ok: true as const, path: held.path, baud: held.baud, warning: held.warning };
    } catch (error) {
      const known = error instanceof ReinError ? error : new ReinError('driver', String(error));
      return { ok: false as const, error: packError(known) };
    }
  }
}

/** The tick thread's end: opens a line, and waits for it without an event loop. Not for the tick itself. Throws `ReinError`. */
export function openLineThrough(
  { port, answers }: SerialPortsMemory,
  settings: LineSettings,
  clock: Clock,
): SerialLine {
  const words = new Int32Array(answers);
  const id = ++requests;
  const request: PortRequest = { id, settings };
  port.postMessage(request);
  const untilMs = performance.now() + OPEN_MS;
  for (;;) {
    const seen = Atomics.load(words, 0);
    const answer = receiveMessageOnPort(port)?.message as PortAnswer | undefined;
    // An answer that arrives after its timeout is discarded.
    if (answer?.id === id) return lineOf(answer, clock);
    const leftMs = untilMs - performance.now();
    if (answer === undefined && (leftMs <= 0 || Atomics.wait(words, 0, seen, leftMs) === 'timed-out')) break;
  }
  throw new ReinError('driver', `The serial port was not open within ${OPEN_MS / 1000} s.`, {
    remedy: 'Unplug the adapter and plug it in again.',
  });
}

let requests = 0;

function lineOf(answer: PortAnswer, clock: Clock): SerialLine {
  if (!answer.ok) throw unpackError(answer.error);
  return new DescriptorLine(answer, clock);
}
