/** Downsampling of an image to a few pixels, grey or colour, 0 to 1. */
import type { ObservationTopic } from '../../tasks/index.ts';

/** Outcome of a message: taken, not applicable, or malformed for a reason (without its full stop). */
export type ReadResult = 'taken' | 'ignored' | { readonly malformed: string };

/** Fields used of `sensor_msgs/msg/Image`. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly encoding: string;
  readonly is_bigendian: number;
  /** Bytes per row. */
  readonly step: number;
  readonly data: Uint8Array;
}

interface Layout {
  /** Samples per pixel. */
  readonly samples: number;
  readonly bytes: 1 | 2;
  /** Indices of the red, green and blue samples. */
  readonly rgb: readonly [number, number, number];
}

const GREY: readonly [number, number, number] = [0, 0, 0];
const LAYOUTS: Readonly<Record<string, Layout>> = {
  rgb8: { samples: 3, bytes: 1, rgb: [0, 1, 2] },
  bgr8: { samples: 3, bytes: 1, rgb: [2, 1, 0] },
  rgba8: { samples: 4, bytes: 1, rgb: [0, 1, 2] },
  bgra8: { samples: 4, bytes: 1, rgb: [2, 1, 0] },
  mono8: { samples: 1, bytes: 1, rgb: GREY },
  mono16: { samples: 1, bytes: 2, rgb: GREY },
  '8UC1': { samples: 1, bytes: 1, rgb: GREY },
  '8UC3': { samples: 3, bytes: 1, rgb: [2, 1, 0] },
  '16UC1': { samples: 1, bytes: 2, rgb: GREY },
};

/** Weights of red, green and blue in luminance (ITU-R BT.601). */
const LUMA = [0.299, 0.587, 0.114] as const;

/**
 * Writes `image` averaged over equal areas to `widthPx` × `heightPx`, row-major; three numbers per pixel for `rgb`.
 * Each source pixel counts for one target pixel, so that sizes need not divide.
 */
export function readImage(image: Picture, topic: ObservationTopic, out: Float32Array): ReadResult {
  const layout = LAYOUTS[image.encoding];
  if (layout === undefined) {
    return { malformed: `the encoding "${image.encoding}" is not read; those are ${Object.keys(LAYOUTS).join(', ')}` };
  }
  const { widthPx = 1, heightPx = 1, fields } = topic;
  const { width, height, step, data } = image;
  if (width < widthPx || height < heightPx) {
    return { malformed: `it has ${width} × ${height} pixels, ${widthPx} × ${heightPx} are asked for` };
  }
  if (step < width * layout.samples * layout.bytes || data.length < step * height) {
    return { malformed: `${data.length} bytes are too few for ${width} × ${height} pixels of ${image.encoding}` };
  }
  let at = 0;
  const isGreySource = layout.samples === 1;
  for (const field of fields) {
    for (let row = 0; row < heightPx; row++) {
      for (let column = 0; column < widthPx; column++) {
        const sums = areaMean(image, layout, topic, column, row);
        if (field === 'gray') {
          out[at++] = isGreySource ? sums[0]! : LUMA[0] * sums[0]! + LUMA[1] * sums[1]! + LUMA[2] * sums[2]!;
        } else {
          for (let k = 0; k < 3; k++) out[at++] = sums[k]!;
        }
      }
    }
  }
  return 'taken';
}

const mean = new Float64Array(3);

/** Mean red, green and blue, 0 to 1, of the source pixels of one target pixel. The array is reused. */
function areaMean(image: Picture, layout: Layout, topic: ObservationTopic, column: number, row: number): Float64Array {
  const { width, height, step, data } = image;
  const { widthPx = 1, heightPx = 1 } = topic;
  const left = Math.floor((column * width) / widthPx);
  const right = Math.floor(((column + 1) * width) / widthPx);
  const top = Math.floor((row * height) / heightPx);
  const bottom = Math.floor(((row + 1) * height) / heightPx);
  const size = layout.samples * layout.bytes;
  const [red, green, blue] = layout.rgb;
  let r = 0;
  let g = 0;
  let b = 0;
  for (let y = top; y < bottom; y++) {
    let at = y * step + left * size;
    for (let x = left; x < right; x++, at += size) {
      if (layout.bytes === 2) {
        r += image.is_bigendian === 0 ? data[at]! + 256 * data[at + 1]! : 256 * data[at]! + data[at + 1]!;
      } else {
        r += data[at + red]!;
        g += data[at + green]!;
        b += data[at + blue]!;
      }
    }
  }
  const whole = (layout.bytes === 2 ? 65_535 : 255) * (right - left) * (bottom - top);
  mean[0] = r / whole;
  mean[1] = layout.bytes === 2 ? mean[0]! : g / whole;
  mean[2] = layout.bytes === 2 ? mean[0]! : b / whole;
  return mean;
}
