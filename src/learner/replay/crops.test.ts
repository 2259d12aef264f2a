import { describe, expect, it } from 'vitest';
import { type ImageShape, Rng } from '../../model/index.ts';
import { cropFrames, shiftFrame } from './crops.ts';

const IMAGE: ImageShape = { channels: 2, height: 3, width: 4 };
const SIZE = 24;

/** Pixel (x, y) is the pixel (x − right, y − down) of the image extended by its edge: the literal definition. */
function expected(frame: Float32Array, { channels, height, width }: ImageShape, right: number, down: number): number[] {
  const clamp = (n: number, size: number) => Math.max(0, Math.min(size - 1, n));
  return Array.from({ length: channels * height * width }, (_, i) => {
    const [x, y, c] = [i % width, Math.floor(i / width) % height, Math.floor(i / width / height)];
    return frame[(c * height + clamp(y - down, height)) * width + clamp(x - right, width)]!;
  });
}

const frame = Float32Array.from({ length: SIZE }, (_, i) => i + 1);

describe('random crops', () => {
  it('shift by any amount as the definition says, and leave what is beside the image alone', () => {
    for (let right = -5; right <= 5; right++) {
      for (let down = -4; down <= 4; down++) {
        const data = Float32Array.of(-1, ...frame, -2);
        shiftFrame(data, 1, IMAGE, right, down);
        expect(Array.from(data.subarray(1, 1 + SIZE))).toEqual(expected(frame, IMAGE, right, down));
        expect([data[0], data.at(-1)]).toEqual([-1, -2]);
      }
    }
  });

  it('move every row by its own shift, the same for all channels, and all shifts alike often', () => {
    const rows = 2000;
    const column = { image: IMAGE, rowSize: SIZE + 3, offset: 2 };
    const batch = new Float32Array(rows * column.rowSize);
    for (let row = 0; row < rows; row++) batch.set(frame, row * column.rowSize + column.offset);
    cropFrames(batch, rows, column, 1, new Rng(1));
    const shifts = [-1, 0, 1].flatMap((right) => [-1, 0, 1].map((down) => expected(frame, IMAGE, right, down).join()));
    const counts = new Map(shifts.map((shift) => [shift, 0]));
    for (let row = 0; row < rows; row++) {
      const from = row * column.rowSize + column.offset;
      const key = batch.subarray(from, from + SIZE).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(9);
    // 2000/9 each; five standard deviations are 70.
    for (const count of counts.values()) expect(Math.abs(count - rows / 9)).toBeLessThan(70);
  });

  it('repeat with the seed, and two calls on one generator differ', () => {
    const crop = (rng: Rng) => {
      const batch = Float32Array.from({ length: 8 * SIZE }, (_, i) => i % 24);
      cropFrames(batch, 8, { image: IMAGE, rowSize: SIZE, offset: 0 }, 2, rng);
      return batch.join();
    };
    const rng = new Rng(7);
    const first = crop(rng);
    expect(crop(new Rng(7))).toBe(first);
    expect(crop(rng)).not.toBe(first);
  });
});
