/** Every number that decides how the learner learns, with defaults. Written in `config/learner/*.yaml`. */

import type { Activation } from './activation.ts';
import { type BcSettings, DEFAULT_BC_SETTINGS } from './bc.ts';
import { DEFAULT_DSACT_SETTINGS, type DsactSettings } from './dsact.ts';
import { DEFAULT_ENCODER_SETTINGS, type EncoderSettings } from './encoder.ts';
import { DEFAULT_EXPO_SETTINGS, type ExpoSettings } from './expo.ts';
import { DEFAULT_HIL_SERL_SETTINGS, type HilSerlSettings } from './hil-serl.ts';
import { DEFAULT_PASSIVE_SETTINGS, type PassiveSettings } from './passive.ts';
import { DEFAULT_RESIDUAL_SETTINGS, type ResidualSettings } from './residual.ts';
import { DEFAULT_TD3_SETTINGS, type Td3Settings } from './td3.ts';
import { DEFAULT_WSRL_SETTINGS, type WsrlSettings } from './wsrl.ts';

/** The algorithms that a configuration can choose. */
export const ALGORITHMS = [
  'sac',
  'rlpd',
  'hil-serl',
  'td3',
  'residual',
  'wsrl',
  'dsact',
  'expo',
  'bc',
  'passive',
] as const;
/** One of them. */
export type AlgorithmName = (typeof ALGORITHMS)[number];

/** The processors that the runtime knows: the CPU, NVIDIA's with CUDA 12 and cuDNN 9, any GPU through WebGPU. */
export const PROVIDERS = ['cpu', 'cuda', 'webgpu'] as const;
/** One of them. */
export type Provider = (typeof PROVIDERS)[number];

/** All settings of a learner. `checkLearnerConfig` says which values can work. */
export interface LearnerConfig {
  readonly algorithm: AlgorithmName;
  /** Widths of the actor's hidden layers. */
  readonly actorHidden: readonly number[];
  /** Widths of the critics' hidden layers. */
  readonly criticHidden: readonly number[];
  /** What actor and critics do to the numbers of a hidden layer. */
  readonly activation: Activation;
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
  /** Critic updates of one training call, which ends with one update of the actor; 0 for `utd`. More than `utd` delays the actor. */
  readonly updatesPerCall: number;
  /** γ per policy step, (0, 1]. */
  readonly discount: number;
  /** n ≥ 1: steps whose rewards a target adds up before it bootstraps. */
  readonly nStep: number;
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
  /**
   * Critic updates before the first of an actor that knows something already: one that was cloned, or that corrects a base policy.
   * New critics would unteach it. See `criticOnlyUpdates`.
   */
  readonly criticOnlyUpdates: number;
  /** Weight of the behaviour-cloning loss beside the actor's loss; 0 for none. */
  readonly bcAuxWeight: number;
  /**
   * Which rows of a batch that loss looks at: `demonstrations`; or `better`, those and whatever the critics hold for better than the
   * policy's own action.
   */
  readonly bcAuxRows: 'demonstrations' | 'better';
  /** Critic updates in which `bcAuxWeight` halves, so that the actor can outgrow its demonstrations; 0 keeps it. */
  readonly bcAuxHalvingUpdates: number;
  /** Rewards are multiplied by this before anything learns from them, > 0. */
  readonly rewardScale: number;
  /** Added to each reward after that. */
  readonly rewardShift: number;
  /** Whether networks see observations as standard deviations from a mean, both frozen at the first update. */
  readonly normaliseObservations: boolean;
  /** How images become features, where the task has images. */
  readonly encoder: EncoderSettings;
  /** Deducted from the reward of a step in proportion to the share of its ticks that the filters changed; 0 for nothing. */
  readonly filterActivityCost: number;
  /** Deducted from the reward of a step for each joule that it took from the energy tank, 1/J; 0 for nothing. */
  readonly tankDrainCostPerJ: number;
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
  /**
   * Threads of the runtime; 0: as many as the machine has to spare when training begins. More than one helps only on cores that
   * nobody else uses.
   */
  readonly threads: number;
  /** Where training computes. What cannot be used here is said, and the CPU taken. */
  readonly provider: Provider;
  readonly bc: BcSettings;
  readonly dsact: DsactSettings;
  readonly expo: ExpoSettings;
  readonly hilSerl: HilSerlSettings;
  readonly passive: PassiveSettings;
  readonly td3: Td3Settings;
  readonly residual: ResidualSettings;
  readonly wsrl: WsrlSettings;
}

/**
 * RLPD (Ball et al., https://arxiv.org/abs/2302.02948) with the choices of HIL-SERL (Luo et al.,
 * https://arxiv.org/abs/2410.21845) for sparse rewards, cut to sizes that one CPU core trains in about a minute.
 */
export const DEFAULT_LEARNER_CONFIG: LearnerConfig = {
  algorithm: 'rlpd',
  actorHidden: [128, 128],
  criticHidden: [128, 128],
  activation: 'relu',
  critics: 2,
  criticSubset: 2,
  layerNorm: true,
  batchSize: 128,
  utd: 4,
  updatesPerCall: 0,
  discount: 0.97,
  nStep: 1,
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
  criticOnlyUpdates: 2000,
  bcAuxWeight: 0,
  bcAuxRows: 'demonstrations',
  bcAuxHalvingUpdates: 0,
  rewardScale: 1,
  rewardShift: 0,
  normaliseObservations: false,
  encoder: DEFAULT_ENCODER_SETTINGS,
  filterActivityCost: 0,
  tankDrainCostPerJ: 0,
  demoFraction: 0.5,
  warmupSteps: 100,
  replayCapacity: 200_000,
  publishEveryUpdates: 40,
  checkpointEveryUpdates: 2000,
  threads: 1,
  provider: 'cpu',
  bc: DEFAULT_BC_SETTINGS,
  dsact: DEFAULT_DSACT_SETTINGS,
  expo: DEFAULT_EXPO_SETTINGS,
  hilSerl: DEFAULT_HIL_SERL_SETTINGS,
  passive: DEFAULT_PASSIVE_SETTINGS,
  td3: DEFAULT_TD3_SETTINGS,
  residual: DEFAULT_RESIDUAL_SETTINGS,
  wsrl: DEFAULT_WSRL_SETTINGS,
};

/**
 * Critic updates before the first of the actor and its temperature: what the configuration says where the actor has something to lose
 * and critics that know nothing, 0 elsewhere. WSRL's critics have been trained offline; cloning alone has none.
 */
export function criticOnlyUpdates({ algorithm, bcInitSteps, criticOnlyUpdates: asked, wsrl }: LearnerConfig): number {
  if (algorithm === 'bc' || (algorithm === 'wsrl' && wsrl.offlineUpdates > 0)) return 0;
  return algorithm === 'residual' || bcInitSteps > 0 ? asked : 0;
}

/** Critic updates of one training call. */
export function updatesPerCall({ updatesPerCall, utd }: LearnerConfig): number {
  return updatesPerCall === 0 ? utd : updatesPerCall;
}
