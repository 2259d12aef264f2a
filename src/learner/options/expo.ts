/**
 * Settings of EXPO: Dong et al., https://arxiv.org/abs/2507.07986. The numbers are the paper's where noted; the others are
 * reduced to what one CPU core can compute between two steps of a robot.
 */
import { z } from 'zod';
import { group, num, whole } from '../../schema/index.ts';

export const expoSettings = group('What only the algorithm expo reads.', {
  // The paper: diffusion.
  model: z
    .enum(['flow', 'diffusion'])
    .meta({ description: 'How the base policy turns noise into actions.' })
    .default('flow'),
  // The paper's diffusion has 10; a flow needs fewer.
  steps: whole('passes', { min: 1, max: 100 }, 'Passes of the base network for one action.').default(4),
  baseHidden: z
    .array(z.number().int().min(1).max(4096))
    .min(1)
    .max(6)
    .meta({ unit: 'units', description: "Widths of the base network's hidden layers." })
    .default([128, 128]),
  // N; the paper's runs: 8, with 8 edited.
  candidates: whole('actions', { min: 1, max: 256 }, 'Actions that the base policy proposes per decision.').default(4),
  edited: whole('actions', { min: 0, max: 256 }, 'How many of them are also edited.').default(4),
  // β; the paper: 0.05 to 0.7 by task.
  editScale: num('1', { above: 0, max: 1 }, 'How far an edit can move each number of an action.').default(0.1),
  // H* + A·log β. Otherwise the edit would have to be as random as a whole policy, which a small β cannot achieve, and the temperature
  // would grow without bound.
  entropyInEditUnits: z
    .boolean()
    .meta({ description: 'Whether the entropy aimed at counts in units of what an edit can reach.' })
    .default(true),
  // Every transition of a batch, or demonstrations and interventions alone.
  baseData: z.enum(['all', 'demonstrations']).meta({ description: 'What the base policy imitates.' }).default('all'),
  // The paper: slow.
  baseCopy: z
    .enum(['current', 'slow'])
    .meta({ description: 'Which copy of the base policy proposes actions.' })
    .default('current'),
  baseCopyRate: num('1', { above: 0, max: 1 }, 'Share by which the slow copy moves per update.').default(0.001),
});
