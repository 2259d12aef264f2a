/** `hilSerl` of a learner's file. */
import { z } from 'zod';
import { DEFAULT_HIL_SERL_SETTINGS, type HilSerlSettings } from '../../learner/options.ts';
import { num } from './fields.ts';

const usual = DEFAULT_HIL_SERL_SETTINGS;

export const hilSerlSchema: z.ZodType<HilSerlSettings> = z
  .strictObject({
    gripperObservations: z
      .array(z.number().int().min(0).max(65_535))
      .max(2)
      .meta({
        unit: '1',
        description:
          "Index of each gripper's place in the observation; as many of the action's last numbers are grippers. [] for none.",
      })
      .default([...usual.gripperObservations]),
    openAbove: num('observation', { min: -1e6, max: 1e6 }, 'A gripper whose place is above this is open.').default(
      usual.openAbove,
    ),
    commandThreshold: num(
      '1',
      { above: 0, below: 1 },
      'An action number above this opens the gripper, one below its negative closes it.',
    ).default(usual.commandThreshold),
    togglePenalty: num(
      'reward',
      { min: 0, max: 100 },
      'Deducted for every command that turns a gripper round.',
    ).default(usual.togglePenalty),
  })
  .meta({ description: 'What only the algorithm hil-serl reads.' })
  .prefault({});
