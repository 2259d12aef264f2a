/** 2-D convolution with its gradients: for the image the transposed convolution, for the weight a product of patches. */

import { mul, stopGradient } from '../ops/elements.ts';
import { concat, cut, padAll, reduceSum, reshape, transpose } from '../ops/shape.ts';
import { gradients } from './autodiff.ts';
import { type Graph, type Shape, scopeOf, show, type Tensor } from './graph.ts';
import { matmul } from './linear.ts';

/**
 * Convolves `image` [B, in, H, W] with `weight` [out, in, k, l] and returns [B, out, h, w] with
 * h = ⌊(H + 2·padding − k)/stride⌋ + 1. For a bias, `add` [out, 1, 1].
 */
export function conv2d(image: Tensor, weight: Tensor, options: ConvOptions = {}): Tensor {
  const g = scopeOf(image, weight);
  const windows = windowsOf(g, image.shape, weight.shape, options);
  return g.withGradient(
    convolve(stopGradient(image), stopGradient(weight), windows),
    [image, weight],
    [(d) => spread(d, stopGradient(weight), windows), (d) => weightGradient(stopGradient(image), d, windows)],
  );
}

/** Forward convolution, from the large image to the small one. */
function convolve(image: Tensor, weight: Tensor, windows: Windows): Tensor {
  const g = scopeOf(image, weight);
  if (g.real === 'float64') return convolveInSteps(image, weight, windows);
  const { batch, count, small } = windows;
  return g.emit('Conv', [image, weight], [batch, count, ...small], { attributes: attributesOf(windows) });
}

/** Transpose of `convolve`, from the small image to the large one. */
function spread(image: Tensor, weight: Tensor, windows: Windows): Tensor {
  const g = scopeOf(image, weight);
  const { batch, channels, large, small, kernel, stride, padding } = windows;
  if (g.real === 'float64') {
    // The sum of a convolution times `image` has the transposed convolution of `image` as its gradient.
    const any = g.constant(new Float64Array(batch * channels * large[0] * large[1]), [batch, channels, ...large]);
    return gradients(reduceSum(mul(convolveInSteps(any, weight, windows), image)), [any])[0]!;
  }
  const missed = large.map((n, i) => n - ((small[i]! - 1) * stride - 2 * padding + kernel[i]!));
  const attributes = [...attributesOf(windows), { name: 'output_padding', kind: 'ints', value: missed } as const];
  return g.emit('ConvTranspose', [image, weight], [batch, channels, ...large], { attributes });
}

/** Gradient for the weight, from the large image on its input side and the small image on its output side. */
function weightGradient(large: Tensor, small: Tensor, windows: Windows): Tensor {
  const { batch, channels, count, kernel } = windows;
  const flat = reshape(small, [batch, count, windows.small[0] * windows.small[1]]);
  // One product per image and a sum: joining the images first would move all columns once more.
  const products = matmul(flat, transpose(columns(large, windows)));
  const sum = reshape(reduceSum(products, [0]), [count, products.shape[2]!]);
  return reshape(pickColumns(sum, columnOrder(windows)), [count, channels, ...kernel]);
}

/** Convolution as patches times weights: for float64, for which the runtime has no Conv. Differentiable for `image`. */
function convolveInSteps(image: Tensor, weight: Tensor, windows: Windows): Tensor {
  const { batch, channels, count, kernel, small } = windows;
  const flat = reshape(weight, [count, channels * kernel[0] * kernel[1]]);
  const order = columnOrder(windows);
  const inColumns = pickColumns(
    flat,
    Array.from(order.keys()).sort((a, b) => order[a]! - order[b]!),
  );
  return reshape(matmul(inColumns, columns(image, windows)), [batch, count, ...small]);
}

/** Selects the columns `order` of a matrix. */
function pickColumns(matrix: Tensor, order: readonly number[]): Tensor {
  const attributes = [{ name: 'axis', kind: 'int', value: 1 } as const];
  const indices = matrix.graph.integers(order);
  return matrix.graph.emit('Gather', [matrix, indices], [matrix.shape[0]!, order.length], { attributes });
}

function attributesOf({ kernel, stride, padding }: Windows) {
  return [
    { name: 'kernel_shape', kind: 'ints', value: kernel },
    { name: 'strides', kind: 'ints', value: [stride, stride] },
    { name: 'pads', kind: 'ints', value: [padding, padding, padding, padding] },
  ] as const;
}

/** Options of a convolution; both axes alike. */
interface ConvOptions {
  /** Pixels between neighbouring positions of the kernel, ≥ 1; default 1. */
  readonly stride?: number;
  /** Zeros around the image, ≥ 0; default 0. */
  readonly padding?: number;
}

/** Sizes of one convolution from a large image [batch, channels, height, width] to a small one [batch, count, …small]. */
interface Windows {
  readonly batch: number;
  readonly channels: number;
  readonly large: readonly [number, number];
  readonly count: number;
  readonly small: readonly [number, number];
  readonly kernel: readonly [number, number];
  readonly stride: number;
  readonly padding: number;
}

/** Sizes of the convolution of `image` [B, channels, H, W] with `weight` [count, channels, k, l]. */
function windowsOf(g: Graph, image: Shape, weight: Shape, options: ConvOptions): Windows {
  const { stride = 1, padding = 0 } = options;
  const [batch, channels, height, width] = fourSizes(g, 'image', image);
  const [count, takes, k, l] = fourSizes(g, 'weight', weight);
  if (!(Number.isInteger(stride) && stride >= 1 && Number.isInteger(padding) && padding >= 0)) {
    throw g.mistake(`conv2d: the stride is an integer from 1 and the padding from 0, got ${stride} and ${padding}`);
  }
  const place = (size: number, kernel: number) => Math.floor((size + 2 * padding - kernel) / stride) + 1;
  const small = [place(height, k), place(width, l)] as const;
  if (small[0] < 1 || small[1] < 1) {
    throw g.mistake(`conv2d: a kernel of ${k}x${l} does not fit the image ${show(image)} with padding ${padding}`);
  }
  if (channels !== takes) {
    throw g.mistake(
      `conv2d of the image ${show(image)} with the weight ${show(weight)}: the image has ${channels} channels, the weight takes ${takes}`,
    );
  }
  return { batch, channels, large: [height, width], count, small, kernel: [k, l], stride, padding };
}

/** The four sizes of an image or weight; throws if there are not four. */
function fourSizes(g: Graph, what: string, shape: Shape): [number, number, number, number] {
  const [a, b, c, d, ...rest] = shape;
  if (a === undefined || b === undefined || c === undefined || d === undefined || rest.length > 0) {
    const wanted = what === 'image' ? '[batch, channels, height, width]' : '[out, in, height, width]';
    throw g.mistake(`conv2d takes the ${what} as ${wanted}, got ${show(shape)}`);
  }
  return [a, b, c, d];
}

/**
 * Patches of `image` under the kernel, one per column: [B, taps·channels, h·w], rows in the order of `columnOrder`.
 * Differentiable.
 *
 * Strided slices are slow in the runtime. Therefore the stride is first folded into channels (SpaceToDepth): each tap of the
 * kernel is then a block of channels under a shift, and neighbouring blocks of one shift are cut out together.
 */
function columns(image: Tensor, windows: Windows): Tensor {
  const { batch, channels, kernel, small } = windows;
  const folded = foldByStride(image, windows);
  const parts = runs(windows).map(({ row, column, from, to }) =>
    cut(folded, [0, from * channels, row, column], [batch, (to - from) * channels, ...small]),
  );
  return reshape(concat(parts, 1), [batch, kernel[0] * kernel[1] * channels, small[0] * small[1]]);
}

/** Row in `columns` of each element (channel, i, j) of a kernel, in row-major order. */
function columnOrder(windows: Windows): number[] {
  const { channels, kernel, stride } = windows;
  const rank = new Map<number, number>();
  for (const { row, column, from, to } of runs(windows)) {
    for (let block = from; block < to; block++) {
      const i = row * stride + Math.floor(block / stride);
      const j = column * stride + (block % stride);
      rank.set(i * kernel[1] + j, rank.size);
    }
  }
  return Array.from({ length: channels * rank.size }, (_, element) => {
    const channel = Math.floor(element / rank.size);
    return rank.get(element % rank.size)! * channels + channel;
  });
}

/** Blocks [from, to) of the folded image under the shift (row, column): taps of the kernel that are contiguous. */
interface Run {
  readonly row: number;
  readonly column: number;
  readonly from: number;
  readonly to: number;
}

function runs({ kernel: [k, l], stride }: Windows): Run[] {
  const found: Run[] = [];
  for (let row = 0; row * stride < k; row++) {
    for (let column = 0; column * stride < l; column++) {
      const height = Math.min(stride, k - row * stride);
      const width = Math.min(stride, l - column * stride);
      // The index of a block is i·stride + j. Whole rows of blocks are contiguous, parts of rows are not.
      if (width === stride) found.push({ row, column, from: 0, to: height * stride });
      else for (let i = 0; i < height; i++) found.push({ row, column, from: i * stride, to: i * stride + width });
    }
  }
  return found;
}

/** Pads or crops the image to the area reached by the kernel, and folds stride × stride pixels into channels. */
function foldByStride(image: Tensor, { batch, channels, large, kernel, small, stride, padding }: Windows): Tensor {
  const size = small.map((n, axis) => stride * (n - 1 + Math.ceil(kernel[axis]! / stride)));
  const after = size.map((n, axis) => Math.max(0, n - padding - large[axis]!));
  const padded = padAll(image, [0, 0, padding, padding], [0, 0, ...after]);
  const whole = cut(padded, [0, 0, 0, 0], [batch, channels, ...size]);
  return fold(whole, stride);
}

/** [B, C, s·h, s·w] to [B, s·s·C, h, w]; pixel (i, j) of each square becomes block i·s + j. */
function fold(image: Tensor, block: number): Tensor {
  if (block === 1) return image;
  const [batch, channels, height, width] = image.shape;
  return image.graph.emit(
    'SpaceToDepth',
    [image],
    [batch!, channels! * block * block, height! / block, width! / block],
    { attributes: [{ name: 'blocksize', kind: 'int', value: block }], backward: [(d) => unfold(d, block)] },
  );
}

function unfold(image: Tensor, block: number): Tensor {
  const [batch, channels, height, width] = image.shape;
  return image.graph.emit(
    'DepthToSpace',
    [image],
    [batch!, channels! / (block * block), height! * block, width! * block],
    { attributes: [{ name: 'blocksize', kind: 'int', value: block }], backward: [(d) => fold(d, block)] },
  );
}
