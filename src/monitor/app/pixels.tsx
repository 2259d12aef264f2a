/** Enlarged camera image of a few thousand pixels, as the policy receives it. */
import { useEffect, useRef } from 'preact/hooks';
import type { PictureView } from '../../rows/portable.ts';
import type { RunView } from '../../session/index.ts';

interface Samples {
  readonly name: string;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly channels: 1 | 3;
  /** Row-major, 0 to 255. */
  readonly samples: ArrayLike<number>;
}

export function samplesOf({ data, ...picture }: PictureView): Samples {
  return { ...picture, samples: Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)) };
}

/** Images in the newest frame of `observation`; empty if the task observes none. */
export function picturesIn(task: RunView['task'], observation: readonly (number | null)[]): readonly Samples[] {
  const { frames, fields } = task.observation;
  const frameSize = fields.reduce((sum, { size }) => sum + size, 0);
  return task.cameras.map(({ name, widthPx, heightPx, channels, at, scale }) => {
    const place = fields.findIndex((field) => field.name === name);
    const before = fields.slice(0, place).reduce((sum, { size }) => sum + size, 0);
    const from = (frames - 1) * frameSize + before + at;
    const values = observation.slice(from, from + widthPx * heightPx * channels);
    return { name, widthPx, heightPx, channels, samples: values.map((value) => 255 * scale * (value ?? 0)) };
  });
}

export function Pixels({ name, widthPx, heightPx, channels, samples }: Samples) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const image = new ImageData(widthPx, heightPx);
    for (let pixel = 0; pixel < widthPx * heightPx; pixel++) {
      for (let k = 0; k < 3; k++) image.data[4 * pixel + k] = samples[channels * pixel + (channels === 1 ? 0 : k)] ?? 0;
      image.data[4 * pixel + 3] = 255;
    }
    canvas.current?.getContext('2d')?.putImageData(image, 0, 0);
  }, [samples]);
  return <canvas ref={canvas} class="pixels" width={widthPx} height={heightPx} aria-label={`What ${name} sees`} />;
}
