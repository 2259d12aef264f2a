/**
 * A tick beside a serial port, in one of three ways, as its own program: `tick-process.js WAY LOAD PORT RATE_HZ SECONDS`. Each
 * tick reads six servos by one request and writes all goals by another. Prints JSON.
 *
 *   descriptor  the tick's thread reads and writes its own descriptor, as guards do
 *   exchange    serialport's stream on the main thread; the tick's thread requests by a message, and finds the answer in shared memory
 *   mainLoop    serialport's stream, and the tick on the same event loop
 *
 * WAY `prepare` sets the servos up and ends. LOAD: `quiet`, or `busy`: the main thread computes and allocates, 1 ms of every 5, like one
 * that serves a node and pages.
 */
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { SerialPort } from 'serialport';
import { DescriptorLine, feetech, holdPort, ServoBus } from '../../src/drivers/serial.ts';
import { raiseThisThread } from '../../src/guard/priority.ts';
import { Lateness, runAtDeadlines } from '../../src/guard/scheduler.ts';
import { SystemClock } from '../../src/model/index.ts';

/** Registers of positions, speeds and loads of six servos, and of their goals: `feetechFamily`. */
const IDS = Uint8Array.of(1, 2, 3, 4, 5, 6);
const READ = { address: 56, bytes: 6 };
const GOAL = { address: 42, bytes: 2 };
const LOCK = 55;
const RETURN_DELAY = 7;
const BAUD = 1_000_000;
/** Time after which a reply is lost, s. */
const PATIENCE_S = 0.02;
const SLOTS = { seq: 0, answers: 1, end: 2, words: 3 } as const;

/** Output of the program. */
export interface TickProcessResult {
  /** Duration of each tick until the goals were handed over, ms; −1 if not all servos answered. */
  readonly tookMs: readonly number[];
  readonly lateMs: readonly number[];
  readonly isRaised: boolean;
}

interface Shared {
  readonly memory: SharedArrayBuffer;
  readonly path: string;
  readonly rateHz: number;
  readonly seconds: number;
}

const clock = new SystemClock();

async function main(): Promise<void> {
  const [way = '', load = 'quiet', path = '', rate = '100', seconds = '10'] = process.argv.slice(2);
  const shared: Shared = {
    memory: new SharedArrayBuffer(4 * SLOTS.words + 4096),
    path,
    rateHz: Number(rate),
    seconds: Number(seconds),
  };
  if (way === 'prepare') {
    await prepare(path);
    process.exit(0);
  }
  const busy = load === 'busy' ? setInterval(work, 5) : undefined;
  const result = way === 'mainLoop' ? await tickOnLoop(shared) : await tickBesides(way, shared);
  clearInterval(busy);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exit(0);
}

/** Makes servos answer at once, as LeRobot and our own set-up do, instead of half a millisecond later as from the factory. */
async function prepare(path: string): Promise<void> {
  const held = await holdPort({ path, baud: BAUD });
  const bus = new ServoBus({ line: new DescriptorLine({ path, baud: BAUD }, clock), protocol: feetech.STS_PROTOCOL });
  for (const id of IDS) {
    bus.write(id, LOCK, Uint8Array.of(0), 1);
    bus.write(id, RETURN_DELAY, Uint8Array.of(0), 1);
  }
  await held.close();
}

/** 1 ms of arithmetic and garbage. */
function work(): void {
  const untilS = clock.nowS() + 0.001;
  let junk: number[][] = [];
  while (clock.nowS() < untilS) {
    junk.push([Math.sqrt(junk.length), junk.length]);
    if (junk.length > 500) junk = [];
  }
}

/** The tick has its own thread; this one holds the port, and uses it if `way` is `exchange`. */
async function tickBesides(way: string, shared: Shared): Promise<TickProcessResult> {
  const held = way === 'exchange' ? undefined : await holdPort({ path: shared.path, baud: BAUD });
  const stream = held === undefined ? await openStream(shared.path) : undefined;
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...shared, way } });
  const words = new Int32Array(shared.memory, 0, SLOTS.words);
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.on('message', (message: Uint8Array | TickProcessResult) => {
      if ('tookMs' in message) resolve(message);
      else stream?.write(Buffer.from(message));
    });
    let seq = 0;
    const reader = countingReader(() => {
      Atomics.store(words, SLOTS.answers, ++seq);
      Atomics.notify(words, SLOTS.answers);
    });
    stream?.on('data', (bytes: Uint8Array) => reader.push(bytes, 0, bytes.length));
  });
}

function tickInThread({ memory, path, rateHz, seconds, way }: Shared & { way: string }, port: MessagePort): void {
  const { isRaised } = raiseThisThread();
  const words = new Int32Array(memory, 0, SLOTS.words);
  const exchange = way === 'exchange' ? throughMain(words, port) : throughDescriptor(path);
  const { tookMs, lateMs, add } = record();
  const lateness = new Lateness();
  const endS = clock.nowS() + seconds;
  runAtDeadlines({
    periodS: 1 / rateHz,
    clock,
    lateness,
    tick: () => {
      const beginS = clock.nowS();
      const isWhole = exchange();
      add(isWhole ? clock.nowS() - beginS : Number.NaN, lateness.lateS);
    },
    shouldGoOn: () => clock.nowS() < endS,
  });
  port.postMessage({ tookMs, lateMs, isRaised } satisfies TickProcessResult);
}

function throughDescriptor(path: string): () => boolean {
  const bus = new ServoBus({ line: new DescriptorLine({ path, baud: BAUD }, clock), protocol: feetech.STS_PROTOCOL });
  const into = new Uint8Array(IDS.length * READ.bytes);
  const goals = new Uint8Array(IDS.length * GOAL.bytes);
  return () => {
    bus.until[0] = clock.nowS() + PATIENCE_S;
    const answered = bus.syncRead(IDS, IDS.length, READ.address, READ.bytes, into);
    for (let i = 0; i < IDS.length; i++) goals.set(into.subarray(READ.bytes * i, READ.bytes * i + 2), 2 * i);
    return bus.syncWrite(IDS, IDS.length, GOAL.address, goals, GOAL.bytes) === 'ok' && answered === IDS.length;
  };
}

function throughMain(words: Int32Array, port: MessagePort): () => boolean {
  return () => {
    const before = Atomics.load(words, SLOTS.answers);
    port.postMessage(request(readRequest));
    const untilS = clock.nowS() + PATIENCE_S;
    while (Atomics.load(words, SLOTS.answers) - before < IDS.length && clock.nowS() < untilS) {
      Atomics.wait(words, SLOTS.answers, Atomics.load(words, SLOTS.answers), 1);
    }
    const isWhole = Atomics.load(words, SLOTS.answers) - before === IDS.length;
    port.postMessage(request(writeRequest));
    return isWhole;
  };
}

async function tickOnLoop({ path, rateHz, seconds }: Shared): Promise<TickProcessResult> {
  const stream = await openStream(path);
  const { tookMs, lateMs, add } = record();
  let answers = 0;
  let arrived = (): void => undefined;
  const reader = countingReader(() => {
    if (++answers === IDS.length) arrived();
  });
  stream.on('data', (bytes: Uint8Array) => reader.push(bytes, 0, bytes.length));
  let deadlineS = clock.nowS();
  const endS = deadlineS + seconds;
  while (deadlineS < endS) {
    deadlineS += 1 / rateHz;
    while (clock.nowS() < deadlineS) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, (deadlineS - clock.nowS()) * 1e3 - 0.5)));
    }
    const beginS = clock.nowS();
    answers = 0;
    const whole = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), PATIENCE_S * 1e3);
      arrived = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
    stream.write(Buffer.from(request(readRequest)));
    const isWhole = await whole;
    stream.write(Buffer.from(request(writeRequest)));
    add(isWhole ? clock.nowS() - beginS : Number.NaN, beginS - deadlineS);
  }
  return { tookMs, lateMs, isRaised: false };
}

function countingReader(onReply: () => void): feetech.FeetechReader {
  return new feetech.FeetechReader((_id, _error, _bytes, _at, count) => {
    if (count === READ.bytes) onReply();
  });
}

const readRequest = (out: Uint8Array): number =>
  feetech.STS_PROTOCOL.syncRead!(out, IDS, IDS.length, READ.address, READ.bytes);
const middle = new Uint8Array(IDS.length * GOAL.bytes).map((_, i) => (i % 2 === 0 ? 0 : 8));
const writeRequest = (out: Uint8Array): number =>
  feetech.STS_PROTOCOL.syncWrite(out, IDS, IDS.length, GOAL.address, middle, GOAL.bytes);

function request(write: (out: Uint8Array) => number): Uint8Array {
  const out = new Uint8Array(64);
  return out.slice(0, write(out));
}

async function openStream(path: string): Promise<SerialPort> {
  const stream = new SerialPort({ path, baudRate: BAUD, autoOpen: false });
  await new Promise<void>((resolve, reject) => stream.open((error) => (error === null ? resolve() : reject(error))));
  return stream;
}

function record() {
  const tookMs: number[] = [];
  const lateMs: number[] = [];
  return {
    tookMs,
    lateMs,
    add: (tookS: number, lateS: number): void => {
      tookMs.push(Number.isNaN(tookS) ? -1 : tookS * 1e3);
      lateMs.push(lateS * 1e3);
    },
  };
}

if (isMainThread) await main();
else if (parentPort !== null) tickInThread(workerData as Shared & { way: string }, parentPort);
