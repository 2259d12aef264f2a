/** Cost of monitor clients for a robot, and age of the frames that they get: runs of `rein run` without clients and with many, in turns. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { parseObject, quantile, ReinError, SystemClock } from '../../src/model/index.ts';
import { kindOf } from '../../src/rows/index.ts';
import { decodeNumbers, FRAME_LAYOUT, type FrameView } from '../../src/rows/portable.ts';
import { saveSteadyPolicy } from '../policy/steady-policy.ts';

export interface MonitorBenchOptions {
  /** Length of each run with its robot at work, s. */
  readonly seconds: number;
  /** Pairs of runs, one without clients and one with them. */
  readonly rounds: number;
  readonly onPhase: (label: string) => void;
}

/** Figures of one way of running, over all rounds. */
interface MonitorCase {
  readonly pages: number;
  /** Lateness of the begin of ticks: the median over the rounds, ms. */
  readonly tick_p50_ms: number;
  readonly tick_p99_ms: number;
  /** Resident memory of the supervisor's process, which has the server: after a fifth of the time, and at the end, MB. */
  readonly memory_start_mb: number;
  readonly memory_end_mb: number;
}

export interface MonitorBenchResult {
  readonly alone: MonitorCase;
  /** Eight pages, and one client of each kind that reads nothing. */
  readonly watched: MonitorCase;
  /** Time from the creation of a frame to its arrival at a page's socket, ms; frames per second and page. */
  readonly latency_p50_ms: number;
  readonly latency_p99_ms: number;
  readonly latency_max_ms: number;
  readonly frames_per_s: number;
  /** One sentence per violated bound. */
  readonly failures: readonly string[];
}

const PAGES = 8;
/** Bounds: increase by clients of the p99 of tick lateness, ms, and of the final memory, MB; p99 of the age of frames, ms. */
const MOST_TICK_ADDED_MS = 0.2;
const MOST_MEMORY_ADDED_MB = 64;
const MOST_FRAME_AGE_MS = 100;
const READY_MS = 60_000;
/** With the window of a page (`src/monitor/app/stream.ts`). */
const HELLO = '{"kind":"hello","window":4}';
const bin = fileURLToPath(new URL('../../../bin/rein.js', import.meta.url));

export async function benchMonitor({ seconds, rounds, onPhase }: MonitorBenchOptions): Promise<MonitorBenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-monitor-bench-'));
  try {
    await writeInputs(folder);
    const latenciesMs: number[] = [];
    const runs: { readonly alone: Measured[]; readonly watched: Measured[] } = { alone: [], watched: [] };
    for (let round = 0; round < rounds; round++) {
      for (const which of ['alone', 'watched'] as const) {
        onPhase(`round ${round + 1} of ${rounds}, ${which}`);
        const out = `${which}${round}`;
        runs[which].push(await measure(folder, out, seconds, which === 'alone' ? 0 : PAGES, latenciesMs));
      }
    }
    const result = {
      alone: caseOf(0, runs.alone),
      watched: caseOf(PAGES, runs.watched),
      latency_p50_ms: quantile(latenciesMs, 0.5),
      latency_p99_ms: quantile(latenciesMs, 0.99),
      latency_max_ms: latenciesMs.reduce((most, ms) => Math.max(most, ms), 0),
      frames_per_s: latenciesMs.length / (rounds * PAGES * seconds),
    };
    return { ...result, failures: failuresOf(result) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns one sentence per bound that `result` violates. NaN violates it. */
export function failuresOf({ alone, watched, latency_p99_ms }: Omit<MonitorBenchResult, 'failures'>): string[] {
  const tickMs = watched.tick_p99_ms - alone.tick_p99_ms;
  const memoryMb = watched.memory_end_mb - alone.memory_end_mb;
  const bounds = [
    ['Watchers add to the p99 of the ticks', tickMs, MOST_TICK_ADDED_MS, 'ms'],
    ['The p99 of how old a frame is when a page has it is', latency_p99_ms, MOST_FRAME_AGE_MS, 'ms'],
    ['Watchers add to the memory', memoryMb, MOST_MEMORY_ADDED_MB, 'MB'],
  ] as const;
  return bounds.flatMap(([what, value, most, unit]) =>
    value < most ? [] : [`${what} ${value.toFixed(3)} ${unit}: the bound is ${most} ${unit}.`],
  );
}

export function formatMonitorBench(result: MonitorBenchResult): string {
  const line = (name: string, one: MonitorCase): string =>
    `${name}: ticks late p50 ${one.tick_p50_ms.toFixed(3)}, p99 ${one.tick_p99_ms.toFixed(3)} ms; ` +
    `memory ${one.memory_start_mb.toFixed(0)} to ${one.memory_end_mb.toFixed(0)} MB`;
  const { alone, watched } = result;
  return [
    line('no watchers', alone),
    line(`${PAGES} pages, and one client of each kind that reads nothing`, watched),
    `p99 of ticks changes by ${(watched.tick_p99_ms - alone.tick_p99_ms).toFixed(3)} ms`,
    `frames reach a page after p50 ${result.latency_p50_ms.toFixed(1)}, p99 ${result.latency_p99_ms.toFixed(1)}, max ${result.latency_max_ms.toFixed(1)} ms, ${result.frames_per_s.toFixed(0)} a second`,
    ...result.failures,
  ].join('\n');
}

/** Writes a robot that takes hardly any processor time, and a policy for it. */
async function writeInputs(folder: string): Promise<void> {
  const shipped = readFileSync(fileURLToPath(new URL('../../../config/robots/arm6.yaml', import.meta.url)), 'utf8');
  writeFileSync(join(folder, 'arm.yaml'), shipped.replace(/^driver:\n(?: .*\n?)+/m, 'driver:\n  kind: mock\n'));
  writeFileSync(join(folder, 'config.yaml'), `task: { robot: ${join(folder, 'arm.yaml')} }\n`);
  await saveSteadyPolicy(folder);
}

interface Measured {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly startMb: number;
  readonly endMb: number;
}

async function measure(
  folder: string,
  out: string,
  seconds: number,
  pages: number,
  latenciesMs: number[],
): Promise<Measured> {
  const args = [
    'run',
    '--policy',
    join(folder, 'good'),
    '--start',
    'now',
    '--config',
    join(folder, 'config.yaml'),
    '--out',
    out,
  ];
  const robot = spawn(process.execPath, [bin, ...args, '--monitor', '127.0.0.1:0'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(robot, 'exit');
  const sockets: (WebSocket | Socket)[] = [];
  try {
    const address = await addressOf(robot);
    const first = new WebSocket(streamOf(address));
    // In both cases one page is open until the robot is at work.
    await atWork(first);
    first.terminate();
    const clock = new SystemClock();
    for (let i = 0; i < pages; i++) {
      sockets.push(watch(address, (frame) => void latenciesMs.push(1e3 * (clock.nowS() - frame.sentAtS))));
    }
    if (pages > 0) sockets.push(deafPage(address), deafViewer(address), deafReader(address));
    await delay(200 * seconds);
    const startMb = residentMb(robot.pid!);
    await delay(800 * seconds);
    const endMb = residentMb(robot.pid!);
    robot.kill('SIGINT');
    await ended;
    const { p50Us, p99Us } = latenessIn(join(folder, out, 'guard.log'));
    return { p50Us, p99Us, startMb, endMb };
  } finally {
    for (const socket of sockets) {
      if (socket instanceof WebSocket) socket.terminate();
      else socket.destroy();
    }
    robot.kill('SIGKILL');
  }
}

function streamOf(address: string): string {
  return new URL('stream', address.replace(/^http/, 'ws')).href;
}

/** Resolves to the address printed by the run. */
async function addressOf(robot: ChildProcess): Promise<string> {
  let text = '';
  robot.stdout!.on('data', (data: Buffer) => {
    if (text.length < 1e5) text += data.toString();
  });
  const endMs = performance.now() + READY_MS;
  for (;;) {
    const [, address] = /monitor: (\S+)\s/.exec(text) ?? [];
    if (address !== undefined) return address;
    if (robot.exitCode !== null || performance.now() > endMs) {
      throw new ReinError('environment', `The run did not begin:\n${text}`);
    }
    await delay(50);
  }
}

/** Resolves at the first frame. */
function atWork(socket: WebSocket): Promise<void> {
  socket.on('open', () => socket.send(HELLO));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new ReinError('environment', 'No frames came.')), READY_MS);
    socket.on('error', reject);
    socket.on('message', (data: Buffer) => {
      if (kindOf(new Uint8Array(data)) !== 'frame') return;
      clearTimeout(timer);
      resolve();
    });
  });
}

function watch(address: string, onFrame: (frame: FrameView) => void): WebSocket {
  const socket = new WebSocket(streamOf(address));
  socket.on('open', () => socket.send(HELLO));
  socket.on('error', () => undefined);
  socket.on('message', (data: Buffer) => {
    const bytes = new Uint8Array(data);
    if (kindOf(bytes) !== 'frame') return;
    onFrame(decodeNumbers(FRAME_LAYOUT, bytes));
    // As a page does, so that it receives no more frames than it processes.
    socket.send('{"kind":"seen"}');
  });
  return socket;
}

/** Opens the stream by a manual handshake. */
function deafPage(address: string): Socket {
  return deafTo(address, upgradeTo('stream', address), '{"kind":"hello"}');
}

/** Subscribes to every channel of the stream for Foxglove. */
function deafViewer(address: string): Socket {
  const subscriptions = Array.from({ length: MOST_CHANNELS }, (_, id) => ({ id, channelId: id }));
  const head = upgradeTo('foxglove', address, 'sec-websocket-protocol: foxglove.sdk.v1');
  return deafTo(address, head, JSON.stringify({ op: 'subscribe', subscriptions }));
}

/** Requests the page's script as often as a connection may at once. */
function deafReader(address: string): Socket {
  return deafTo(address, headOf('GET /main.js HTTP/1.1', address).repeat(REQUESTS_AT_ONCE));
}

const MOST_CHANNELS = 20;
const REQUESTS_AT_ONCE = 16;

function headOf(line: string, address: string, ...fields: readonly string[]): string {
  return `${[line, `host: ${new URL(address).host}`, ...fields].join('\r\n')}\r\n\r\n`;
}

function upgradeTo(path: string, address: string, ...fields: readonly string[]): string {
  const key = ['sec-websocket-version: 13', 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA=='];
  return headOf(`GET /${path} HTTP/1.1`, address, 'upgrade: websocket', 'connection: Upgrade', ...key, ...fields);
}

/** Sends `head`, then `message` in a text frame, and never reads: data fills the kernel's buffers, and then waits in the server. */
function deafTo(address: string, head: string, message?: string): Socket {
  const { hostname, port } = new URL(address);
  const socket = createConnection(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(head);
  if (message !== undefined) socket.write(Buffer.concat([frameHead(message.length), Buffer.from(message)]));
  socket.pause();
  return socket;
}

/** Header of a masked text frame with mask 0 (RFC 6455, 5.2). */
function frameHead(length: number): Buffer {
  const size = length < 126 ? [length] : [126, length >> 8, length & 0xff];
  return Buffer.of(0x81, 0x80 | size[0]!, ...size.slice(1), 0, 0, 0, 0);
}

function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}

/** Tick lateness as logged by the guard when it ends. */
function latenessIn(log: string): { readonly p50Us: number; readonly p99Us: number } {
  for (const line of readFileSync(log, 'utf8').split('\n').reverse()) {
    const lateness = parseObject(line)?.['lateness'] as { p50Us: number; p99Us: number } | undefined;
    if (lateness !== undefined) return lateness;
  }
  throw new ReinError('environment', `${log} does not say how late its ticks were.`);
}

function caseOf(pages: number, runs: readonly Measured[]): MonitorCase {
  const middle = (value: (run: Measured) => number): number => quantile(runs.map(value), 0.5);
  return {
    pages,
    tick_p50_ms: middle(({ p50Us }) => p50Us / 1e3),
    tick_p99_ms: middle(({ p99Us }) => p99Us / 1e3),
    memory_start_mb: middle(({ startMb }) => startMb),
    memory_end_mb: middle(({ endMb }) => endMb),
  };
}
