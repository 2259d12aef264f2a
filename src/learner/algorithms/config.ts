/** Every number that decides how the learner learns, with defaults. Written in `config/learner/*.yaml`. */

export interface LearnerConfig {
  /** Widths of the actor's hidden layers. */
  readonly actorHidden: readonly number[];
  /** Widths of the critics' hidden layers. */
  readonly criticHidden: readonly number[];
  /** Number of critics, ≥ 1. RLPD uses 10; two cost a fifth on a CPU and learn this arm's tasks. */
  readonly critics: number;
  /** How many critics, drawn without replacement per update, the target takes the minimum of. */
  readonly criticSubset: number;
  /** LayerNorm after every hidden linear layer of the critics: holds values down outside the data (RLPD). */
  readonly layerNorm: boolean;
  /** Transitions per critic update. */
  readonly batchSize: number;
  /** Critic updates per accepted online transition (update-to-data ratio), an integer ≥ 1. */
  readonly utd: number;
  /** γ per policy step, (0, 1]. */
  readonly discount: number;
  /** τ: how far the target critics move per update, (0, 1]. */
  readonly targetRate: number;
  readonly learningRateActor: number;
  readonly learningRateCritic: number;
  readonly learningRateTemperature: number;
  /** Decoupled weight decay of actor and critics per update, times the learning rate; 0 is plain Adam. */
  readonly weightDecay: number;
  /** α at the start. With a sparse reward, 1 drowns the signal and the interventions; 0.01 does not (HIL-SERL). */
  readonly initialTemperature: number;
  /** α never falls below this. */
  readonly minTemperature: number;
  /** H* = this × action size, nats. −0.5 as in RLPD and HIL-SERL. */
  readonly targetEntropyPerDimension: number;
  /** Whether the critics' target contains the entropy bonus. Off for sparse rewards: the bonus dominates a single +1. */
  readonly entropyInTarget: boolean;
  /** What the actor climbs: the mean of all critics, or their minimum. */
  readonly criticAggregation: 'mean' | 'min';
  /** Gradients longer than this (Euclidean norm over a whole network) are shortened to it; 0 switches it off. */
  readonly gradientClip: number;
  /** Behaviour-cloning updates of the actor on the demonstrations before anything else; 0 for none. */
  readonly bcInitSteps: number;
  readonly learningRateBc: number;
  /** Weight of the behaviour-cloning loss beside the actor's loss; 0 for none. */
  readonly bcAuxWeight: number;
  /** Share of each batch that comes from demonstrations and interventions, [0, 1]. */
  readonly demoFraction: number;
  /** Online transitions before the first update: N₀. */
  readonly warmupSteps: number;
  /** Online transitions that are sampled from: the newest so many. */
  readonly replayCapacity: number;
  /** Critic updates between published weights. */
  readonly publishEveryUpdates: number;
  /** Critic updates between checkpoints. */
  readonly checkpointEveryUpdates: number;
  /** Threads of the runtime. More than one helps only on cores that nobody else uses. */
  readonly threads: number;
}

/**
 * RLPD (Ball et al., https://arxiv.org/abs/2302.02948) with the choices of HIL-SERL (Luo et al.,
 * https://arxiv.org/abs/2410.21845) for sparse rewards, cut to sizes that one CPU core trains in about a minute.
 */
export const DEFAULT_LEARNER_CONFIG: LearnerConfig = {
  actorHidden: [128, 128],
  criticHidden: [128, 128],
  critics: 2,
  criticSubset: 2,
  layerNorm: true,
  batchSize: 128,
  utd: 4,
  discount: 0.97,
  targetRate: 0.005,
  learningRateActor: 5e-4,
  learningRateCritic: 5e-4,
  learningRateTemperature: 5e-4,
  weightDecay: 0,
  initialTemperature: 0.01,
  minTemperature: 1e-4,
  targetEntropyPerDimension: -0.5,
  entropyInTarget: false,
  criticAggregation: 'mean',
  gradientClip: 0,
  bcInitSteps: 1000,
  learningRateBc: 1e-3,
  bcAuxWeight: 0,
  demoFraction: 0.5,
  warmupSteps: 100,
  replayCapacity: 200_000,
  publishEveryUpdates: 40,
  checkpointEveryUpdates: 2000,
  threads: 1,
};

/** Throws `RangeError` with the name of the first setting that cannot work. */
export function checkLearnerConfig(config: LearnerConfig): void {
  const demand = (isRight: boolean, message: string) => {
    if (!isRight) throw new RangeError(`learner configuration: ${message}`);
  };
  const integers = [
    'critics',
    'criticSubset',
    'batchSize',
    'utd',
    'replayCapacity',
    'publishEveryUpdates',
    'checkpointEveryUpdates',
    'threads',
  ] as const;
  for (const key of integers)
    demand(Number.isSafeInteger(config[key]) && config[key] >= 1, `${key} must be an integer ≥ 1, got ${config[key]}`);
  for (const key of ['bcInitSteps', 'warmupSteps'] as const) {
    demand(Number.isSafeInteger(config[key]) && config[key] >= 0, `${key} must be an integer ≥ 0, got ${config[key]}`);
  }
  for (const key of ['discount', 'targetRate'] as const) {
    demand(config[key] > 0 && config[key] <= 1, `${key} must lie in (0, 1], got ${config[key]}`);
  }
  const positive = [
    'learningRateActor',
    'learningRateCritic',
    'learningRateTemperature',
    'learningRateBc',
    'initialTemperature',
    'minTemperature',
  ] as const;
  for (const key of positive)
    demand(config[key] > 0 && Number.isFinite(config[key]), `${key} must be > 0, got ${config[key]}`);
  for (const key of ['weightDecay', 'gradientClip', 'bcAuxWeight'] as const) {
    demand(config[key] >= 0 && Number.isFinite(config[key]), `${key} must be ≥ 0, got ${config[key]}`);
  }
  demand(
    config.demoFraction >= 0 && config.demoFraction <= 1,
    `demoFraction must lie in [0, 1], got ${config.demoFraction}`,
  );
  demand(Number.isFinite(config.targetEntropyPerDimension), 'targetEntropyPerDimension must be finite');
  demand(
    config.criticSubset <= config.critics,
    `criticSubset (${config.criticSubset}) must not exceed critics (${config.critics})`,
  );
  for (const key of ['actorHidden', 'criticHidden'] as const) {
    demand(
      config[key].length > 0 && config[key].every((n) => Number.isSafeInteger(n) && n >= 1),
      `${key} must be a list of widths ≥ 1`,
    );
  }
}
