/** The learner's section `encoder`. */
import { z } from 'zod';
import { DEFAULT_ENCODER_SETTINGS, type EncoderSettings } from '../../../../learner/program/settings/encoder.ts';
import { whole } from '../fields.ts';

const usual = DEFAULT_ENCODER_SETTINGS;

export const encoderSchema: z.ZodType<EncoderSettings> = z
  .strictObject({
    channels: z
      .array(z.number().int().min(1).max(1024))
      .max(8)
      .meta({ unit: 'channels', description: "Of each convolution; [] where images are a frozen encoder's features." })
      .default([...usual.channels]),
    kernel: whole('pixels', { min: 1, max: 11 }, 'Width and height of every kernel.').default(usual.kernel),
    stride: whole('pixels', { min: 1, max: 8 }, 'From one place of a kernel to the next.').default(usual.stride),
    embeddings: whole(
      '1',
      { min: 0, max: 64 },
      'Learned sums over the places of the feature map, per channel; 0 takes the map as it is.',
    ).default(usual.embeddings),
    latent: whole('1', { min: 1, max: 4096 }, 'Numbers that an image becomes.').default(usual.latent),
    cropPadding: whole('pixels', { min: 0, max: 32 }, 'Images of a batch are shifted at random by up to this.').default(
      usual.cropPadding,
    ),
  })
  .meta({ description: 'How images become features, where the task has images.' })
  .prefault({});
