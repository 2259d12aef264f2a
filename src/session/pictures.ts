/** What the cameras of an observation see, for people: what the policy is given of them, as bytes, and smaller where that is much. */
import type { PictureView } from '../core/index.ts';
import { type ObservationSource, type ObservationTopic, topicSize } from '../tasks/index.ts';

/** Where a topic's values have a picture. */
export interface CameraView {
  readonly name: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Numbers of a pixel: grey, or red, green and blue. */
  readonly channels: 1 | 3;
  /** Place of the first number in the topic's values. */
  readonly at: number;
  /** What the numbers, 0 to 1, were divided by. */
  readonly scale: number;
}

/** The picture in the values of `topic`, in colours where it has both; `undefined` where it has none. */
export function cameraOf(topic: ObservationTopic): CameraView | undefined {
  const { name, type, fields, widthPx, heightPx, scale } = topic;
  if (!type.endsWith('Image') || widthPx === undefined || heightPx === undefined) return undefined;
  const place = Math.max(0, fields.indexOf('rgb'));
  const before = topicSize({ ...topic, fields: fields.slice(0, place) });
  const channels = fields[place] === 'rgb' ? 3 : 1;
  return { name, widthPx, heightPx, channels, at: Number(before), scale };
}

/** Of all cameras together, before base64: frames and Stop share the way with pictures. */
const MOST_BYTES = 48 * 1024;

interface Camera {
  readonly view: CameraView;
  readonly source: ObservationSource;
  readonly values: Float32Array;
  takenAtS: number;
}

export class Pictures {
  readonly #cameras: readonly Camera[];

  /** `sources`: of the values of `topics`, in the same order. */
  constructor(topics: readonly ObservationTopic[], sources: readonly ObservationSource[]) {
    this.#cameras = topics.flatMap((topic, i) => {
      const [view, source] = [cameraOf(topic), sources[i]];
      if (view === undefined || source === undefined) return [];
      return [{ view, source, values: new Float32Array(source.size), takenAtS: Number.NEGATIVE_INFINITY }];
    });
  }

  /** The newest of each camera that has one; none where no camera has shown another since this was last asked. `nowS`: as of the sources. */
  take(nowS: number): readonly PictureView[] {
    let isNew = false;
    const shown = this.#cameras.filter((camera) => {
      const takenAtS = nowS - camera.source.ageMs(nowS) / 1e3;
      // The same moment by two clocks' readings.
      isNew ||= takenAtS > camera.takenAtS + 1e-6;
      camera.takenAtS = takenAtS;
      return Number.isFinite(takenAtS);
    });
    return isNew ? shown.map((camera) => pictureOf(camera, MOST_BYTES / shown.length)) : [];
  }
}

/** Every so many-th pixel of each way, so that it comes to `mostBytes`. */
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
