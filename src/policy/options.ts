/** `basePolicy` of a task: an older policy whose action the learned policy observes and improves on. */
import { z } from 'zod';
import { type Configured, mayDiffer, num, whole } from '../schema/index.ts';

const tensorName = (description: string): z.ZodString => z.string().min(1).max(255).meta({ description });

const input = z.strictObject({
  name: tensorName('Name of an input of its graph.'),
  fields: z.array(z.string().min(1).max(64)).min(1).max(64).optional().meta({
    unit: '1',
    description:
      'Fields of the observation that it gets, in this order; of the newest step or of all, whichever has its size. Default: the whole observation.',
  }),
  noise: z
    .boolean()
    .meta({ description: 'It gets numbers drawn from N(0, 1) instead, as the sampler of a diffusion policy wants.' })
    .default(false),
});

export const basePolicySchema = z
  .strictObject({
    file: mayDiffer(
      z.string().min(1).max(4096).meta({
        description:
          "ONNX file, relative to the task's file: a `policy.onnx` of Rein, or a third-party network, with float32 inputs, whose output is an action [1, A] or a chunk of them [1, H, A] in −1 to 1.",
      }),
    ),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({ description: 'SHA-256 of the file; another file is refused, here and by policies trained on this one.' })
      .optional(),
    inputs: z
      .array(input)
      .min(1)
      .max(16)
      .meta({ description: 'What each input of its graph gets. Default: its only input gets the whole observation.' })
      .optional(),
    output: tensorName('Name of the output that is the action. Default: `action`, or the only output.').optional(),
    chunk: whole(
      'actions',
      { min: 1, max: 1000 },
      'H, how many actions it gives at once; refused where the file differs. Default: that of the file.',
    ).optional(),
    executeSteps: whole(
      'steps',
      { min: 1, max: 1000 },
      'How many actions of a chunk are used before it is asked again. Default: all.',
    ).optional(),
    rateHz: num(
      'Hz',
      { above: 0, max: 1000 },
      "Rate that it was trained at; it has to be the task's `policyHz`.",
    ).optional(),
  })
  .meta({
    description:
      'An older policy that is asked before the learned one at each step: its action is the last part of the observation (residual learning). Default: none.',
  });

export type BasePolicyConfig = Configured<typeof basePolicySchema>;
