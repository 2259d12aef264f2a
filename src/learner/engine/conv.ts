/** Convolution over images, with its gradients: for the image its transpose, for the weight a product of patches. */

import { mul, stopGradient } from '../ops/arithmetic.ts';
import { reduceSum, reshape } from '../ops/broadcast.ts';
import { transpose } from '../ops/shape.ts';
import { gradients } from './autodiff.ts';
import { type Graph, scopeOf, show, type Tensor } from './graph.ts';
import { matmul } from './linear.ts';
import { type ConvOptions, columnOrder, columns, type Windows, windowsOf } from './windows.ts';

/**
 * Slides `weight` [out, in, k, l] over `image` [B, in, H, W] and gives [B, out, h, w] with
 * h = ⌊(H + 2·padding − k)/stride⌋ + 1. A bias is an `add` of [out, 1, 1].
 */
export function conv2d(image: Tensor, weight: Tensor, options: ConvOptions = {}): Tensor {
  const g = scopeOf(image, weight);
  const windows = windowsOf(g, 'conv2d', image.shape, weight.shape, options);
  fit(g, 'conv2d', image, weight, windows.channels, weight.shape[1]!);
  return g.withGradient(
    convolve(stopGradient(image), stopGradient(weight), windows),
    [image, weight],
    [(d) => spread(d, stopGradient(weight), windows), (d) => weightGradient(stopGradient(image), d, windows)],
  );
}

function fit(g: Graph, op: string, image: Tensor, weight: Tensor, has: number, takes: number): void {
  if (has === takes) return;
  throw g.mistake(
    `${op} of the image ${show(image.shape)} with the weight ${show(weight.shape)}: the image has ${has} channels, the weight takes ${takes}`,
  );
}

/** From the large image to the small one. */
function convolve(image: Tensor, weight: Tensor, windows: Windows): Tensor {
  const g = scopeOf(image, weight);
  if (g.real === 'float64') return convolveInSteps(image, weight, windows);
  const { batch, count, small } = windows;
  return g.emit('Conv', [image, weight], [batch, count, ...small], { attributes: attributesOf(windows) });
}

/** From the small image to the large one: the transpose of `convolve`. */
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

/** The gradient for the weight, from the large image on one side of it and the small image on the other. */
function weightGradient(large: Tensor, small: Tensor, windows: Windows): Tensor {
  const { batch, channels, count, kernel } = windows;
  const flat = reshape(small, [batch, count, windows.small[0] * windows.small[1]]);
  // One product for each image and a sum: to join the images first would move all columns once more.
  const products = matmul(flat, transpose(columns(large, windows)));
  const sum = reshape(reduceSum(products, [0]), [count, products.shape[2]!]);
  return reshape(pickColumns(sum, columnOrder(windows)), [count, channels, ...kernel]);
}

/** The convolution as patches times weights: for float64, in which the runtime has no Conv. Differentiable for `image`. */
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

/** Columns `order` of a matrix. */
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
