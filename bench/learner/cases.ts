/** Cases of the learner's bench: four sizes of training, and the floating-point work of a call of each. */
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../../src/learner/options.ts';

/** One size of training. */
export interface BenchCase {
  /** One letter, as used by `bench learner --blocks` and by tests/bench/torch_sac.py. */
  readonly id: 'a' | 'b' | 'c' | 'i';
  readonly name: string;
  readonly observationSize: number;
  readonly actionSize: number;
  readonly config: LearnerConfig;
  /** Consecutive calls between two measurements of the ceiling. */
  readonly callsPerRound: number;
}

const SAC = {
  layerNorm: false,
  batchSize: 256,
  entropyInTarget: true,
  actorHidden: [256, 256],
  criticHidden: [256, 256],
};

export const BENCH_CASES: readonly BenchCase[] = [
  of('i', 'insertion arm', 54, 4, {}, 15),
  of('a', 'SAC 1 + 1', 24, 6, { ...SAC, utd: 1 }, 15),
  of('b', 'SAC, 20 updates', 24, 6, { ...SAC, utd: 20 }, 2),
  of('c', 'RLPD, 20 updates of 10 critics', 24, 6, { ...SAC, utd: 20, critics: 10, layerNorm: true }, 1),
];

/**
 * Operations of the matrix products of one call; two per multiplication and addition. The backward pass costs twice as much as
 * the forward pass, less the first layer's gradient for its input. Work of the engine besides products is not counted.
 */
export function flopsPerCall({ observationSize, actionSize, config }: BenchCase): number {
  const { batchSize, critics, criticSubset, utd } = config;
  const product = (inputs: number, outputs: number) => 2 * batchSize * inputs * outputs;
  const forward = (sizes: readonly number[]) =>
    sizes.slice(1).reduce((sum, outputs, i) => sum + product(sizes[i]!, outputs), 0);
  const criticSizes = [observationSize + actionSize, ...config.criticHidden, 1];
  const actorSizes = [observationSize, ...config.actorHidden, 2 * actionSize];
  const first = (sizes: readonly number[]) => product(sizes[0]!, sizes[1]!);
  const [critic, actor] = [forward(criticSizes), forward(actorSizes)];
  const criticStep = critics * (3 * critic - first(criticSizes)) + criticSubset * critic;
  const actorStep = 3 * actor - first(actorSizes) + critics * 2 * critic;
  return utd * (criticStep + actor) + actorStep;
}

function of(
  id: BenchCase['id'],
  name: string,
  observationSize: number,
  actionSize: number,
  config: Partial<LearnerConfig>,
  callsPerRound: number,
): BenchCase {
  const whole: LearnerConfig = { ...DEFAULT_LEARNER_CONFIG, algorithm: 'sac', ...config };
  return { id, name, observationSize, actionSize, config: whole, callsPerRound };
}
