/** Training speed of this machine, relative to its best speed of matrix multiplication. */

import { setTimeout } from 'node:timers/promises';
import type { SessionOptions } from '../../src/learner/engine/session.ts';
import { quantile } from '../../src/model/index.ts';
import { BENCH_CASES, type BenchCase, flopsPerCall } from './cases.ts';
import { CEILING_METHOD, Ceiling } from './ceiling.ts';
import { peakMemoryMb, resetPeakMemory } from './peak-memory.ts';
import { BareTrainer } from './trainer.ts';

/** One measured size; keys as in the JSON output. */
export interface LearnerBenchCase {
  readonly id: BenchCase['id'];
  readonly name: string;
  readonly observation_size: number;
  readonly action_size: number;
  readonly hidden: readonly number[];
  readonly batch_size: number;
  readonly critics: number;
  /** Critic updates per call; each call ends with one update of the actor. */
  readonly utd: number;
  /** Building the graph and loading it, ms. */
  readonly create_ms: number;
  /** Wall time of a call, the median and the 95th percentile. */
  readonly ms_per_call: number;
  readonly ms_per_call_p95: number;
  /** Critic updates per second. */
  readonly updates_per_s: number;
  /** Floating-point work of the matrix products, in 10⁹ operations per second. */
  readonly gflops: number;
  /** Median over rounds of that rate as a share of the ceiling of the same round. */
  readonly share_of_ceiling: number;
  /** Resident memory of the process at its peak during this case, 10⁶ bytes. */
  readonly peak_memory_mb: number;
}

export interface LearnerBenchResult {
  readonly threads: number;
  readonly spinning: boolean;
  /** Median over all rounds of the ceiling, 10⁹ operations per second. */
  readonly ceiling_gflops: number;
  readonly ceiling_method: string;
  readonly cases: readonly LearnerBenchCase[];
}

export interface LearnerBenchOptions {
  readonly threads: number;
  readonly spinning: boolean;
  /** Maximum number of calls of each size: for a quick check instead of a measurement. */
  readonly calls?: number;
}

const ROUNDS = 12;
/** Rounds that are not counted. */
const WARM_UP = 2;
/**
 * Pause between blocks of two sessions: waiting threads of the one hold a core for some 40 ms after its last call, and would take it
 * from the other.
 */
const REST_MS = 120;

/** Measures all sizes; takes some ten seconds. */
export async function benchLearner(options: LearnerBenchOptions): Promise<LearnerBenchResult> {
  const { threads, spinning } = options;
  const ceiling = await Ceiling.create({ threads, spinning });
  const ceilings: number[] = [];
  const cases: LearnerBenchCase[] = [];
  for (const one of BENCH_CASES) cases.push(await measure(one, options, ceiling, ceilings));
  await ceiling.close();
  return { threads, spinning, ceiling_gflops: quantile(ceilings, 0.5), ceiling_method: CEILING_METHOD, cases };
}

async function measure(
  one: BenchCase,
  { threads, spinning, calls = Number.POSITIVE_INFINITY }: LearnerBenchOptions,
  ceiling: Ceiling,
  ceilings: number[],
): Promise<LearnerBenchCase> {
  resetPeakMemory();
  const options: SessionOptions = { threads, spinning };
  const trainer = await BareTrainer.create(one, options);
  const perRound = Math.min(one.callsPerRound, calls);
  const rounds = Math.min(ROUNDS, Math.max(1, Math.floor(calls / perRound)));
  const flops = flopsPerCall(one);
  const restMs = spinning && threads > 1 ? REST_MS : 0;
  const [ms, shares]: [number[], number[]] = [[], []];
  for (let round = Number.isFinite(calls) ? 0 : -WARM_UP; round < rounds; round++) {
    const before = await ceiling.gflops();
    if (restMs > 0) await setTimeout(restMs);
    const inRound: number[] = [];
    for (let i = 0; i < perRound; i++) inRound.push(await trainer.call());
    if (restMs > 0) await setTimeout(restMs);
    const best = Math.max(before, await ceiling.gflops());
    if (round < 0) continue;
    ms.push(...inRound);
    ceilings.push(best);
    shares.push(flops / (quantile(inRound, 0.5) * 1e6) / best);
  }
  await trainer.close();
  const p50 = quantile(ms, 0.5);
  const { config } = one;
  return {
    id: one.id,
    name: one.name,
    observation_size: one.observationSize,
    action_size: one.actionSize,
    hidden: config.criticHidden,
    batch_size: config.batchSize,
    critics: config.critics,
    utd: config.utd,
    create_ms: trainer.createMs,
    ms_per_call: p50,
    ms_per_call_p95: quantile(ms, 0.95),
    updates_per_s: (config.utd * 1000) / p50,
    gflops: flops / (p50 * 1e6),
    share_of_ceiling: quantile(shares, 0.5),
    peak_memory_mb: peakMemoryMb(),
  };
}

/** Reads lines `{"case": "b", "calls": 3}`, runs that many calls, and answers with their wall times in ms, as a line of JSON. */
export async function serveBlocks(
  options: SessionOptions,
  lines: AsyncIterable<string>,
  answer: (line: string) => void,
): Promise<void> {
  const trainers = new Map<string, BareTrainer>();
  for await (const line of lines) {
    const { case: id, calls } = JSON.parse(line) as { case: string; calls: number };
    const one = BENCH_CASES.find((known) => known.id === id);
    if (one === undefined) throw new RangeError(`there is no case "${id}": ${BENCH_CASES.map((known) => known.id)}`);
    const trainer = trainers.get(id) ?? (await BareTrainer.create(one, options));
    trainers.set(id, trainer);
    const ms: number[] = [];
    for (let i = 0; i < calls; i++) ms.push(await trainer.call());
    answer(JSON.stringify({ case: id, ms, updates: one.config.utd, flops: flopsPerCall(one) }));
  }
  for (const trainer of trainers.values()) await trainer.close();
}
