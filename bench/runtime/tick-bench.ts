/** Lateness of the control tick: alone, on a busy machine, and while weights are swapped, with and without real-time priority. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GuardConfig } from '../../src/guard/index.ts';
import type { LatenessSummary } from '../../src/guard/scheduler.ts';
import { startBenchGuard } from './bench-guard.ts';
import { type BenchNodeResult, driveGuard } from './bench-node.ts';
import { buildReference, type ReferenceResult, startReference } from './tick-reference.ts';

export interface TickBenchOptions {
  /** Robot whose safety chain runs in each tick; a mock driver stands in for the robot itself. */
  readonly robot: Pick<GuardConfig, 'model' | 'action' | 'policyPeriodS'>;
  /** Ticks per second in the measurement. Default 1000, to see rare delays in a short time. */
  readonly rateHz?: number;
  /** Duration of each phase, s. Default 4. */
  readonly secondsPerPhase?: number;
  /** Called with the label of the next measurement. */
  readonly onPhase?: (label: string) => void;
}

/**
 * Load beside the tick. `alone`: only a node that commands as usual. `busy`: also a process on every core that computes and
 * allocates. `swapping`: the node continuously receives new weights.
 */
export const TICK_LOADS = ['alone', 'busy', 'swapping'] as const;
export type TickLoad = (typeof TICK_LOADS)[number];

export interface TickPhase {
  readonly load: TickLoad;
  readonly priorityAsked: 'raised' | 'normal';
  /** Actual priority: raising may not be permitted. */
  readonly priority: 'raised' | 'normal';
  /** Reason for this priority. */
  readonly priorityReason: string;
  readonly lateness: LatenessSummary;
  /** C program with the same pattern, run at the same time; absent without a C compiler. */
  readonly reference?: ReferenceResult;
  /** Work of the node meanwhile. */
  readonly node: BenchNodeResult;
}

export interface TickBenchResult {
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly node: string;
    /** Processes ready to run in the minute before: above 0, other programs disturbed the measurement. */
    readonly loadBefore: number;
  };
  readonly rateHz: number;
  readonly secondsPerPhase: number;
  readonly phases: readonly TickPhase[];
}

/** Load average, as a share of the cores, above which the figures are not those of the machine alone. */
const QUIET_SHARE = 0.25;
/** Program of each load process: arithmetic, and garbage for its collector. */
const LOAD_PROGRAM =
  'for (let keep = [];;) { keep = keep.length > 200 ? [] : [...keep, new Array(5000).fill(Math.random())]; }';

/** Measures one phase after another, with a second or two more for each. Rejects if a guard cannot start. */
export async function benchTick(options: TickBenchOptions): Promise<TickBenchResult> {
  const { rateHz = 1000, secondsPerPhase = 4 } = options;
  const machine = {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    node: process.version,
    loadBefore: loadavg()[0] ?? 0,
  };
  const phases: TickPhase[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'rein-bench-reference-'));
  try {
    const program = buildReference(folder);
    for (const load of TICK_LOADS) {
      for (const priority of ['normal', 'raised'] as const) {
        options.onPhase?.(`tick ${load}, priority ${priority}`);
        phases.push(await measurePhase({ ...options, rateHz, secondsPerPhase }, load, priority, program));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { machine, rateHz, secondsPerPhase, phases };
}

/** Formats the result as readable lines. */
export function formatTickBench(result: TickBenchResult): string {
  const { machine, phases } = result;
  const lines = [
    `Control tick at ${result.rateHz} Hz on ${machine.cores} × ${machine.cpu}, Node ${machine.node}; times in µs`,
    row(['beside', 'priority', 'late p50', 'p99', 'p99.9', 'max', 'work p50', 'p99', 'max', 'overruns', 'ticks']),
    ...phases.flatMap(({ load, priority, lateness, reference }) => [
      latenessRow(load, priority, lateness),
      ...(reference === undefined ? [] : formatReference(lateness, reference)),
    ]),
  ];
  if (phases.every(({ reference }) => reference === undefined)) {
    lines.push('There is no C reference here (cc is not installed): lateness of the machine itself is not separated.');
  }
  const swaps = phases.reduce((sum, { node }) => sum + node.swaps, 0);
  lines.push(`While swapping, ${swaps} sets of weights came into use.`);
  const refused = phases.find(({ priority, priorityAsked }) => priority !== priorityAsked);
  if (refused !== undefined) lines.push(`Priority could not be raised: ${refused.priorityReason}.`);
  if (machine.loadBefore > QUIET_SHARE * machine.cores) {
    const load = machine.loadBefore.toFixed(1);
    lines.push(
      `Other programs were running before this began (load ${load}): these figures are not the machine's own.`,
    );
  }
  return lines.join('\n');
}

async function measurePhase(
  { robot, rateHz, secondsPerPhase }: Required<Pick<TickBenchOptions, 'robot' | 'rateHz' | 'secondsPerPhase'>>,
  load: TickLoad,
  priorityAsked: TickPhase['priorityAsked'],
  program: string | undefined,
): Promise<TickPhase> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-bench-'));
  const configPath = join(folder, 'guard.json');
  const config: GuardConfig = {
    ...robot,
    model: { ...robot.model, controlHz: rateHz },
    driver: { name: 'mock', options: {} },
    socketPath: join(folder, 'guard.sock'),
    authority: 'node',
    realTimePriority: priorityAsked === 'raised' ? 'try' : 'no',
    warmUp: true,
  };
  writeFileSync(configPath, JSON.stringify(config));
  const processes: ChildProcess[] = [];
  const guard = startBenchGuard(configPath);
  try {
    await guard.ready;
    // Started after the guard, whose start is not measured.
    if (load === 'busy') processes.push(...startLoad());
    const reference = program === undefined ? undefined : startReference(program, rateHz, priorityAsked);
    if (reference !== undefined) processes.push(reference.process);
    const work = load === 'swapping' ? 'swap weights' : 'nothing';
    const node = await driveGuard(config.socketPath, robot.policyPeriodS, secondsPerPhase, work);
    const referenceResult = await reference?.end();
    guard.process.kill('SIGTERM');
    const { raise, lateness } = await guard.ended;
    const priority = raise.isRaised ? 'raised' : 'normal';
    const result = { load, priorityAsked, priority, priorityReason: raise.reason, lateness, node } as const;
    return referenceResult === undefined ? result : { ...result, reference: referenceResult };
  } finally {
    for (const child of [...processes, guard.process]) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function startLoad(): ChildProcess[] {
  return Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', LOAD_PROGRAM], { stdio: 'ignore' }),
  );
}

function latenessRow(name: string, priority: string, l: LatenessSummary): string {
  const times = [l.p50Us, l.p99Us, l.p999Us, l.maxUs, l.workP50Us, l.workP99Us, l.workMaxUs];
  return row([name, priority, ...times.map((us) => us.toFixed(0)), String(l.overruns), String(l.ticks)]);
}

/** Row of the C program, and the tick's excess over it: as differences and ratios. */
function formatReference(l: LatenessSummary, reference: ReferenceResult): string[] {
  const beyond = (of: 'p99Us' | 'p999Us' | 'maxUs'): string => {
    const ratio = l[of] / Math.max(reference[of], 1);
    return `${(l[of] - reference[of]).toFixed(0)} (${ratio.toFixed(1)} times)`;
  };
  return [
    latenessRow(' in C', reference.isRaised ? 'raised' : 'normal', reference),
    ` late beyond C: p99 ${beyond('p99Us')}, p99.9 ${beyond('p999Us')}, max ${beyond('maxUs')}`,
  ];
}

function row(cells: readonly string[]): string {
  return cells.map((cell, i) => (i < 2 ? cell.padEnd(9) : cell.padStart(9))).join(' ');
}
