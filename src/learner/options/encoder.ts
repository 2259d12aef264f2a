/**
 * Settings of the image encoder. Three convolutions of 3×3 with stride 2: sized for 64×64 pixels on a CPU.
 * Latent 50 and random shifts of up to 4 pixels are DrQ's (Kostrikov, Yarats and Fergus, https://arxiv.org/abs/2004.13649).
 */
import { z } from 'zod';
import { type Configured, group, whole } from '../../schema/index.ts';

const tensorName = (description: string): z.ZodString => z.string().min(1).max(255).meta({ description });
const perChannel = (description: string): z.ZodArray<z.ZodNumber> =>
  z.array(z.number()).min(1).max(64).meta({ unit: '1', description });

const frozen = z
  .strictObject({
    file: z.string().min(1).max(4096).meta({
      description:
        'ONNX file, relative to the file that names it: from an image to a vector, a map or tokens of features, float32.',
    }),
    variants: whole(
      'rows',
      { min: 1, max: 64 },
      'Features that replay keeps of each frame: its own, the others of shifted copies. A row of F numbers takes 4·F bytes.',
    ).default(4),
    padding: whole('pixels', { min: 0, max: 32 }, 'Copies are shifted at random by up to this.').default(4),
    mean: perChannel('It sees (pixel − mean)/std, one number a channel, pixels in 0 to 1. Default: 0.').optional(),
    std: perChannel('One number a channel. Default: 1.').optional(),
    input: tensorName('Name of the input that takes the image. Default: the only one.').optional(),
    output: tensorName('Name of the output that gives features. Default: the only one.').optional(),
  })
  .meta({
    description:
      'A third-party encoder, whose weights stay as they are; its features take the place of the convolutions. Default: none.',
  });

export const encoderSettings = group('How images become features, where the task has images.', {
  frozen: frozen.optional(),
  channels: z
    .array(z.number().int().min(1).max(1024))
    .max(8)
    .meta({ unit: 'channels', description: 'Of each convolution; none behind a frozen encoder.' })
    .default([16, 32, 32]),
  kernel: whole('pixels', { min: 1, max: 11 }, 'Width and height of every kernel.').default(3),
  stride: whole('pixels', { min: 1, max: 8 }, 'From one place of a kernel to the next.').default(2),
  embeddings: whole(
    '1',
    { min: 0, max: 64 },
    'Learned sums over the places of the feature map, per channel; 0 takes the map as it is.',
  ).default(0),
  latent: whole('1', { min: 1, max: 4096 }, 'Numbers that an image becomes.').default(50),
  cropPadding: whole('pixels', { min: 0, max: 32 }, 'Images of a batch are shifted at random by up to this.').default(
    4,
  ),
});

/** Settings of the encoder shared by critics and policy. */
export type EncoderSettings = Configured<typeof encoderSettings>;
/** Settings of a third-party image encoder, in front of the trained one: replay stores its features of each frame. */
export type FrozenEncoderSettings = Configured<typeof frozen>;

/** Output channels of the trained convolutions: none behind a frozen encoder. */
export function trainedChannels({ frozen, channels }: EncoderSettings): readonly number[] {
  return frozen === undefined ? channels : [];
}
