/** Every setting of learning, with its default. Written in `config/learner/*.yaml`. */
import { z } from 'zod';
import { type Configured, num, pluginGroup, refusalOf, whole } from '../../schema/index.ts';
import { ACTIVATIONS } from './activation.ts';
import { bcSettings } from './bc.ts';
import { dsactSettings } from './dsact.ts';
import { encoderSettings } from './encoder.ts';
import { expoSettings } from './expo.ts';
import { hilSerlSettings } from './hil-serl.ts';
import { interventionSettings } from './interventions.ts';
import { passiveSettings } from './passive.ts';
import { residualSettings } from './residual.ts';
import { td3Settings } from './td3.ts';
import { wsrlSettings } from './wsrl.ts';

const widths = z.array(z.number().int().min(1).max(4096)).min(1).max(6);
const rate = (description: string): z.ZodNumber => num('1', { above: 0, max: 0.1 }, description);

/**
 * All settings of a learner except the list of algorithms (`learnerSchema`). The defaults are RLPD's (Ball et al.,
 * https://arxiv.org/abs/2302.02948) with the choices of HIL-SERL (Luo et al., https://arxiv.org/abs/2410.21845) for sparse rewards,
 * reduced to sizes that one CPU core trains in about a minute.
 */
export const learnerSettings = z
  .strictObject({
    algorithm: z.string().meta({ description: 'The algorithm: see docs/algorithms.' }).default('rlpd'),
    algorithmPlugin: pluginGroup('algorithm', 'The algorithm of `algorithm: plugin`.').optional(),
    actorHidden: widths
      .meta({ unit: 'units', description: "Widths of the policy network's hidden layers." })
      .default([128, 128]),
    criticHidden: widths
      .meta({ unit: 'units', description: "Widths of each critic's hidden layers." })
      .default([128, 128]),
    activation: z.enum(ACTIVATIONS).meta({ description: 'Activation of the hidden layers.' }).default('relu'),
    // RLPD uses 10; two cost a fifth on a CPU and learn this arm's tasks.
    critics: whole('networks', { min: 1, max: 32 }, 'Critics in the ensemble.').default(2),
    criticSubset: whole(
      'networks',
      { min: 1, max: 32 },
      'Critics drawn, without replacement, for each target.',
    ).default(2),
    // Holds values down outside the data (RLPD).
    layerNorm: z.boolean().meta({ description: 'Layer normalisation in the critics.' }).default(true),
    batchSize: whole('transitions', { min: 2, max: 65_536 }, 'Transitions of one update.').default(128),
    // Update-to-data ratio
    utd: whole('updates/step', { min: 1, max: 100 }, 'Updates per accepted environment step; never exceeded.').default(
      4,
    ),
    updatesPerCall: whole(
      'updates',
      { min: 0, max: 1000 },
      'Critic updates before each update of the policy; 0 for `utd`. More than `utd` delays the policy.',
    ).default(0),
    // γ
    discount: num('1', { above: 0, max: 1 }, 'Discount per policy step.').default(0.97),
    // n
    nStep: whole('steps', { min: 1, max: 100 }, 'Steps whose rewards a target adds up before it bootstraps.').default(
      1,
    ),
    // τ
    targetRate: num('1', { above: 0, max: 1 }, 'Share of the critic that its target takes over per update.').default(
      0.005,
    ),
    // TD3 and DSAC-T have slow copies of their own.
    policyRate: num(
      '1',
      { above: 0, max: 1 },
      "Share of the trained policy that the robot's takes over per update of it: an average of the last 1 / `policyRate` updates. 1 is the trained one itself. Of sac, rlpd, hil-serl and wsrl; the others do not average.",
    ).default(1),
    learningRateActor: rate("Adam's step size for the policy.").default(5e-4),
    learningRateCritic: rate("Adam's step size for the critics.").default(5e-4),
    learningRateTemperature: rate("Adam's step size for the temperature.").default(5e-4),
    // Per update, times the learning rate.
    weightDecay: num('1', { min: 0, max: 1 }, 'Decoupled weight decay of actor and critics; 0 is plain Adam.').default(
      0,
    ),
    // α: with a sparse reward, 1 drowns the signal and the interventions; 0.01 does not (HIL-SERL).
    initialTemperature: num(
      '1',
      { above: 0, max: 10 },
      'Temperature at the start; large values drown a sparse reward.',
    ).default(0.01),
    minTemperature: num('1', { above: 0, max: 10 }, 'The temperature never falls below this.').default(1e-4),
    // H* = this × action size; −0.5 as in RLPD and HIL-SERL.
    targetEntropyPerDimension: num('nats', { min: -10, max: 1 }, 'Entropy aimed at, per number of the action.').default(
      -0.5,
    ),
    // The bonus dominates a single +1.
    entropyInTarget: z
      .boolean()
      .meta({ description: 'Entropy bonus in the critic target; off for sparse rewards.' })
      .default(false),
    criticAggregation: z
      .enum(['mean', 'min'])
      .meta({ description: 'How the policy loss combines the critics.' })
      .default('mean'),
    // Euclidean norm over a whole network
    gradientClip: num('1', { min: 0, max: 1e6 }, 'Largest gradient norm; 0 turns clipping off.').default(0),
    bcInitSteps: whole(
      'updates',
      { min: 0, max: 1e6 },
      'Behaviour-cloning updates on the demonstrations before training.',
    ).default(1000),
    learningRateBc: rate("Adam's step size for behaviour cloning.").default(1e-3),
    // See `criticOnlyUpdates`.
    criticOnlySteps: whole(
      'steps',
      { min: 0, max: 1e9 },
      'Environment steps after `warmupSteps` in which critics learn alone, where the policy was cloned (`bcInitSteps`) or corrects a base policy: new critics would unteach it. Without either, and where WSRL trained its critics offline, there are none.',
    ).default(500),
    bcAuxWeight: num('1', { min: 0, max: 100 }, 'Weight of behaviour cloning during training.').default(0),
    bcAuxRows: z
      .enum(['demonstrations', 'better'])
      .meta({
        description:
          "Which steps behaviour cloning during training (`bcAuxWeight`) looks at: demonstrations; or better, those and whatever was done that the critics hold for better than the policy's action.",
      })
      .default('demonstrations'),
    // So that the actor can outgrow its demonstrations.
    bcAuxHalvingUpdates: whole(
      'updates',
      { min: 0, max: 1e9 },
      'Critic updates in which that weight halves; 0 keeps it.',
    ).default(0),
    rewardScale: num('1', { above: 0, max: 1e6 }, 'Rewards are multiplied by this before learning.').default(1),
    rewardShift: num('1', { min: -1e6, max: 1e6 }, 'Added to each reward after that.').default(0),
    normaliseObservations: z
      .boolean()
      .meta({ description: 'Observations as deviations from a mean, frozen at the first update.' })
      .default(false),
    encoder: encoderSettings,
    filterActivityCost: num(
      '1',
      { min: 0, max: 100 },
      'Deducted from the reward of a step whose ticks the filters all changed; in proportion for fewer.',
    ).default(0),
    tankDrainCostPerJ: num(
      '1/J',
      { min: 0, max: 100 },
      'Deducted from the reward of a step per joule that it took from the energy tank.',
    ).default(0),
    demoFraction: num('1', { min: 0, max: 1 }, 'Share of each batch from demonstrations and interventions.').default(
      0.5,
    ),
    // N₀, in online transitions
    warmupSteps: whole('steps', { min: 0, max: 1e7 }, 'Environment steps before the first update.').default(100),
    // Counts the newest online transitions
    replayCapacity: whole('transitions', { min: 100, max: 1e8 }, 'Transitions kept for learning.').default(200_000),
    publishEveryUpdates: whole('updates', { min: 1, max: 1e7 }, 'Updates between two versions of the policy.').default(
      40,
    ),
    checkpointEveryUpdates: whole('updates', { min: 1, max: 1e8 }, 'Updates between two checkpoints.').default(2000),
    // More than one helps only on otherwise idle cores.
    threads: whole(
      'threads',
      { min: 0, max: 64 },
      'Threads of the training engine; 0 for what the machine has to spare when training begins, less one core where a robot is controlled on it.',
    ).default(1),
    // NVIDIA's with CUDA 12 and cuDNN 9; any GPU through WebGPU.
    provider: z
      .enum(['cpu', 'cuda', 'webgpu'])
      .meta({ description: 'Where training computes; if that is unavailable, the CPU, with a warning.' })
      .default('cpu'),
    bc: bcSettings,
    dsact: dsactSettings,
    expo: expoSettings,
    hilSerl: hilSerlSettings,
    interventions: interventionSettings,
    // The learned policy never acts there, so nothing would correct its critics' values of those states.
    learnsFromBasePhase: z
      .boolean()
      .meta({
        description:
          "Steps before the critical phase (`phaseSwitch` of a task) are learned from too, a person's among them. Off: they count, and are not drawn.",
      })
      .default(false),
    passive: passiveSettings,
    td3: td3Settings,
    residual: residualSettings,
    wsrl: wsrlSettings,
  })
  .meta({ title: 'Learner', description: 'The learning algorithm and its settings.' });

/** All settings of a learner. `checkLearnerConfig` checks that they can work. */
export type LearnerConfig = Configured<typeof learnerSettings>;

/** Processor of the training. */
export type Provider = LearnerConfig['provider'];

/** Settings of an empty learner's file. */
export const DEFAULT_LEARNER_CONFIG: LearnerConfig = learnerSettings.parse({});

/** A contradiction between two settings. */
export interface LearnerProblem {
  /** Key of the setting to change. */
  readonly key: keyof LearnerConfig;
  readonly message: string;
}

/** Contradictions within `config`, beyond the range of each number. */
export function learnerProblems(config: LearnerConfig): readonly LearnerProblem[] {
  const { criticSubset, critics, initialTemperature, minTemperature, replayCapacity, batchSize } = config;
  const problems: LearnerProblem[] = [];
  if (config.algorithm === 'plugin' && config.algorithmPlugin === undefined) {
    problems.push({ key: 'algorithm', message: 'algorithm: plugin needs algorithmPlugin, which names its module' });
  }
  if (config.algorithm !== 'plugin' && config.algorithmPlugin !== undefined) {
    problems.push({ key: 'algorithmPlugin', message: 'algorithmPlugin is for algorithm: plugin' });
  }
  if (criticSubset > critics) {
    const message = `criticSubset is ${criticSubset}, but there are only ${critics} critics`;
    problems.push({ key: 'criticSubset', message });
  }
  if (initialTemperature < minTemperature) {
    const message = `initialTemperature is ${initialTemperature}, below minTemperature`;
    problems.push({ key: 'initialTemperature', message });
  }
  if (replayCapacity < batchSize) {
    const message = `replayCapacity is ${replayCapacity}, below batchSize (${batchSize})`;
    problems.push({ key: 'replayCapacity', message });
  }
  if (config.bcAuxRows === 'better' && config.bcAuxWeight === 0) {
    problems.push({ key: 'bcAuxRows', message: 'bcAuxRows: better does nothing where bcAuxWeight is 0' });
  }
  return problems;
}

/** Throws `RangeError` with the name of the first setting that cannot work. */
export function checkLearnerConfig(config: LearnerConfig): void {
  const problem = refusalOf(learnerSettings, config) ?? learnerProblems(config)[0]?.message;
  if (problem !== undefined) throw new RangeError(`learner configuration: ${problem}`);
}

/**
 * Critic updates before the first update of actor and temperature: those of `criticOnlySteps` if the actor has something to lose
 * (cloned, or correcting a base policy) while its critics are untrained, otherwise 0. WSRL's critics have been trained offline;
 * cloning alone has none.
 */
export function criticOnlyUpdates(config: LearnerConfig): number {
  return Math.ceil(criticOnlySteps(config) * config.utd);
}

/** Environment steps of `criticOnlyUpdates`. */
function criticOnlySteps({ algorithm, bcInitSteps, criticOnlySteps: asked, wsrl }: LearnerConfig): number {
  if (algorithm === 'bc' || (algorithm === 'wsrl' && wsrl.offlineUpdates > 0)) return 0;
  return algorithm === 'residual' || bcInitSteps > 0 ? asked : 0;
}

/**
 * Reason why the policy of a run of `steps` environment steps would never change, in a sentence with its remedy; `undefined` if it
 * does. Cloning needs no steps.
 */
export function standsStill(config: LearnerConfig, steps: number): string | undefined {
  const { algorithm, warmupSteps } = config;
  const alone = criticOnlySteps(config);
  if (algorithm === 'bc' || steps === 0 || steps > warmupSteps + alone) return undefined;
  const parts = alone === 0 ? 'warmupSteps' : `warmupSteps ${warmupSteps} + criticOnlySteps ${alone}`;
  return `The policy does not move in ${steps} steps: its first update comes after step ${warmupSteps + alone} (${parts}). Give it more steps, or lower ${alone === 0 ? 'warmupSteps' : 'criticOnlySteps'}.`;
}

/** Algorithms whose policy `policyRate` averages: others have a slow copy of their own, or no actor trained on critics. */
const AVERAGED: ReadonlySet<string> = new Set(['sac', 'rlpd', 'hil-serl', 'wsrl']);

/** True if robots get an average of the trained policy, its slow copy. */
export function isAveraged({ algorithm, policyRate }: LearnerConfig): boolean {
  return policyRate < 1 && AVERAGED.has(algorithm);
}

/** Critic updates of one training call. */
export function updatesPerCall({ updatesPerCall, utd }: LearnerConfig): number {
  return updatesPerCall === 0 ? utd : updatesPerCall;
}
