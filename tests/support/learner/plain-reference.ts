/** A second implementation of networks and optimiser in plain numbers, one row at a time: what the tests of whole calls compare with. */
import type { ParameterLayout } from '../../../src/learner/engine/parameters.ts';

/** Parameters of one network by name. */
export type Net = (name: string) => number[];

/** The parameters that lie in `flat` from `offset` on; read anew in every call. */
export function netOf(flat: ArrayLike<number>, layout: ParameterLayout, offset = 0): Net {
  return (name) => {
    const entry = layout.entries.find((e) => e.name === name)!;
    return Array.from({ length: entry.size }, (_, i) => flat[offset + entry.offset + i]!);
  };
}

export function plainDense(net: Net, name: string, x: readonly number[]): number[] {
  const [w, b] = [net(`${name}.weight`), net(`${name}.bias`)];
  return b.map((bias, j) => x.reduce((sum, value, i) => sum + value * w[i * b.length + j]!, bias));
}

/** A policy's last layer before tanh, after one hidden layer. */
export function plainMean(net: Net, s: readonly number[]): number[] {
  return plainDense(
    net,
    'mean',
    plainDense(net, 'hidden0', s).map((x) => Math.max(0, x)),
  );
}

/** Q(s, a) of one critic with one normalised hidden layer. */
export function plainQ(net: Net, s: readonly number[], a: readonly number[]): number {
  const y = plainDense(net, 'hidden0', [...s, ...a]);
  const mean = y.reduce((x, v) => x + v, 0) / y.length;
  const variance = y.reduce((x, v) => x + (v - mean) ** 2, 0) / y.length;
  const [scale, shift] = [net('hidden0.scale'), net('hidden0.shift')];
  const h = y.map((v, i) => Math.max(0, ((v - mean) / Math.sqrt(variance + 1e-5)) * scale[i]! + shift[i]!));
  return plainDense(net, 'value', h)[0]!;
}

/** Central differences of `f`, which reads `x`. */
export function numericGradient(x: Float64Array, f: () => number): Float64Array {
  return x.map((value, i) => {
    x[i] = value + 1e-6;
    const above = f();
    x[i] = value - 1e-6;
    const below = f();
    x[i] = value;
    return (above - below) / 2e-6;
  });
}

/** Adam's running means of a gradient and of its square. */
export interface PlainMoments {
  readonly first: Float64Array;
  readonly second: Float64Array;
}

export function noMoments(size: number): PlainMoments {
  return { first: new Float64Array(size), second: new Float64Array(size) };
}

/** Step `count` (from 1) of AdamW as its paper writes it, with the gradient clipped before; changes `w` and the moments. */
export function plainAdam(
  w: Float64Array,
  { first: m, second: v }: PlainMoments,
  gradient: Float64Array,
  count: number,
  { rate, weightDecay = 0, clip = 0 }: { rate: number; weightDecay?: number; clip?: number },
): void {
  const factor = clip > 0 ? Math.min(1, clip / (Math.hypot(...gradient) + 1e-6)) : 1;
  for (let i = 0; i < w.length; i++) {
    m[i] = 0.9 * m[i]! + 0.1 * gradient[i]! * factor;
    v[i] = 0.999 * v[i]! + 0.001 * (gradient[i]! * factor) ** 2;
    const step = m[i]! / (1 - 0.9 ** count) / (Math.sqrt(v[i]! / (1 - 0.999 ** count)) + 1e-8);
    w[i] = w[i]! * (1 - rate * weightDecay) - rate * step;
  }
}

/** The largest difference between two vectors. */
export function worstDifference(actual: ArrayLike<number | bigint>, expected: ArrayLike<number>): number {
  let worst = 0;
  for (let i = 0; i < expected.length; i++) worst = Math.max(worst, Math.abs(Number(actual[i]) - expected[i]!));
  return worst;
}
