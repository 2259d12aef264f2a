/** `config/learner/*.yaml`: the algorithm and its settings. */
import { z } from 'zod';
import { ACTIVATIONS, ALGORITHMS, type LearnerConfig, PROVIDERS } from '../../learner/options.ts';
import { num, whole } from './fields.ts';
import { bcSchema } from './learner-bc.ts';
import { dsactSchema } from './learner-dsact.ts';
import { encoderSchema } from './learner-encoder.ts';
import { expoSchema } from './learner-expo.ts';
import { hilSerlSchema } from './learner-hil-serl.ts';
import { passiveSchema } from './learner-passive.ts';
import { residualSchema } from './learner-residual.ts';
import { td3Schema } from './learner-td3.ts';
import { wsrlSchema } from './learner-wsrl.ts';
import { type Same, schemaOf } from './same.ts';

/** A learner's file: which algorithm, and its settings. */
export type LearnerSettings = LearnerConfig;

const widths = z.array(z.number().int().min(1).max(4096)).min(1).max(6);
const rate = (description: string): z.ZodNumber => num('1', { above: 0, max: 0.1 }, description);

const schema = z
  .strictObject({
    algorithm: z.enum(ALGORITHMS).meta({ description: 'The algorithm: see docs/algorithms.' }).default('rlpd'),
    actorHidden: widths
      .meta({ unit: 'units', description: "Widths of the policy network's hidden layers." })
      .default([128, 128]),
    criticHidden: widths
      .meta({ unit: 'units', description: "Widths of each critic's hidden layers." })
      .default([128, 128]),
    activation: z.enum(ACTIVATIONS).meta({ description: 'Activation of the hidden layers.' }).default('relu'),
    critics: whole('networks', { min: 1, max: 32 }, 'Critics in the ensemble.').default(2),
    criticSubset: whole(
      'networks',
      { min: 1, max: 32 },
      'Critics drawn, without replacement, for each target.',
    ).default(2),
    layerNorm: z.boolean().meta({ description: 'Layer normalisation in the critics.' }).default(true),
    batchSize: whole('transitions', { min: 2, max: 65_536 }, 'Transitions of one update.').default(128),
    utd: whole('updates/step', { min: 1, max: 100 }, 'Updates per accepted environment step; never exceeded.').default(
      4,
    ),
    updatesPerCall: whole(
      'updates',
      { min: 0, max: 1000 },
      'Critic updates before each update of the policy; 0 for `utd`. More than `utd` delays the policy.',
    ).default(0),
    discount: num('1', { above: 0, max: 1 }, 'Discount per policy step.').default(0.97),
    nStep: whole('steps', { min: 1, max: 100 }, 'Steps whose rewards a target adds up before it bootstraps.').default(
      1,
    ),
    targetRate: num('1', { above: 0, max: 1 }, 'Share of the critic that its target takes over per update.').default(
      0.005,
    ),
    learningRateActor: rate("Adam's step size for the policy.").default(5e-4),
    learningRateCritic: rate("Adam's step size for the critics.").default(5e-4),
    learningRateTemperature: rate("Adam's step size for the temperature.").default(5e-4),
    weightDecay: num('1', { min: 0, max: 1 }, 'Decoupled weight decay of actor and critics; 0 is plain Adam.').default(
      0,
    ),
    initialTemperature: num(
      '1',
      { above: 0, max: 10 },
      'Temperature at the start; large values drown a sparse reward.',
    ).default(0.01),
    minTemperature: num('1', { above: 0, max: 10 }, 'The temperature never falls below this.').default(1e-4),
    targetEntropyPerDimension: num('nats', { min: -10, max: 1 }, 'Entropy aimed at, per number of the action.').default(
      -0.5,
    ),
    entropyInTarget: z
      .boolean()
      .meta({ description: 'Entropy bonus in the critic target; off for sparse rewards.' })
      .default(false),
    criticAggregation: z
      .enum(['mean', 'min'])
      .meta({ description: 'How the policy loss combines the critics.' })
      .default('mean'),
    gradientClip: num('1', { min: 0, max: 1e6 }, 'Largest gradient norm; 0 turns clipping off.').default(0),
    bcInitSteps: whole(
      'updates',
      { min: 0, max: 1e6 },
      'Behaviour-cloning updates on the demonstrations before training.',
    ).default(1000),
    learningRateBc: rate("Adam's step size for behaviour cloning.").default(1e-3),
    criticOnlyUpdates: whole(
      'updates',
      { min: 0, max: 1e9 },
      'Critic updates before the first of a policy that was cloned (`bcInitSteps`) or corrects a base policy: new critics would unteach it. Without either, and where WSRL trained its critics offline, there are none.',
    ).default(2000),
    bcAuxWeight: num('1', { min: 0, max: 100 }, 'Weight of behaviour cloning during training.').default(0),
    bcAuxRows: z
      .enum(['demonstrations', 'better'])
      .meta({
        description:
          "Which steps behaviour cloning during training (`bcAuxWeight`) looks at: demonstrations; or better, those and whatever was done that the critics hold for better than the policy's action.",
      })
      .default('demonstrations'),
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
    encoder: encoderSchema,
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
    warmupSteps: whole('steps', { min: 0, max: 1e7 }, 'Environment steps before the first update.').default(100),
    replayCapacity: whole('transitions', { min: 100, max: 1e8 }, 'Transitions kept for learning.').default(200_000),
    publishEveryUpdates: whole('updates', { min: 1, max: 1e7 }, 'Updates between two versions of the policy.').default(
      40,
    ),
    checkpointEveryUpdates: whole('updates', { min: 1, max: 1e8 }, 'Updates between two checkpoints.').default(2000),
    threads: whole(
      'threads',
      { min: 0, max: 64 },
      'Threads of the training engine; 0 for what the machine has to spare when training begins, less one core where a robot is controlled on it.',
    ).default(1),
    provider: z
      .enum(PROVIDERS)
      .meta({ description: 'Where training computes; the CPU, said loudly, where that is not to be had.' })
      .default('cpu'),
    bc: bcSchema,
    dsact: dsactSchema,
    expo: expoSchema,
    hilSerl: hilSerlSchema,
    passive: passiveSchema,
    td3: td3Schema,
    residual: residualSchema,
    wsrl: wsrlSchema,
  })
  .meta({ title: 'Learner', description: 'The learning algorithm and its settings.' });

export const learnerSchema: z.ZodType<LearnerSettings> = schemaOf<
  LearnerSettings,
  Same<z.output<typeof schema>, LearnerSettings>
>(schema);
