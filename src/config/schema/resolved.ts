/** `config.yaml` in a run folder: the complete configuration that a run was started with, in one loadable file. */
import { z } from 'zod';
import { type LearnerConfig, learnerSchema } from '../../learner/options.ts';
import type { TaskConfig } from '../../tasks/index.ts';
import { type OperatorConfig, operatorSchema } from '../../teleop/index.ts';
import type { RobotConfig } from './robot.ts';

/** Command-line options as given, for the record: plain values by name. */
export type RunOptions = Readonly<Record<string, string | number | boolean>>;

/** A run's complete, checked configuration as plain data. */
export interface ResolvedConfig {
  readonly formatVersion: 1;
  readonly seed: number;
  readonly run: RunOptions;
  /** Versions of Rein, Node and the packages that affect numerical results. */
  readonly versions: Readonly<Record<string, string>>;
  readonly task: TaskConfig;
  readonly robot: RobotConfig;
  readonly learner: LearnerConfig;
  /** Input devices of operators who may take over. */
  readonly operators: readonly OperatorConfig[];
}

/** `operators` of the overlay file. */
const operatorsSchema: z.ZodType<readonly OperatorConfig[]> = z
  .array(operatorSchema)
  .max(8)
  .meta({ description: 'Devices by which people take over, besides the one of `--operator`.' });

/** `operators` as a key of the overlay file. */
export const operatorsFileSchema: z.ZodType<{ readonly operators: readonly OperatorConfig[] }> = z
  .strictObject({ operators: operatorsSchema })
  .meta({
    title: 'Operators',
    description:
      'The key `operators` of the file that `--config` names: a list of devices ([teleoperation](teleoperation.md)).',
  });

/** Schema of a run's `config.yaml`, with a task and a robot of these kinds. */
export function resolvedSchemaOf<T extends TaskConfig, R>(
  task: z.ZodType<T>,
  robot: z.ZodType<R>,
): z.ZodType<Omit<ResolvedConfig, 'task' | 'robot'> & { readonly task: T; readonly robot: R }> {
  return z
    .strictObject({
      formatVersion: z.literal(1).meta({ description: 'Version of this file.' }),
      seed: z
        .number()
        .int()
        .min(0)
        .max(2 ** 53 - 1)
        .meta({ unit: '1', description: 'Seed of every random number of the run.' }),
      run: z
        .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
        .meta({ description: 'Command-line options as given, for the record.' }),
      versions: z.record(z.string(), z.string()).meta({ description: 'Versions of Rein, Node and packages.' }),
      task,
      robot,
      learner: learnerSchema,
      operators: operatorsSchema.default([]),
    })
    .meta({ title: 'Resolved run', description: 'Everything a run was started with.' });
}
