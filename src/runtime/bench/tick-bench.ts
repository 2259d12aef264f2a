/** How late the control tick begins, alone and on a busy machine, with and without real-time priority. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { QuantileHistogram, ReinError } from '../../core/index.ts';
import { GUARD_NODE_FLAGS, type GuardConfig } from '../guard/index.ts';
import type { LatenessSummary, RaiseResult } from '../scheduler.ts';

export interface TickBenchOptions {
  /** The robot whose safety chain runs in each tick; a mock driver stands in for the robot itself. */
  readonly robot: Pick<GuardConfig, 'model' | 'action' | 'policyPeriodS'>;
  /** Ticks per second in the measurement. Default 1000, to see rare delays in a short time. */
  readonly rateHz?: number;
  /** How long each of the four phases takes, s. Default 4. */
  readonly secondsPerPhase?: number;
  /** One inference of a policy; measured when given. */
  readonly infer?: () => Promise<void>;
  /** One swap of its weights; measured when given. */
  readonly swapWeights?: () => Promise<void>;
  /** Told what is measured next. */
  readonly onPhase?: (label: string) => void;
}

export interface TickPhase {
  /** `busy`: a process that computes and makes garbage on every core. */
  readonly load: 'alone' | 'busy';
  readonly priority: 'raised' | 'normal';
  /** Why the priority is what it is; tells when raising it was not allowed. */
  readonly priorityReason: string;
  readonly lateness: LatenessSummary;
}

/** Durations of one operation, µs. */
export interface DurationSummary {
  readonly count: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
}

export interface TickBenchResult {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly rateHz: number;
  readonly phases: readonly TickPhase[];
  readonly inference?: DurationSummary;
  readonly weightSwap?: DurationSummary;
}

const MEASURED_CALLS = 2000;
const WARM_UP_CALLS = 200;
/** What each process of the load runs: arithmetic, and garbage for its collector. */
const LOAD_PROGRAM =
  'for (let keep = [];;) { keep = keep.length > 200 ? [] : [...keep, new Array(5000).fill(Math.random())]; }';

/** Measures one phase after another; about 4 × `secondsPerPhase` and a little. Rejects when the guard cannot start. */
export async function benchTick(options: TickBenchOptions): Promise<TickBenchResult> {
  const phases: TickPhase[] = [];
  for (const load of ['alone', 'busy'] as const) {
    for (const priority of ['normal', 'raised'] as const) {
      options.onPhase?.(`tick ${load}, priority ${priority}`);
      phases.push(await measurePhase(options, load, priority));
    }
  }
  const machine = { cpu: cpus()[0]?.model.trim() ?? 'unknown', cores: availableParallelism(), node: process.version };
  return {
    machine,
    rateHz: options.rateHz ?? 1000,
    phases,
    ...(options.infer && { inference: await measureCalls(options.infer) }),
    ...(options.swapWeights && { weightSwap: await measureCalls(options.swapWeights) }),
  };
}

/** The result as lines for a person. */
export function formatTickBench(result: TickBenchResult): string {
  const { machine } = result;
  const lines = [
    `Control tick at ${result.rateHz} Hz on ${machine.cores} × ${machine.cpu}, Node ${machine.node}; times in µs`,
    row(['machine', 'priority', 'late p50', 'p99', 'p99.9', 'max', 'work p50', 'p99', 'overruns']),
    ...result.phases.map(({ load, priority, lateness: l }) => {
      const times = [l.p50Us, l.p99Us, l.p999Us, l.maxUs, l.workP50Us, l.workP99Us];
      return row([load, priority, ...times.map((value) => value.toFixed(0)), String(l.overruns)]);
    }),
  ];
  const refused = result.phases.find((phase) => phase.priority === 'normal' && phase.priorityReason !== NOT_ASKED);
  if (refused !== undefined) lines.push(`Priority could not be raised: ${refused.priorityReason}.`);
  for (const [name, value] of [
    ['policy inference', result.inference],
    ['weight swap', result.weightSwap],
  ] as const) {
    if (value === undefined) continue;
    const { p50Us, p99Us, maxUs } = value;
    lines.push(
      `${name}: p50 ${p50Us.toFixed(0)}, p99 ${p99Us.toFixed(0)}, max ${maxUs.toFixed(0)} µs (${value.count} calls)`,
    );
  }
  return lines.join('\n');
}

const NOT_ASKED = 'not asked for';

async function measurePhase(
  options: TickBenchOptions,
  load: TickPhase['load'],
  priority: TickPhase['priority'],
): Promise<TickPhase> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-bench-'));
  const config: GuardConfig = {
    ...options.robot,
    model: { ...options.robot.model, controlHz: options.rateHz ?? 1000 },
    driver: { name: 'mock', options: {} },
    socketPath: join(folder, 'guard.sock'),
    realTimePriority: priority === 'raised' ? 'try' : 'no',
  };
  writeFileSync(join(folder, 'guard.json'), JSON.stringify(config));
  const processes = load === 'busy' ? startLoad() : [];
  try {
    const { raise, lateness } = await runGuard(join(folder, 'guard.json'), options.secondsPerPhase ?? 4);
    return { load, priority: raise.isRaised ? 'raised' : 'normal', priorityReason: raise.reason, lateness };
  } finally {
    for (const child of processes) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

interface GuardEnd {
  readonly raise: RaiseResult;
  readonly lateness: LatenessSummary;
}

/** Runs a guard process as it runs on a robot, and gives what it says at its end. */
function runGuard(configPath: string, seconds: number): Promise<GuardEnd> {
  const guard = fork(fileURLToPath(new URL('../guard/guard-process.js', import.meta.url)), [configPath], {
    execArgv: [...GUARD_NODE_FLAGS],
    env: { ...process.env, REIN_LOG: 'error' },
  });
  return new Promise((resolve, reject) => {
    guard.on('message', (message: { kind: string }) => {
      if (message.kind === 'ready') setTimeout(() => guard.kill('SIGTERM'), 1e3 * seconds);
      if (message.kind === 'ended') resolve(message as unknown as GuardEnd);
    });
    guard.once('exit', (code) => reject(new ReinError('environment', `The guard ended early, with code ${code}.`)));
  });
}

function startLoad(): ChildProcess[] {
  return Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', LOAD_PROGRAM], { stdio: 'ignore' }),
  );
}

async function measureCalls(call: () => Promise<void>): Promise<DurationSummary> {
  const histogram = new QuantileHistogram(0.1, 1e7, 40);
  for (let i = 0; i < WARM_UP_CALLS + MEASURED_CALLS; i++) {
    const startedMs = performance.now();
    await call();
    if (i >= WARM_UP_CALLS) histogram.add(1e3 * (performance.now() - startedMs));
  }
  const { count, max: maxUs } = histogram;
  return { count, p50Us: histogram.quantile(0.5), p99Us: histogram.quantile(0.99), maxUs };
}

function row(cells: readonly string[]): string {
  return cells.map((cell, i) => (i < 2 ? cell.padEnd(9) : cell.padStart(9))).join(' ');
}
