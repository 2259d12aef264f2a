/** Image inputs and feature outputs of third-party ONNX encoders. Images in Rein are channel-first. */
import { basename } from 'node:path';
import { type ImageShape, type ObservationParts, ReinError } from '../model/index.ts';
import { checkModel, type ModelInfo, type ModelValue, showDimensions } from '../onnx/index.ts';
import type { FrozenEncoderSettings } from './options/encoder.ts';

/** Names of the input and output of the encoder in `bytes`. Throws `ReinError` ('config') if it does not fit the image of `parts`. */
export function encoderPorts(
  settings: FrozenEncoderSettings,
  bytes: Uint8Array,
  parts: ObservationParts,
): { readonly input: string; readonly output: string } {
  const file = basename(settings.file);
  const info = checkModel(file, bytes);
  const { name } = imagePortOf(file, info, settings.input, imageOf(settings, parts));
  return { input: name, output: featurePortOf(file, info, settings.output) };
}

/** Returns the task's image, for the encoder of `settings`. Throws `ReinError` ('config') if the task has none. */
export function imageOf({ file }: FrozenEncoderSettings, { image }: ObservationParts): ImageShape {
  if (image !== undefined) return image;
  throw new ReinError('config', `The learner's encoder.frozen names ${file}, where the task has no image.`, {
    remedy: 'Leave encoder.frozen out, or choose a task with an image.',
  });
}

/** Image input of an encoder: colours are its first axis or its last. */
export interface ImagePort {
  readonly name: string;
  readonly layout: 'channels-first' | 'channels-last';
}

/** Finds the input of `model` that takes `image`. Throws `ReinError` ('config') if there is none. */
export function imagePortOf(file: string, model: ModelInfo, wanted: string | undefined, image: ImageShape): ImagePort {
  const value = chooseValue(file, 'input', model.inputs, wanted);
  const shape = value.shape ?? [undefined, undefined, undefined, undefined];
  const { channels, height, width } = image;
  const [batch, ...rest] = shape;
  const isLike = (sizes: readonly number[]) =>
    shape.length === 4 && rest.every((size, i) => typeof size !== 'number' || size === sizes[i]);
  const layout = isLike([channels, height, width])
    ? 'channels-first'
    : isLike([height, width, channels])
      ? 'channels-last'
      : undefined;
  if (layout === undefined) {
    throw new ReinError(
      'config',
      `${file} takes '${value.name}' as ${showDimensions(shape)}, where the task's image is ${showImage(image)} (channels x height x width).`,
      { remedy: 'Export the encoder for this image, or give the task the image that the encoder was trained on.' },
    );
  }
  if (typeof batch === 'number' && batch !== 1) {
    throw new ReinError('config', `${file} takes ${batch} images at a time, where robots see one.`, {
      remedy: 'Export it for a batch of 1, or with the batch left open.',
    });
  }
  return { name: value.name, layout };
}

/** Finds the feature output of `model`. Throws `ReinError` ('config') if it is ambiguous. */
export function featurePortOf(file: string, model: ModelInfo, wanted: string | undefined): string {
  return chooseValue(file, 'output', model.outputs, wanted).name;
}

/** Feature map of one image, and its layout in an output. */
export interface FeatureMap {
  readonly shape: ImageShape;
  readonly layout: ImagePort['layout'];
}

/**
 * Feature map of an output of `shape`: [batch, features], [batch, places, channels] as in vision transformers, or a map with the
 * layout of the encoder's images. Undefined for other ranks.
 */
export function featureMapOf(shape: readonly number[], layout: ImagePort['layout']): FeatureMap | undefined {
  const [, a, b, c] = shape;
  const map = (channels: number, height: number, width: number, as = layout) => ({
    shape: { channels, height, width },
    layout: as,
  });
  if (a !== undefined && shape.length === 2) return map(a, 1, 1);
  if (a === undefined || b === undefined) return undefined;
  if (shape.length === 3) return map(b, a, 1, 'channels-last');
  if (c === undefined || shape.length > 4) return undefined;
  return layout === 'channels-first' ? map(a, b, c) : map(c, a, b);
}

/** `3x128x128` */
export function showImage({ channels, height, width }: ImageShape): string {
  return `${channels}x${height}x${width}`;
}

function chooseValue(
  file: string,
  what: 'input' | 'output',
  all: readonly ModelValue[],
  wanted: string | undefined,
): ModelValue {
  const names = all.map(({ name }) => `'${name}'`).join(', ') || 'none';
  const found = wanted === undefined && all.length === 1 ? all[0] : all.find(({ name }) => name === wanted);
  if (found === undefined) {
    const sought = wanted === undefined ? 'one is needed' : `'${wanted}' is asked for`;
    throw new ReinError('config', `${file} has the ${what}s ${names}, where ${sought}.`, {
      remedy: `Name the ${what} to take, or export the encoder with one alone.`,
    });
  }
  if (found.type !== 'float32') {
    throw new ReinError('config', `${file} has '${found.name}' as ${found.type}, where float32 is needed.`, {
      remedy: 'Export it in float32.',
    });
  }
  return found;
}
