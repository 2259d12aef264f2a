/** How images become features, where a task has images. */

/** Settings of the encoder that critics and policy share. */
export interface EncoderSettings {
  /** Output channels of the convolutions, first to last; none where the image is made of a frozen encoder's features. */
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
