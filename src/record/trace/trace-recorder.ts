/** Trace writer of a run: passes packets to the writing thread without ever blocking, and counts those dropped for lack of room. */
import { Worker } from 'node:worker_threads';
import { kindOf } from '../../rows/index.ts';
import type { FromTraceThread, ToTraceThread, TraceThreadData } from './trace-thread.ts';

/** Packets are passed on in batches of this size, or after this time, ms. */
const BATCH_PACKETS = 64;
const BATCH_MS = 500;
/** Most packets that the thread has not processed; more are dropped: a hanging disk costs no memory. */
const MOST_UNDER_WAY = 8192;
const MOST_HEAP_MB = 128;
const CLOSE_MS = 3000;

export interface TraceRecorderOptions {
  /** Folder of the run. */
  readonly folder: string;
  /** Called with one sentence for the user when part of the trace is lost, or all from now on. */
  readonly onTrouble: (message: string) => void;
}

export class TraceRecorder {
  readonly #options: TraceRecorderOptions;
  readonly #timer: NodeJS.Timeout;
  #worker: Worker | undefined;
  #ended: Promise<number> = Promise.resolve(0);
  #batch: Uint8Array[] = [];
  #underWay = 0;
  #dropped = 0;
  #hasFailed = false;

  constructor(options: TraceRecorderOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#post(), BATCH_MS);
    this.#timer.unref();
  }

  /** Takes ownership of a packet. Quick; never throws. */
  packet(packet: Uint8Array): void {
    if (this.#hasFailed || this.#underWay + this.#batch.length >= MOST_UNDER_WAY) {
      this.#dropped++;
      return;
    }
    this.#batch.push(packet);
    if (this.#batch.length >= BATCH_PACKETS || kindOf(packet) === 'episode') this.#post();
  }

  /** Writes the rest. Resolves to the number of dropped messages. Never rejects. */
  async close(): Promise<number> {
    clearInterval(this.#timer);
    this.#post();
    this.#worker?.postMessage({ kind: 'close' } satisfies ToTraceThread);
    const timer = setTimeout(() => void this.#worker?.terminate(), CLOSE_MS);
    const dropped = this.#dropped + (await this.#ended);
    clearTimeout(timer);
    if (dropped > 0) this.#options.onTrouble(`${dropped} trace messages were dropped (no room, or unreadable).`);
    return dropped;
  }

  /** The thread starts with the first packet. */
  #post(): void {
    const packets = this.#batch;
    if (packets.length === 0 || this.#hasFailed) return;
    this.#batch = [];
    this.#underWay += packets.length;
    this.#worker ??= this.#start();
    const message: ToTraceThread = { kind: 'packets', packets };
    this.#worker.postMessage(
      message,
      packets.map(({ buffer }) => buffer as ArrayBuffer),
    );
  }

  #start(): Worker {
    const workerData: TraceThreadData = { folder: this.#options.folder };
    const worker = new Worker(new URL('./trace-thread.js', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
    });
    worker.unref();
    worker.on('error', (error: Error) => this.#fail(error.message));
    worker.on('message', (message: FromTraceThread) => {
      if (message.kind === 'trouble') this.#options.onTrouble(message.message);
      if (message.kind === 'taken') this.#underWay -= message.packets;
    });
    this.#ended = new Promise((resolve) => {
      worker.on('message', (message: FromTraceThread) => {
        if (message.kind === 'closed') resolve(message.dropped);
      });
      worker.once('exit', () => resolve(this.#underWay));
    });
    return worker;
  }

  #fail(message: string): void {
    if (!this.#hasFailed) this.#options.onTrouble(`The trace has failed and ends here: ${message}. The run goes on.`);
    this.#hasFailed = true;
  }
}
