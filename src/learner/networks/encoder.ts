/**
 * Image encoder: convolutions, spatial learned embeddings, and a bottleneck. Without convolutions it is the trained head on the
 * features of a frozen encoder.
 */
import { type ImageShape, imageSize, type Rng, type TensorShape } from '../../model/index.ts';
import { conv2d } from '../engine/conv.ts';
import { show, type Tensor } from '../engine/graph.ts';
import { scaledLayerNorm } from '../engine/layer-norm.ts';
import { matmul } from '../engine/linear.ts';
import { ParameterLayout, type Parameters, parameterOf } from '../engine/parameters.ts';
import { add, relu, tanh } from '../ops/elements.ts';
import { permute, reshape } from '../ops/shape.ts';
import type { EncoderSettings } from '../options/encoder.ts';
import { dense, initialise, linearShapes } from './mlp.ts';

/** Sizes of an encoder. Images are padded with ⌊kernel/2⌋ zeros. */
export interface EncoderSpec extends Pick<EncoderSettings, 'channels' | 'kernel' | 'stride' | 'embeddings' | 'latent'> {
  /** Input: images, or the features [channels, height, width] of a frozen encoder, without convolutions. */
  readonly image: ImageShape;
}

/** Parameter layout of the encoder of `spec`. */
export function encoderLayout(spec: EncoderSpec): ParameterLayout {
  const map = featureMap(spec);
  const places = map.height * map.width;
  const inputs = [spec.image.channels, ...spec.channels];
  const { kernel, embeddings } = spec;
  return new ParameterLayout([
    ...spec.channels.flatMap((count, i): TensorShape[] => [
      { name: `conv${i}.kernel`, shape: [count, inputs[i]!, kernel, kernel] },
      { name: `conv${i}.bias`, shape: [count, 1, 1] },
    ]),
    ...(embeddings === 0 ? [] : [{ name: 'embedding.kernel', shape: [map.channels, places, embeddings] }]),
    ...linearShapes('bottleneck', map.channels * (embeddings === 0 ? places : embeddings), spec.latent),
    { name: 'bottleneck.scale', shape: [1, spec.latent] },
    { name: 'bottleneck.shift', shape: [1, spec.latent] },
  ]);
}

/**
 * Maps `frames` [B, channels·height·width], channel-first, to [B, latent] in (−1, 1): ReLU after each convolution, then
 * embeddings, a linear layer, LayerNorm and tanh. One encoder for all critics: no ensemble axis.
 */
export function encode(parameters: Parameters, spec: EncoderSpec, frames: Tensor): Tensor {
  const { channels, height, width } = spec.image;
  const g = frames.graph;
  return g.layer('encoder', () => {
    const [batch, size] = frames.shape;
    const expected = imageSize(spec.image);
    if (frames.shape.length !== 2 || size !== expected) {
      throw g.mistake(
        `the image is ${channels}x${height}x${width}, ${expected} numbers a row; got ${show(frames.shape)}`,
      );
    }
    const x = convolve(parameters, spec, reshape(frames, [batch!, channels, height, width]));
    return bottleneck(parameters, spec.embeddings === 0 ? flat(x) : embed(parameters, x));
  });
}

/** First part of `encode`: the convolutions of images [B, channels, height, width], a map of the same rank. */
export function convolve(parameters: Parameters, spec: EncoderSpec, images: Tensor): Tensor {
  return spec.channels.reduce((x, _, i) => convolution(parameters, spec, i, x), images);
}

/**
 * Initial parameters: kernels from N(0, 2/inputs) after He et al. (https://arxiv.org/abs/1502.01852), embeddings from
 * N(0, 1/places) so that sums over a feature map keep its scale, the rest as in `initialise`.
 */
export function initialiseEncoder(layout: ParameterLayout, rng: Rng, out: Float32Array): void {
  initialise(layout, rng, out);
  for (const { name, shape, offset, size } of layout.entries) {
    if (!name.endsWith('.kernel')) continue;
    const variance = name === 'embedding.kernel' ? 1 / shape[1]! : 2 / (size / shape[0]!);
    for (let i = 0; i < size; i++) out[offset + i] = rng.normal() * Math.sqrt(variance);
  }
}

/** Output map of the convolutions: at least one place, whatever the sizes, since ⌊kernel/2⌋ zeros surround the image. */
function featureMap({ image, channels, kernel, stride }: EncoderSpec): ImageShape {
  const places = (size: number) => Math.floor((size + 2 * Math.floor(kernel / 2) - kernel) / stride) + 1;
  const shrunk = (size: number) => channels.reduce(places, size);
  return { channels: channels.at(-1) ?? image.channels, height: shrunk(image.height), width: shrunk(image.width) };
}

function convolution(parameters: Parameters, { kernel, stride }: EncoderSpec, index: number, x: Tensor): Tensor {
  const name = `conv${index}`;
  return x.graph.layer(name, () => {
    const y = conv2d(x, parameterOf(parameters, `${name}.kernel`), { stride, padding: Math.floor(kernel / 2) });
    return relu(add(y, parameterOf(parameters, `${name}.bias`)));
  });
}

/** [B, C, h, w] to [B, C·E]: E weighted sums over the places of every channel, as in SERL (https://arxiv.org/abs/2401.16013; 8 there). */
function embed(parameters: Parameters, x: Tensor): Tensor {
  return x.graph.layer('embedding', () => {
    const [batch, channels, height, width] = x.shape;
    // Channels lead, so that a single batched product suffices: [C, B, places] by [C, places, E].
    const places = permute(reshape(x, [batch!, channels!, height! * width!]), [1, 0, 2]);
    return flat(permute(matmul(places, parameterOf(parameters, 'embedding.kernel')), [1, 0, 2]));
  });
}

function bottleneck(parameters: Parameters, x: Tensor): Tensor {
  const y = dense(parameters, 'bottleneck', x);
  return tanh(
    scaledLayerNorm(y, parameterOf(parameters, 'bottleneck.scale'), parameterOf(parameters, 'bottleneck.shift')),
  );
}

/** [B, …] to [B, n]. */
function flat(x: Tensor): Tensor {
  const batch = x.shape[0]!;
  return reshape(x, [batch, x.size / batch]);
}
