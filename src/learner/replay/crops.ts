/**
 * Random crops of stored images, DrQ's augmentation (Kostrikov, Yarats and Fergus, https://arxiv.org/abs/2004.13649):
 * the image is padded with its edge pixels and cropped at a random position. Done on the batch, in place.
 */
import type { ImageShape, Rng } from '../../model/index.ts';

/** Position of the image in each row of a batch of observations [B, rowSize]: from index `offset` on, channel-first. */
export interface FrameColumn {
  readonly image: ImageShape;
  readonly rowSize: number;
  readonly offset: number;
}

/**
 * Shifts the images of rows [0, `rows`) of `batch`, each by up to `padding` pixels in both directions, drawn from `rng` row
 * by row: the same for all channels of a row, which may be frames stacked in time. Call it once for s and once for s′, which
 * must be shifted independently. `padding` is DrQ's 4 for 84 pixels; at most the image's size. Does not allocate.
 */
export function cropFrames(batch: Float32Array, rows: number, column: FrameColumn, padding: number, rng: Rng): void {
  const places = 2 * padding + 1;
  for (let row = 0; row < rows; row++) {
    const [right, down] = [rng.int(places) - padding, rng.int(places) - padding];
    shiftFrame(batch, row * column.rowSize + column.offset, column.image, right, down);
  }
}

/**
 * Shifts the image at `offset` of `data` by `right` and `down` pixels (negative: left and up), in place. Vacated pixels take the
 * value of the nearest former edge pixel. Does not allocate.
 */
export function shiftFrame(data: Float32Array, offset: number, image: ImageShape, right: number, down: number): void {
  const { channels, height, width } = image;
  for (let channel = 0; channel < channels; channel++) {
    const from = offset + channel * height * width;
    // Rows are overwritten in an order in which no later row still needs them.
    if (down <= 0) {
      for (let y = 0; y < height; y++) moveRow(data, from, width, Math.min(y - down, height - 1), y, right);
    } else {
      for (let y = height - 1; y >= 0; y--) moveRow(data, from, width, Math.max(y - down, 0), y, right);
    }
  }
}

/** Copies row `source` of an image to row `target`, shifted by `right`. The two may be the same. */
function moveRow(data: Float32Array, from: number, width: number, source: number, target: number, right: number): void {
  const [a, b] = [from + source * width, from + target * width];
  const shift = Math.max(-width, Math.min(width, right));
  if (shift >= 0) {
    const edge = data[a]!;
    data.copyWithin(b + shift, a, a + width - shift);
    for (let x = 0; x < shift; x++) data[b + x] = edge;
  } else {
    const edge = data[a + width - 1]!;
    data.copyWithin(b, a - shift, a + width);
    for (let x = width + shift; x < width; x++) data[b + x] = edge;
  }
}
