/**
 * Decodes compressed images with `sharp`, where somebody has installed it: it is no dependency of Rein, because only
 * robots whose cameras come compressed need it.
 */
import { ReinError } from '../../core/index.ts';
import type { Picture } from './image-reader.ts';

/** Decodes JPEG, PNG and what else the library knows, to 8-bit RGB. Rejects for bytes that are no picture. */
export type ImageDecoder = (bytes: Uint8Array) => Promise<Picture>;

/** The part of `sharp` that is used. */
interface Sharp {
  removeAlpha(): Sharp;
  toColourspace(space: string): Sharp;
  raw(): Sharp;
  toBuffer(options: { resolveWithObject: true }): Promise<{
    data: Uint8Array;
    info: { width: number; height: number; channels: number };
  }>;
}
type SharpModule = { readonly default: (bytes: Uint8Array) => Sharp };

// In a variable, so that nothing looks for the package before it is asked for.
const PACKAGE: string = 'sharp';

/** Loads the decoder. Rejects with `ReinError('environment')` where it is not installed. */
export async function loadImageDecoder(packageName: string = PACKAGE): Promise<ImageDecoder> {
  const sharp = await import(packageName).then(
    (module: SharpModule) => module.default,
    (error: unknown) => {
      throw new ReinError(
        'environment',
        `Compressed images cannot be decoded: the package ${packageName} is not installed.`,
        {
          remedy: `Run: npm install --no-save ${packageName}. Or read the camera's uncompressed topic (sensor_msgs/msg/Image).`,
          cause: error,
        },
      );
    },
  );
  return async (bytes) => {
    const { data, info } = await sharp(bytes)
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return {
      width,
      height,
      encoding: channels === 1 ? 'mono8' : 'rgb8',
      is_bigendian: 0,
      step: width * channels,
      data,
    };
  };
}
