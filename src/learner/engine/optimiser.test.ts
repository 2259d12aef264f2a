import { describe, expect, it } from 'vitest';
import { concat, reshape } from '../ops/shape.ts';
import { Graph } from './graph.ts';
import { adam, adamStep, clipNorm, polyak } from './optimiser.ts';
import { Bindings, Session } from './session.ts';

/** Adam as written in its paper. */
function reference(w: number[], gradients: number[][], rate: number, decay: number): number[] {
  const [m, v] = [w.map(() => 0), w.map(() => 0)];
  let x = w;
  gradients.forEach((g, t) => {
    x = x.map((value, i) => {
      m[i] = 0.9 * m[i]! + 0.1 * g[i]!;
      v[i] = 0.999 * v[i]! + 0.001 * g[i]! ** 2;
      const [mHat, vHat] = [m[i]! / (1 - 0.9 ** (t + 1)), v[i]! / (1 - 0.999 ** (t + 1))];
      return value * (1 - rate * decay) - (rate * mHat) / (Math.sqrt(vHat) + 1e-8);
    });
  });
  return x;
}

async function evaluate(g: Graph, inputs: Record<string, [number[], number[]]>) {
  const bindings = new Bindings();
  for (const [name, [values, shape]] of Object.entries(inputs)) bindings.set(name, Float64Array.from(values), shape);
  const session = await Session.create(g.serialize());
  const results = await session.evaluate(bindings);
  await session.close();
  return Object.fromEntries(
    Object.entries(results).map(([name, { data }]) => [name, Array.from(data as Float64Array)]),
  );
}

describe('adam', () => {
  it.each([0, 0.1])('follows the published equations over many steps, weight decay %f', async (decay) => {
    const g = new Graph('adam', 'float64');
    const input = (name: string, shape: number[]) => g.input(name, shape);
    const state = { parameters: input('w', [3]), first: input('m', [3]), second: input('v', [3]) };
    const next = adam(state, input('g', [3]), input('step', []), input('epsilon', []), 1 - 0.01 * decay);
    g.output('w_next', next.parameters);
    g.output('m_next', next.first);
    g.output('v_next', next.second);
    const gradients = Array.from({ length: 7 }, (_, t) => [Math.sin(t), 1e-6 * t, 100 - t]);
    let [w, m, v] = [
      [1, -2, 3],
      [0, 0, 0],
      [0, 0, 0],
    ];
    for (const [t, gradient] of gradients.entries()) {
      const { step, epsilon } = adamStep(t + 1, 0.01);
      const all: Record<string, [number[], number[]]> = { w: [w, [3]], m: [m, [3]], v: [v, [3]], g: [gradient, [3]] };
      const result = await evaluate(g, { ...all, step: [[step], []], epsilon: [[epsilon], []] });
      [w, m, v] = [result['w_next']!, result['m_next']!, result['v_next']!];
    }
    reference([1, -2, 3], gradients, 0.01, decay).forEach((x, i) => {
      expect(w[i]).toBeCloseTo(x, 12);
    });
  });

  it('shortens only gradients that are longer than the limit', async () => {
    const g = new Graph('clip', 'float64');
    const { clipped, squaredNorm } = clipNorm([g.input('g', [1]), g.input('h', [2, 1, 2])], 1);
    g.output('clipped', concat([clipped[0]!, reshape(clipped[1]!, [4])], 0));
    g.output('squared', squaredNorm);
    const long = await evaluate(g, {
      g: [[3], [1]],
      h: [
        [0, 4, 0, -12],
        [2, 1, 2],
      ],
    });
    expect(Math.hypot(...long['clipped']!)).toBeCloseTo(1, 6);
    expect(long['squared']).toEqual([169]);
    const short = await evaluate(g, {
      g: [[0.3], [1]],
      h: [
        [0.4, 0, 0, 0.1],
        [2, 1, 2],
      ],
    });
    expect(short['clipped']).toEqual([0.3, 0.4, 0, 0, 0.1]);
  });
});

describe('polyak', () => {
  it('moves the target by the given share of the way', async () => {
    const g = new Graph('polyak', 'float64');
    g.output('next', polyak(g.input('target', [1]), g.input('online', [1]), 0.25));
    expect((await evaluate(g, { target: [[4], [1]], online: [[8], [1]] }))['next']).toEqual([5]);
  });
});
