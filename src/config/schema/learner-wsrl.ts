/** `wsrl` of a learner's file. */
import { z } from 'zod';
import { DEFAULT_WSRL_SETTINGS } from '../../learner/options.ts';
import { num, whole } from './fields.ts';

const standard = DEFAULT_WSRL_SETTINGS;

export const wsrlSchema: z.ZodType<typeof DEFAULT_WSRL_SETTINGS> = z
  .strictObject({
    offlineUpdates: whole('updates', { min: 0, max: 1e9 }, 'Critic updates on stored transitions beforehand.').default(
      standard.offlineUpdates,
    ),
    conservatism: num('1', { min: 0, max: 1000 }, 'Weight of the conservative loss beforehand.').default(
      standard.conservatism,
    ),
    actionSamples: whole('actions', { min: 1, max: 100 }, 'Actions of each of three kinds that it draws.').default(
      standard.actionSamples,
    ),
    isCalibrated: z
      .boolean()
      .meta({ description: "Values of the policy's actions are held up by what the data returned." })
      .default(standard.isCalibrated),
  })
  .meta({ description: 'What only the algorithm wsrl reads.' })
  .default(standard);
