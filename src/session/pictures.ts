/** Camera pictures of an observation, for people: the policy's input as bytes, downsampled if it is large. */
import type { PictureView } from '../rows/index.ts';
import { type ObservationSource, type ObservationTopic, topicSize } from '../tasks/index.ts';

/** Place of a picture in a topic's values. */
export interface CameraView {
  readonly name: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Numbers per pixel: grey, or red, green and blue. */
  readonly channels: 1 | 3;
  /** Index of the first number in the topic's values. */
  readonly at: number;
  /** Divisor that was applied to the numbers, 0 to 1. */
  readonly scale: number;
}

/** The picture in the values of `topic`, in colour if it has both; `undefined` if it has none. */
export function cameraOf(topic: ObservationTopic): CameraView | undefined {
  const { name, type, fields, widthPx, heightPx, scale } = topic;
  if (!type.endsWith('Image') || widthPx === undefined || heightPx === undefined) return undefined;
  const place = Math.max(0, fields.indexOf('rgb'));
  const before = topicSize({ ...topic, fields: fields.slice(0, place) });
  const channels = fields[place] === 'rgb' ? 3 : 1;
  return { name, widthPx, heightPx, channels, at: Number(before), scale };
}

/** Limit for all cameras together, before base64: frames and Stop share the connection with pictures. */
const MOST_BYTES = 48 * 1024;

interface Camera {
  readonly view: CameraView;
  readonly source: ObservationSource;
  readonly values: Float32Array;
  takenAtS: number;
}

export class Pictures {
  readonly #cameras: readonly Camera[];

  /** `sources`: sources of the values of `topics`, in the same order. */
  constructor(topics: readonly ObservationTopic[], sources: readonly ObservationSource[]) {
    this.#cameras = topics.flatMap((topic, i) => {
      const [view, source] = [cameraOf(topic), sources[i]];
      if (view === undefined || source === undefined) return [];
      return [{ view, source, values: new Float32Array(source.size), takenAtS: Number.NEGATIVE_INFINITY }];
    });
  }

  /** Newest picture of each camera that has one; empty if no camera has a new one since the last call. `nowS`: on the sources' clock. */
  take(nowS: number): readonly PictureView[] {
    let isNew = false;
    const shown = this.#cameras.filter((camera) => {
      const takenAtS = nowS - camera.source.ageMs(nowS) / 1e3;
      // Tolerance for one instant read from two clocks.
      isNew ||= takenAtS > camera.takenAtS + 1e-6;
      camera.takenAtS = takenAtS;
      return Number.isFinite(takenAtS);
    });
    return isNew ? shown.map((camera) => pictureOf(camera, MOST_BYTES / shown.length)) : [];
  }
}

/** Keeps every n-th pixel in both directions, so that the picture fits into `mostBytes`. */
function pictureOf({ view, source, values }: Camera, mostBytes: number): PictureView {
  const { name, channels, at, scale } = view;
  source.fill(values, 0);
  const stride = Math.max(1, Math.ceil(Math.sqrt((view.widthPx * view.heightPx * channels) / mostBytes)));
  const [widthPx, heightPx] = [Math.ceil(view.widthPx / stride), Math.ceil(view.heightPx / stride)];
  const bytes = new Uint8ClampedArray(widthPx * heightPx * channels);
  let to = 0;
  for (let row = 0; row < view.heightPx; row += stride) {
    for (let column = 0; column < view.widthPx; column += stride) {
      const from = at + channels * (row * view.widthPx + column);
      for (let k = 0; k < channels; k++) bytes[to++] = 255 * scale * values[from + k]!;
    }
  }
  return { name, widthPx, heightPx, channels, data: Buffer.from(bytes.buffer).toString('base64') };
}
