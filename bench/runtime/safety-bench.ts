/** Cost of the safety chain per tick: time, the share of ticks in which each stage acts, and garbage, which must be none. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ReinError, type RobotModel } from '../../src/model/index.ts';
import { STAGES, type StageName } from '../../src/safety/chain-report.ts';
import { CHAIN_LOADS, ChainLoad, type ChainLoadName, constraintRows } from './chain-load.ts';

export interface SafetyBenchOptions {
  readonly models: readonly RobotModel[];
  /** Ticks of each case. Default 100 000. */
  readonly ticks?: number;
  readonly onPhase?: (label: string) => void;
}

/** One robot under one kind of commands. */
export interface SafetyBenchCase {
  readonly robot: string;
  readonly joints: number;
  readonly constraintRows: number;
  readonly hasTank: boolean;
  readonly load: ChainLoadName;
  readonly ticks: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly maxUs: number;
  /** Bytes that the chain leaves per tick; below `noiseBytesPerTick` it counts as none. */
  readonly bytesPerTick: number;
  readonly noiseBytesPerTick: number;
  /** Share of the ticks in which each stage changed the command. */
  readonly activeRatio: Readonly<Record<StageName, number>>;
}

export interface SafetyBenchResult {
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly node: string;
    readonly loadBefore: number;
    /** True if the machine was quiet enough to judge times. */
    readonly isQuiet: boolean;
  };
  readonly cases: readonly SafetyBenchCase[];
  /** Violated requirements, one sentence each. */
  readonly failures: readonly string[];
}

/** Request to the process that measures garbage, and its answer. */
export interface GarbageRequest {
  readonly model: RobotModel;
  readonly load: ChainLoadName;
  readonly ticks: number;
}
export interface GarbageAnswer {
  readonly bytesPerTick: number;
  readonly noiseBytesPerTick: number;
}

const WARM_TICKS = 20_000;
const SEED = 11;
/** Requirements: minimum number of constraint rows, and maximum p99. */
const LEAST_ROWS = 32;
const MOST_P99_US = 300;
/** Load average, as a share of the cores, above which times are not those of the machine alone, and are not judged. */
const QUIET_SHARE = 0.25;
/**
 * As the guard runs, on one thread; with a young generation large enough that no collection hides anything; and with only
 * the smallest functions inlined, so that each number that a call puts on the heap shows, whatever the optimizer decides elsewhere.
 */
const GARBAGE_FLAGS = [
  '--single-threaded',
  '--expose-gc',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--max-inlined-bytecode-size-cumulative=0',
];

/** Rejects with `ReinError` if the process that counts bytes fails. */
export async function benchSafety(options: SafetyBenchOptions): Promise<SafetyBenchResult> {
  const { models, ticks = 100_000, onPhase } = options;
  const machine = {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    node: process.version,
    loadBefore: loadavg()[0] ?? 0,
    isQuiet: (loadavg()[0] ?? 0) <= QUIET_SHARE * availableParallelism(),
  };
  const cases: SafetyBenchCase[] = [];
  for (const model of models) {
    for (const load of CHAIN_LOADS) {
      onPhase?.(`${model.name}, ${load}: time`);
      const times = measureTime(model, load, ticks);
      onPhase?.(`${model.name}, ${load}: garbage`);
      const garbage = await measureGarbage({ model, load, ticks });
      cases.push({
        robot: model.name,
        joints: model.joints.length,
        constraintRows: constraintRows(model),
        hasTank: model.tank !== undefined,
        load,
        ticks,
        ...times,
        ...garbage,
      });
    }
  }
  return { machine, cases, failures: cases.flatMap((one) => complaintsAbout(one, machine.isQuiet)) };
}

export function formatSafetyBench({ machine, cases, failures }: SafetyBenchResult): string {
  const lines = [
    `Safety chain on ${machine.cores} × ${machine.cpu}, Node ${machine.node}; times in µs a tick, load before ${machine.loadBefore.toFixed(1)}`,
    row(['robot', 'joints', 'rows', 'tank', 'commands', 'p50', 'p99', 'p99.9', 'max', 'bytes', 'ticks']),
    ...cases.map((one) => {
      const times = [one.p50Us, one.p99Us, one.p999Us, one.maxUs].map((us) => us.toFixed(1));
      const bytes = shownBytes(one);
      const tank = one.hasTank ? 'on' : 'none';
      return row([
        one.robot,
        String(one.joints),
        String(one.constraintRows),
        tank,
        one.load,
        ...times,
        bytes,
        String(one.ticks),
      ]);
    }),
    'Share of the ticks in which a stage changed the command:',
    ...cases.map(({ robot, load, activeRatio }) => {
      const shares = STAGES.map((stage) => `${stage} ${(100 * activeRatio[stage]).toFixed(1)} %`);
      return `  ${robot}, ${load}: ${shares.join(', ')}`;
    }),
    machine.isQuiet
      ? `The machine was quiet: p99 is asserted to be at most ${MOST_P99_US} µs.`
      : `Other programs were running before this began: p99 (at most ${MOST_P99_US} µs) is not asserted.`,
    ...failures.map((failure) => `FAILED: ${failure}`),
  ];
  return lines.join('\n');
}

function shownBytes({ bytesPerTick, noiseBytesPerTick }: GarbageAnswer): string {
  return bytesPerTick <= noiseBytesPerTick ? '0' : bytesPerTick.toFixed(2);
}

function complaintsAbout(one: SafetyBenchCase, isQuiet: boolean): string[] {
  const name = `${one.robot}, ${one.load}`;
  const complaints: string[] = [];
  if (one.bytesPerTick > one.noiseBytesPerTick) {
    complaints.push(`${name}: the chain leaves ${one.bytesPerTick.toFixed(2)} bytes of garbage a tick`);
  }
  if (one.constraintRows < LEAST_ROWS) complaints.push(`${name}: only ${one.constraintRows} constraint rows`);
  if (isQuiet && one.p99Us > MOST_P99_US)
    complaints.push(`${name}: p99 is ${one.p99Us.toFixed(0)} µs, above ${MOST_P99_US}`);
  if (!one.hasTank) complaints.push(`${name}: no energy tank`);
  return complaints;
}

function measureTime(
  model: RobotModel,
  load: ChainLoadName,
  ticks: number,
): Pick<SafetyBenchCase, 'p50Us' | 'p99Us' | 'p999Us' | 'maxUs' | 'activeRatio'> {
  const run = new ChainLoad({ model, load, ticks: WARM_TICKS + ticks, seed: SEED });
  const us = new Float64Array(ticks);
  const active = new Float64Array(STAGES.length);
  for (let k = 0; k < WARM_TICKS + ticks; k++) {
    run.prepare(k);
    const begin = performance.now();
    run.apply(k);
    const end = performance.now();
    if (k < WARM_TICKS) continue;
    us[k - WARM_TICKS] = 1e3 * (end - begin);
    for (let stage = 0; stage < STAGES.length; stage++) if (run.report.stages[stage]!.changed) active[stage]!++;
  }
  us.sort();
  const at = (share: number): number => us[Math.min(ticks - 1, Math.floor(share * ticks))]!;
  return {
    p50Us: at(0.5),
    p99Us: at(0.99),
    p999Us: at(0.999),
    maxUs: us[ticks - 1]!,
    activeRatio: Object.fromEntries(STAGES.map((name, k) => [name, active[k]! / ticks])) as Record<StageName, number>,
  };
}

async function measureGarbage(request: GarbageRequest): Promise<GarbageAnswer> {
  const child = fork(fileURLToPath(new URL('./garbage-process.js', import.meta.url)), [], { execArgv: GARBAGE_FLAGS });
  try {
    child.send(request);
    const ended = once(child, 'exit').then(([code]) => {
      throw new ReinError('environment', `The process that counts garbage ended with code ${code}.`);
    });
    const [answer] = (await Promise.race([once(child, 'message'), ended])) as [GarbageAnswer];
    return answer;
  } finally {
    child.kill('SIGKILL');
  }
}

function row(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 || i === 4 ? cell.padEnd(12) : cell.padStart(8))).join(' ');
}
