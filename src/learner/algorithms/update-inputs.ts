/** The inputs of a training call: allocated once, filled from replay and random numbers, bound to the runtime. */
import type { Rng } from '../../core/index.ts';
import { adamStep, Bindings } from '../engine/index.ts';
import type { BatchColumns, Replay } from '../replay/index.ts';
import type { LearnerConfig } from './config.ts';
import { learnedReward } from './costs.ts';
import type { NetworkSpec } from './networks.ts';
import { drawBatch, drawSubset } from './rlpd.ts';

/** The generators of training, one per purpose. */
export interface TrainingRandom {
  readonly batch: Rng;
  readonly noise: Rng;
  readonly subset: Rng;
}

/** Arrays of one call with `config.utd` critic updates. */
export class UpdateInputs {
  readonly bindings: Bindings = new Bindings();
  readonly #config: LearnerConfig;
  readonly #slices: readonly BatchColumns[];
  readonly #discount: Float32Array;
  readonly #nextNoise: Float32Array;
  readonly #noise: Float32Array;
  readonly #isDemo: Float32Array;
  readonly #cloningWeight: Float32Array = new Float32Array(1);
  readonly #subset: BigInt64Array;
  readonly #criticStep: Float32Array;
  readonly #criticEpsilon: Float32Array;
  readonly #scalars: Record<'actor_step' | 'actor_epsilon' | 'temperature_step' | 'temperature_epsilon', Float32Array>;

  constructor(spec: NetworkSpec, config: LearnerConfig) {
    this.#config = config;
    const [K, B, O, A] = [config.utd, config.batchSize, spec.observationSize, spec.actionSize];
    const real = (name: string, shape: readonly number[]) => {
      const data = new Float32Array(shape.reduce((product, n) => product * n, 1));
      this.bindings.set(name, data, shape);
      return data;
    };
    this.#slices = slicesOf(K, {
      observation: real('observation', [K, B, O]),
      nextObservation: real('next_observation', [K, B, O]),
      action: real('action', [K, B, A]),
      reward: real('reward', [K, B, 1]),
      filterActivity: new Float32Array(K * B),
      tankDrainJ: new Float32Array(K * B),
      bootstrap: new Float32Array(K * B),
    });
    this.#discount = real('discount', [K, B, 1]);
    this.#nextNoise = real('next_noise', [K, B, A]);
    this.#noise = real('noise', [B, A]);
    this.#isDemo = new Float32Array(B);
    if (config.bcAuxWeight > 0) {
      this.bindings.set('is_demo', this.#isDemo, [B, 1]);
      this.bindings.set('cloning_weight', this.#cloningWeight, []);
    }
    this.#subset = new BigInt64Array(K * config.criticSubset);
    if (config.criticSubset < config.critics) this.bindings.set('subset', this.#subset, [K, config.criticSubset]);
    this.#criticStep = real('critic_step', [K]);
    this.#criticEpsilon = real('critic_epsilon', [K]);
    this.#scalars = {
      actor_step: real('actor_step', []),
      actor_epsilon: real('actor_epsilon', []),
      temperature_step: real('temperature_step', []),
      temperature_epsilon: real('temperature_epsilon', []),
    };
    this.bindings.set('updates', BigInt64Array.of(BigInt(K)), []);
    this.bindings.set('last', BigInt64Array.of(BigInt(K - 1)), []);
  }

  /** Draws batches, noise and subsets for call number `call` (from 0) over what `visibleCount` lets it see. */
  fill(replay: Replay, visibleCount: number, call: number, random: TrainingRandom): void {
    const config = this.#config;
    const size = config.batchSize;
    this.#slices.forEach((slice, k) => {
      const split = drawBatch(slice, replay, visibleCount, config.demoFraction, random.batch);
      // One step returns; with n-step returns, γ would be raised here to the steps that each row really spans.
      for (let i = 0; i < size; i++) this.#discount[k * size + i] = config.discount * slice.bootstrap[i]!;
      for (let i = 0; i < size; i++) {
        slice.reward[i] = learnedReward(slice.reward[i]!, slice.filterActivity[i]!, slice.tankDrainJ[i]!, config);
      }
      this.#isDemo.fill(1, 0, split.demonstrations).fill(0, split.demonstrations);
      const { step, epsilon } = adamStep(call * config.utd + k + 1, config.learningRateCritic);
      this.#criticStep[k] = step;
      this.#criticEpsilon[k] = epsilon;
      if (config.criticSubset < config.critics) {
        drawSubset(this.#subset, k * config.criticSubset, config.criticSubset, config.critics, random.subset);
      }
    });
    random.noise.fillNormal(this.#nextNoise);
    random.noise.fillNormal(this.#noise);
    this.#cloningWeight[0] = cloningWeight(config, call * config.utd);
    this.#setStep('actor', call + 1, config.learningRateActor);
    this.#setStep('temperature', call + 1, config.learningRateTemperature);
  }

  #setStep(name: 'actor' | 'temperature', count: number, learningRate: number): void {
    const { step, epsilon } = adamStep(count, learningRate);
    this.#scalars[`${name}_step`][0] = step;
    this.#scalars[`${name}_epsilon`][0] = epsilon;
  }
}

/** Weight of the behaviour-cloning loss after `updates` critic updates: halved every `bcAuxHalvingUpdates`. */
export function cloningWeight(config: LearnerConfig, updates: number): number {
  const { bcAuxWeight, bcAuxHalvingUpdates } = config;
  return bcAuxHalvingUpdates === 0 ? bcAuxWeight : bcAuxWeight * 0.5 ** (updates / bcAuxHalvingUpdates);
}

/** Views of `columns` for each of `count` batches that lie in them one after another. */
function slicesOf(count: number, columns: BatchColumns): BatchColumns[] {
  return Array.from({ length: count }, (_, k) => {
    const part = (data: Float32Array) => data.subarray((data.length / count) * k, (data.length / count) * (k + 1));
    return {
      observation: part(columns.observation),
      nextObservation: part(columns.nextObservation),
      action: part(columns.action),
      reward: part(columns.reward),
      filterActivity: part(columns.filterActivity),
      tankDrainJ: part(columns.tankDrainJ),
      bootstrap: part(columns.bootstrap),
    };
  });
}
