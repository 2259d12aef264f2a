/** How images become features, where a task has images. */

/** An image encoder made by others, in front of the trained one: replay keeps what it makes of each frame. */
export interface FrozenEncoderSettings {
  /** Path of the ONNX file. */
  readonly file: string;
  /** V ≥ 1: features that replay keeps of each frame, its own and those of V − 1 shifted copies. */
  readonly variants: number;
  /** Copies are shifted by up to so many pixels. */
  readonly padding: number;
  /** It sees (pixel − mean)/std, one number a channel; absent: the pixel. */
  readonly mean?: readonly number[] | undefined;
  readonly std?: readonly number[] | undefined;
  /** Names in the file; absent: the only ones. */
  readonly input?: string | undefined;
  readonly output?: string | undefined;
}

/** Settings of the encoder that critics and policy share. */
export interface EncoderSettings {
  /** Present: the trained encoder has no convolutions, and sees the features of this one in place of pixels. */
  readonly frozen?: FrozenEncoderSettings | undefined;
  /** Output channels of the convolutions, first to last. */
  readonly channels: readonly number[];
  /** Width and height of every kernel, pixels. */
  readonly kernel: number;
  /** Pixels from one place of a kernel to the next. */
  readonly stride: number;
  /** Learned weighted sums over the places of the feature map, per channel; 0: the map as it is. */
  readonly embeddings: number;
  /** Numbers that the image becomes. */
  readonly latent: number;
  /** Images of a batch are shifted by up to so many pixels at random; 0: never. */
  readonly cropPadding: number;
}

/** Output channels of the convolutions that are trained: none behind a frozen encoder. */
export function trainedChannels({ frozen, channels }: EncoderSettings): readonly number[] {
  return frozen === undefined ? channels : [];
}

/**
 * Three convolutions of 3×3 with stride 2: sized for 64×64 pixels on a CPU. Latent 50 and random shifts of up to 4 pixels are
 * DrQ's (Kostrikov, Yarats and Fergus, https://arxiv.org/abs/2004.13649).
 */
export const DEFAULT_ENCODER_SETTINGS: EncoderSettings = {
  channels: [16, 32, 32],
  kernel: 3,
  stride: 2,
  embeddings: 0,
  latent: 50,
  cropPadding: 4,
};
