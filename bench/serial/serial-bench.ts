/** Cost of a tick at a serial bus: three ways of access to it, and LeRobot's own code, in turns on one emulated arm. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { quantile, ReinError } from '../../src/model/index.ts';

export interface SerialBenchOptions {
  readonly seconds: number;
  readonly rateHz: number;
  /** Number of turns of all cases. */
  readonly rounds: number;
  /** A checkout of huggingface/lerobot, and the folder that holds scservo_sdk; absent: omitted. */
  readonly lerobot?: string | undefined;
  readonly scservo?: string | undefined;
  readonly onPhase: (label: string) => void;
}

export interface SerialBenchCase {
  readonly name: string;
  readonly ticks: number;
  /** Ticks in which not all servos answered. */
  readonly failed: number;
  /** Time from the tick's beginning until the goals were handed over, ms. */
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
  /** Lateness of ticks, ms; null if it is not reported. */
  readonly late_p99_ms: number | null;
  /** Median as a multiple of the time on the line. */
  readonly over_minimum: number;
}

export interface SerialBenchResult {
  /** Time of the bits of request, replies and goals on the line, ms; LeRobot requests fewer. */
  readonly minimum_ms: number;
  readonly lerobot_minimum_ms: number;
  readonly cases: readonly SerialBenchCase[];
  readonly emulator: EmulatorFigures;
}

/** Figures reported by the emulator, over all cases. */
interface EmulatorFigures {
  readonly replies: number;
  /** Lateness of the begin and end of replies, ms. */
  readonly begin_p50_ms: number;
  readonly begin_p99_ms: number;
  readonly end_p50_ms: number;
  readonly end_p99_ms: number;
  /** Share of a processor before any request, and over all cases, including the pauses between them. */
  readonly idle_share: number;
  readonly busy_share: number;
}

/** Fields used of its event `statistics`. */
interface Statistics {
  readonly replies: number;
  readonly cpuS: number;
  readonly upS: number;
  readonly replyBeginLateS: { readonly p50: number; readonly p99: number };
  readonly replyEndLateS: { readonly p50: number; readonly p99: number };
}

const POLL_MS = 20;
/** Time for which the idle emulator is observed. */
const IDLE_MS = 5000;
const SERVOS = 6;
const BYTE_MS = 10 / 1000;
/** Request, six replies of 6 bytes each. The bytes of the goals are sent while the tick continues. */
const MINIMUM_MS = (8 + SERVOS + SERVOS * (6 + 6)) * BYTE_MS;
/** The same for the positions alone. */
const LEROBOT_MINIMUM_MS = (8 + SERVOS + SERVOS * (6 + 2)) * BYTE_MS;
const WAYS = ['descriptor', 'exchange', 'mainLoop'] as const;
const LOADS = ['quiet', 'busy'] as const;
const bin = fileURLToPath(new URL('../../../bin/rein.js', import.meta.url));
const run = promisify(execFile);

export async function benchSerial(options: SerialBenchOptions): Promise<SerialBenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-serial-bench-'));
  const link = join(folder, 'usb-Emulated_so101_BENCH-if00');
  const emulator = spawn(process.execPath, [bin, 'emulate', 'feetech', '--robot', 'so101', '--json', '--link', link], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    while (!existsSync(link)) {
      if (emulator.exitCode !== null) throw new ReinError('environment', 'The emulator ended early.');
      await delay(POLL_MS);
    }
    const ask = asking(emulator);
    options.onPhase('the emulator, without requests');
    const first = await ask();
    await delay(IDLE_MS);
    const idle = await ask();
    const result = await measure(options, link);
    return { ...result, emulator: figuresOf(first, idle, await ask()) };
  } finally {
    await end(emulator);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a function that requests the emulator's statistics. */
function asking(emulator: ChildProcess): () => Promise<Statistics> {
  const lines = createInterface({ input: emulator.stdout! });
  return async () => {
    emulator.stdin!.write('statistics\n');
    for (;;) {
      const [line] = (await once(lines, 'line')) as [string];
      const said = JSON.parse(line) as Statistics & { readonly event: string };
      if (said.event === 'statistics') return said;
    }
  };
}

function figuresOf(first: Statistics, idle: Statistics, last: Statistics): EmulatorFigures {
  const share = (from: Statistics, to: Statistics): number => (to.cpuS - from.cpuS) / (to.upS - from.upS);
  return {
    replies: last.replies,
    begin_p50_ms: last.replyBeginLateS.p50 * 1e3,
    begin_p99_ms: last.replyBeginLateS.p99 * 1e3,
    end_p50_ms: last.replyEndLateS.p50 * 1e3,
    end_p99_ms: last.replyEndLateS.p99 * 1e3,
    idle_share: share(first, idle),
    busy_share: share(idle, last),
  };
}

async function measure(options: SerialBenchOptions, link: string): Promise<Omit<SerialBenchResult, 'emulator'>> {
  const { rounds, lerobot, scservo, onPhase } = options;
  const ticks = fileURLToPath(new URL('./tick-process.js', import.meta.url));
  const script = fileURLToPath(new URL('../../../bench/serial/lerobot_bus.py', import.meta.url));
  const figures = [String(options.rateHz), String(options.seconds)];
  const found = new Map<string, { tookMs: number[]; lateMs: number[]; failed: number }>();
  const add = (name: string, text: string): void => {
    const {
      tookMs,
      lateMs = [],
      failed = 0,
    } = JSON.parse(text) as {
      tookMs: number[];
      lateMs?: number[];
      failed?: number;
    };
    const all = found.get(name) ?? { tookMs: [], lateMs: [], failed: 0 };
    all.tookMs.push(...tookMs.filter((ms) => ms >= 0));
    all.lateMs.push(...lateMs);
    all.failed += failed + tookMs.filter((ms) => ms < 0).length;
    found.set(name, all);
  };
  await run(process.execPath, [ticks, 'prepare', 'quiet', link]);
  for (let round = 0; round < rounds; round++) {
    for (const load of LOADS) {
      for (const way of WAYS) {
        onPhase(`${way}, ${load}, round ${round + 1} of ${rounds}`);
        const flags = ['--single-threaded', ticks, way, load, link, ...figures];
        add(`${way} ${load}`, (await run(process.execPath, flags, { maxBuffer: 1e9 })).stdout);
      }
    }
    if (lerobot === undefined || scservo === undefined) continue;
    if (!existsSync(join(lerobot, 'src/lerobot/motors/motors_bus.py'))) {
      throw new ReinError('config', `There is no LeRobot at ${lerobot}.`, {
        remedy: 'Name a checkout of huggingface/lerobot.',
      });
    }
    onPhase(`LeRobot, round ${round + 1} of ${rounds}`);
    const python = [script, link, String(options.seconds), String(options.rateHz), lerobot, scservo];
    add('lerobot', (await run('/usr/bin/python3', python, { maxBuffer: 1e9 })).stdout);
  }
  const cases = [...found].map(([name, { tookMs, lateMs, failed }]): SerialBenchCase => {
    const minimum = name === 'lerobot' ? LEROBOT_MINIMUM_MS : MINIMUM_MS;
    const p50 = quantile(tookMs, 0.5);
    return {
      name,
      ticks: tookMs.length + failed,
      failed,
      p50_ms: p50,
      p99_ms: quantile(tookMs, 0.99),
      max_ms: Math.max(...tookMs),
      late_p99_ms: lateMs.length === 0 ? null : quantile(lateMs, 0.99),
      over_minimum: p50 / minimum,
    };
  });
  return { minimum_ms: MINIMUM_MS, lerobot_minimum_ms: LEROBOT_MINIMUM_MS, cases };
}

async function end(emulator: ChildProcess): Promise<void> {
  if (emulator.exitCode !== null) return;
  const ended = once(emulator, 'exit');
  emulator.kill('SIGINT');
  await ended;
}

export function formatSerialBench({ minimum_ms, lerobot_minimum_ms, cases, emulator }: SerialBenchResult): string {
  const head = `One request for six servos and its replies are ${minimum_ms.toFixed(2)} ms on the line (LeRobot's: ${lerobot_minimum_ms.toFixed(2)} ms)`;
  const rows = cases.map(
    (one) =>
      `${one.name.padEnd(17)} p50 ${one.p50_ms.toFixed(2)}, p99 ${one.p99_ms.toFixed(2)}, max ${one.max_ms.toFixed(2)} ms; ` +
      `${one.over_minimum.toFixed(2)} × the line; ${one.failed} of ${one.ticks} not whole` +
      (one.late_p99_ms === null ? '' : `; late p99 ${one.late_p99_ms.toFixed(2)} ms`),
  );
  const { begin_p50_ms, begin_p99_ms, end_p50_ms, end_p99_ms, idle_share, busy_share } = emulator;
  const exact = `replies began ${begin_p50_ms.toFixed(3)} (p50) and ${begin_p99_ms.toFixed(2)} ms (p99) late, ended ${end_p50_ms.toFixed(3)} and ${end_p99_ms.toFixed(2)}`;
  const own = `emulator          ${exact}; ${(100 * idle_share).toFixed(1)} % of a processor idle, ${(100 * busy_share).toFixed(1)} busy`;
  return [head, ...rows, own].join('\n');
}
