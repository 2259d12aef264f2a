/** `expo` of a learner's file. */
import { z } from 'zod';
import { DEFAULT_EXPO_SETTINGS, type ExpoSettings } from '../../learner/options.ts';
import { num, whole } from './fields.ts';

const defaults = DEFAULT_EXPO_SETTINGS;

export const expoSchema: z.ZodType<ExpoSettings> = z
  .strictObject({
    model: z
      .enum(['flow', 'diffusion'])
      .meta({ description: 'How the base policy turns noise into actions.' })
      .default(defaults.model),
    steps: whole('passes', { min: 1, max: 100 }, 'Passes of the base network for one action.').default(defaults.steps),
    baseHidden: z
      .array(z.number().int().min(1).max(4096))
      .min(1)
      .max(6)
      .meta({ unit: 'units', description: "Widths of the base network's hidden layers." })
      .default([...defaults.baseHidden]),
    candidates: whole('actions', { min: 1, max: 256 }, 'Actions that the base policy proposes per decision.').default(
      defaults.candidates,
    ),
    edited: whole('actions', { min: 0, max: 256 }, 'How many of them are also edited.').default(defaults.edited),
    editScale: num('1', { above: 0, max: 1 }, 'How far an edit can move each number of an action.').default(
      defaults.editScale,
    ),
    entropyInEditUnits: z
      .boolean()
      .meta({ description: 'Whether the entropy aimed at counts in units of what an edit can reach.' })
      .default(defaults.entropyInEditUnits),
    baseData: z
      .enum(['all', 'demonstrations'])
      .meta({ description: 'What the base policy imitates.' })
      .default(defaults.baseData),
    baseCopy: z
      .enum(['current', 'slow'])
      .meta({ description: 'Which copy of the base policy proposes actions.' })
      .default(defaults.baseCopy),
    baseCopyRate: num('1', { above: 0, max: 1 }, 'Share by which the slow copy moves per update.').default(
      defaults.baseCopyRate,
    ),
  })
  .meta({ description: 'What only the algorithm expo reads.' })
  .default(defaults as never);
