/** How fast this machine trains, beside how fast it multiplies matrices at best. */
import { createTransition, Rng } from '../core/index.ts';
import { createAgent } from './agent/index.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from './program/index.ts';
import { Bindings, Graph, matmul, Session } from './engine/index.ts';
import { Replay } from './replay/index.ts';

/** One measured setting. */
export interface LearnerBenchCase {
  readonly name: string;
  readonly observationSize: number;
  readonly actionSize: number;
  readonly hidden: readonly number[];
  readonly batchSize: number;
  readonly critics: number;
  /** Critic updates per call; each call ends with one update of the actor. */
  readonly utd: number;
  /** Building the graph and loading it, ms. */
  readonly createMs: number;
  /** Wall time of a call, ms: the median and the 95th percentile. */
  readonly callMsP50: number;
  readonly callMsP95: number;
  readonly criticUpdatesPerS: number;
  /** Floating-point work of the matrix products, in 10⁹ operations per second. */
  readonly gflops: number;
  /** `gflops` as a share of the ceiling measured in the same run. */
  readonly shareOfCeiling: number;
}

export interface LearnerBenchResult {
  readonly threads: number;
  /** Best rate of a chain of 256³ float32 products, before and after the cases, 10⁹ operations per second. */
  readonly gemmCeilingGflops: number;
  readonly cases: readonly LearnerBenchCase[];
}

interface Setting {
  readonly name: string;
  readonly observationSize: number;
  readonly actionSize: number;
  readonly width: number;
  readonly config: Partial<LearnerConfig>;
  readonly calls: number;
}

const PLAIN = { layerNorm: false, batchSize: 256, entropyInTarget: true };
const SETTINGS: readonly Setting[] = [
  { name: 'insertion arm', observationSize: 54, actionSize: 4, width: 128, config: {}, calls: 150 },
  { name: 'SAC 1 + 1', observationSize: 24, actionSize: 6, width: 256, config: { ...PLAIN, utd: 1 }, calls: 60 },
  { name: 'SAC, 20 updates', observationSize: 24, actionSize: 6, width: 256, config: { ...PLAIN, utd: 20 }, calls: 10 },
  {
    name: 'RLPD, 20 updates of 10 critics',
    observationSize: 24,
    actionSize: 6,
    width: 256,
    config: { ...PLAIN, utd: 20, critics: 10, layerNorm: true },
    calls: 4,
  },
];

/**
 * Measures all settings with `threads` threads; takes some five seconds. `maxCalls` ≥ 1 measures fewer calls of each, to see
 * that it works rather than how fast.
 */
export async function benchLearner(
  threads = 1,
  maxCalls: number = Number.POSITIVE_INFINITY,
): Promise<LearnerBenchResult> {
  const before = await gemmGflops(threads);
  const raw: Omit<LearnerBenchCase, 'shareOfCeiling'>[] = [];
  for (const setting of SETTINGS) {
    raw.push(await measure({ ...setting, calls: Math.min(setting.calls, maxCalls) }, threads));
  }
  const gemmCeilingGflops = Math.max(before, await gemmGflops(threads));
  const cases = raw.map((one) => ({ ...one, shareOfCeiling: one.gflops / gemmCeilingGflops }));
  return { threads, gemmCeilingGflops, cases };
}

async function measure(setting: Setting, threads: number): Promise<Omit<LearnerBenchCase, 'shareOfCeiling'>> {
  const { name, observationSize, actionSize, width } = setting;
  const hidden = [width, width];
  const config = { ...DEFAULT_LEARNER_CONFIG, actorHidden: hidden, criticHidden: hidden, threads, ...setting.config };
  const startMs = performance.now();
  const agent = await createAgent({ observationSize, actionSize, config, seed: 1 });
  const createMs = performance.now() - startMs;
  const replay = randomReplay(observationSize, actionSize);
  const ms: number[] = [];
  const warmUp = Math.ceil(setting.calls / 5);
  for (let i = 0; i < warmUp + setting.calls; i++) {
    const { callMs } = await agent.update(replay, replay.counts().online);
    if (i >= warmUp) ms.push(callMs);
  }
  await agent.close();
  ms.sort((a, b) => a - b);
  const callMsP50 = ms[Math.floor(ms.length * 0.5)]!;
  const { batchSize, critics, utd } = config;
  return {
    ...{ name, observationSize, actionSize, hidden, batchSize, critics, utd, createMs, callMsP50 },
    callMsP95: ms[Math.floor(ms.length * 0.95)]!,
    criticUpdatesPerS: (utd * 1000) / callMsP50,
    gflops: flopsPerCall(observationSize, actionSize, width, config) / (callMsP50 * 1e6),
  };
}

/** Operations of the matrix products of one call; two per multiplication and addition. */
function flopsPerCall(observationSize: number, actionSize: number, width: number, config: LearnerConfig): number {
  const forward = (inputs: number, outputs: number) => 2 * config.batchSize * width * (inputs + width + outputs);
  const first = (inputs: number) => 2 * config.batchSize * width * inputs;
  const [critic, actor] = [forward(observationSize + actionSize, 1), forward(observationSize, 2 * actionSize)];
  // Backwards costs twice as much as forwards, less the first layer's gradient for its input.
  const criticStep = config.critics * (3 * critic - first(observationSize + actionSize)) + config.criticSubset * critic;
  const actorStep = 3 * actor - first(observationSize) + config.critics * 2 * critic;
  return config.utd * (criticStep + actor) + actorStep;
}

function randomReplay(observationSize: number, actionSize: number): Replay {
  const replay = new Replay(observationSize, actionSize, 10_000);
  const rng = new Rng(2);
  for (let i = 0; i < 4000; i++) {
    const t = createTransition(observationSize, actionSize);
    t.source = i < 1000 ? 'demo' : 'policy';
    rng.fillNormal(t.observation);
    rng.fillNormal(t.nextObservation);
    for (let j = 0; j < actionSize; j++) t.executed[j] = rng.uniformIn(-1, 1);
    t.reward = rng.uniform();
    replay.add(t);
  }
  return replay;
}

async function gemmGflops(threads: number): Promise<number> {
  const [size, products, rounds] = [256, 40, 12];
  const g = new Graph('gemm');
  const weight = g.input('weight', [size, size]);
  const { carried } = g.loop(g.input('count', [], 'int64'), [g.input('x', [size, size])], (_, __, [x]) => ({
    carried: [matmul(x!, weight)],
    stacked: [],
  }));
  g.output('y', carried[0]!);
  const session = await Session.create(g.serialize(), threads);
  const [inputs, outputs] = [new Bindings(), new Bindings()];
  const data = new Float32Array(size * size);
  new Rng(3).fillNormal(data);
  // Keeps the size of the values through the chain: numbers near zero or infinity would be slower.
  for (let i = 0; i < data.length; i++) data[i] = data[i]! / Math.sqrt(size);
  inputs.set('x', data.slice(), [size, size]);
  inputs.set('weight', data, [size, size]);
  inputs.set('count', BigInt64Array.of(BigInt(products)), []);
  outputs.set('y', new Float32Array(size * size), [size, size]);
  let best = 0;
  for (let i = 0; i < rounds; i++) {
    const startMs = performance.now();
    await session.run([inputs], [outputs]);
    best = Math.max(best, (2 * size ** 3 * products) / ((performance.now() - startMs) * 1e6));
  }
  await session.close();
  return best;
}
