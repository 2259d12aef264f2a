/** Cost of topics alone: round trips between two processes, and delivery of a fast state and of images. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Children, collect, died } from './children.ts';
import type { PeerReport, PeerTask } from './peer.ts';
import type { Quantiles } from './samples.ts';

export interface RoundTripResult {
  readonly rateHz: number;
  readonly roundTripMs: Quantiles;
  readonly sent: number;
  readonly received: number;
  readonly pingCpuPercent: number;
  readonly echoCpuPercent: number;
}

export interface DeliveryResult {
  readonly seconds: number;
  readonly jointStates: Stream;
  readonly images: Stream;
  readonly senderCpuPercent: number;
  readonly receiverCpuPercent: number;
}

export interface Stream {
  readonly sent: number;
  readonly received: number;
  readonly deliveredHz: number;
  readonly ageMs: Quantiles;
}

/** Measures round trips of joint states of six joints through our codec. */
export async function measureRoundTrip(rateHz: number, seconds: number): Promise<RoundTripResult> {
  const task = { rateHz, imageHz: 0, seconds };
  const [ping, echo] = await measurePair({ ...task, role: 'ping' }, { ...task, role: 'echo' });
  return {
    rateHz,
    roundTripMs: ping.jointsMs,
    sent: ping.sent,
    received: ping.received,
    pingCpuPercent: ping.cpuPercent,
    echoCpuPercent: echo.cpuPercent,
  };
}

/** Sends a joint state at 500 Hz and a 640×480 rgb8 image at 30 Hz to one subscriber, which subscribes as the node does. */
export async function measureDelivery(seconds: number): Promise<DeliveryResult> {
  const task = { rateHz: 500, imageHz: 30, seconds };
  const [sent, got] = await measurePair({ ...task, role: 'send' }, { ...task, role: 'receive' });
  const stream = (count: number, received: number, ageMs: Quantiles): Stream => ({
    sent: count,
    received,
    deliveredHz: received / seconds,
    ageMs,
  });
  return {
    seconds,
    jointStates: stream(sent.sent, got.received, got.jointsMs),
    images: stream(sent.images, got.receivedImages, got.imagesMs),
    senderCpuPercent: sent.cpuPercent,
    receiverCpuPercent: got.cpuPercent,
  };
}

async function measurePair(active: PeerTask, passive: PeerTask): Promise<[PeerReport, PeerReport]> {
  const children = new Children();
  try {
    const listener = await startPeer(passive, children);
    const report = await (await startPeer(active, children)).report;
    listener.end();
    return [report, await listener.report];
  } finally {
    await children.end();
  }
}

interface RunningPeer {
  readonly report: Promise<PeerReport>;
  /** Ends a listening peer. */
  end(): void;
}

/** Starts a peer; resolves once it listens. */
async function startPeer(task: PeerTask, children: Children): Promise<RunningPeer> {
  const child = fork(fileURLToPath(new URL('./peer-process.js', import.meta.url)), [JSON.stringify(task)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  children.adopt(child);
  const errors = collect(child);
  const report = new Promise<PeerReport>((resolve, reject) => {
    child.on('message', (message) => {
      if (message !== 'ready') resolve(message as PeerReport);
    });
    child.once('close', (code) => reject(died(`${task.role} of the measurement`, code, errors())));
  });
  report.catch(() => undefined);
  await Promise.race([new Promise((resolve) => child.once('message', resolve)), report]);
  return { report, end: () => void child.send('end') };
}
