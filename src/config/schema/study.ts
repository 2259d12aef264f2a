/** `config/studies/*.yaml`: the variants compared, the number of seeds, and the claim tested. */
import { z } from 'zod';
import { type Configured, num, reference, whole } from '../../schema/index.ts';

const text = (description: string): z.ZodString => z.string().min(1).max(2000).meta({ description });
const options = (description: string) => z.record(z.string(), z.union([z.number(), z.boolean()])).meta({ description });
const keys = (description: string) => z.record(z.string(), z.unknown()).meta({ description });
const measure = (description: string) => z.enum(['return', 'success', 'cost']).meta({ description });
const variantName = text('Name of a variant of this study.');

const demonstrations = z
  .strictObject({
    episodes: whole('episodes', { min: 1, max: 10_000 }, 'Episodes that are shown.'),
    skill: options("The expert's options: how well it does it.").default({}),
    onlySuccesses: z
      .boolean()
      .meta({ description: 'Whether an episode without success is drawn again.' })
      .default(true),
    areKept: z.boolean().meta({ description: 'Whether they stay in replay after pre-training.' }).default(true),
  })
  .meta({ description: "Episodes of the environment's scripted expert, shown before training." });

const overseer = z
  .strictObject({
    options: options("The person's options.").default({}),
    untilStep: whole('steps', { min: 1, max: 1e9 }, 'The person watches for so many steps.'),
  })
  .meta({ description: 'A scripted person who takes over where the policy makes no progress.' });

const parts = {
  learnerFile: reference("Name or path of the learner's file.").optional(),
  learner: keys("Keys of the learner, laid over the study's and over its file.").optional(),
  options: options("The environment's options.").optional(),
  base: options('Skill of a frozen scripted base policy, whose action can be seen; absent: no base.').optional(),
  demonstrations: demonstrations.optional(),
  overseer: overseer.optional(),
  randomSteps: whole('steps', { min: 0, max: 1e9 }, 'Uniform actions at the start.').optional(),
};

const checks = z
  .array(
    z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('reaches').meta({ description: 'Every seed reaches `value` within `withinSteps`.' }),
        variant: variantName,
        measure: measure('What is measured: the mean over the episodes of an evaluation.'),
        value: num('1', {}, 'It must be above this in an evaluation.'),
        withinSteps: whole('steps', { min: 1, max: 1e9 }, 'Environment steps within which it must be reached.'),
      }),
      z.strictObject({
        kind: z.literal('order').meta({ description: 'One variant is better than another.' }),
        better: variantName,
        worse: variantName,
        measure: measure('What is compared; a lower cost is better.'),
        part: z.enum(['start', 'end', 'all', 'least']).meta({
          description: 'Of the curve: before the first step, its last fifth, all of it, or its lowest point.',
        }),
      }),
    ]),
  )
  .max(20)
  .meta({ description: 'What the claim says about the curves.' })
  .default([]);

const common = {
  title: text('Heading on the page.'),
  claim: text('What is claimed, by whom.'),
  source: text('Where: an address.'),
  notes: z.string().max(2000).meta({ description: 'What differs here from there.' }).default(''),
  steps: whole('steps', { min: 1, max: 1e9 }, 'Environment steps of each run.'),
  seeds: whole('seeds', { min: 1, max: 100 }, 'How many seeds of each variant.').default(5),
  firstSeed: whole(
    'seeds',
    { min: 0, max: 1e6 },
    'The first seed, the others follow: one on which no settings were tuned.',
  ).default(0),
  measure: measure('What the plot shows.').default('return'),
  checks,
};

export const environmentStudySchema = z
  .strictObject({
    kind: z.literal('environment').meta({ description: 'In a simulated environment, with rein train.' }),
    ...common,
    environment: text('Name of the environment.'),
    evaluation: z
      .strictObject({
        everySteps: whole('steps', { min: 1, max: 1e9 }, 'Steps between two evaluations.'),
        episodes: whole('episodes', { min: 1, max: 10_000 }, 'Episodes of each.').default(10),
      })
      .meta({ description: 'Episodes without noise, the same for all variants and seeds.' }),
    ...parts,
    variants: z
      .record(z.string(), z.strictObject({ title: text('Name in tables and plots.'), ...parts }))
      .meta({ description: 'What is compared; each lays its keys over those of the study.' }),
  })
  .meta({ title: 'Study', description: 'Variants of training in a simulated environment that are compared.' });

export const robotStudySchema = z
  .strictObject({
    kind: z.literal('robot').meta({ description: 'A whole simulated robot, with rein sim.' }),
    ...common,
    task: reference("Name or path of the task's file."),
    evaluation: z
      .strictObject({ episodes: whole('episodes', { min: 1, max: 10_000 }, 'Fresh episodes at the end.').default(50) })
      .meta({ description: 'The evaluation at the end.' }),
    variants: z
      .record(
        z.string(),
        z.strictObject({
          title: text('Name in tables and plots.'),
          steps: whole('steps', { min: 0, max: 1e9 }, 'Environment steps, where not those of the study.').optional(),
          overlay: keys('Keys below `task`, `robot` and `learner` that are laid over their files.').default({}),
        }),
      )
      .meta({ description: 'What is compared.' }),
  })
  .meta({ title: 'Study with a robot', description: 'Variants of the whole simulated run that are compared.' });

/** A study of learners in a simulated environment. */
export type EnvironmentStudy = Configured<typeof environmentStudySchema>;

/** A study of whole runs of `rein sim` on a robot's task. */
export type RobotStudy = Configured<typeof robotStudySchema>;

export type StudyConfig = EnvironmentStudy | RobotStudy;
export type StudyMeasure = StudyConfig['measure'];

/** A part of the claim, as numbers. */
export type StudyCheck = StudyConfig['checks'][number];
/** Every seed of a variant exceeds a value in time. */
export type ReachesCheck = Extract<StudyCheck, { readonly kind: 'reaches' }>;
/** One variant scores higher (lower for a cost) than another. */
export type OrderCheck = Extract<StudyCheck, { readonly kind: 'order' }>;
export type StudyPart = OrderCheck['part'];
