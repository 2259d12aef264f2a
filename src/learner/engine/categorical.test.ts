import { describe, expect, it } from 'vitest';
import { Rng } from '../../core/index.ts';
import { add, mul } from '../ops/arithmetic.ts';
import { categorical, sampleCategorical } from './categorical.ts';
import { gradientError } from './gradient-check.ts';
import { Graph, type Tensor } from './graph.ts';
import { Bindings, Session } from './session.ts';

async function evaluate(g: Graph, inputs: Record<string, [Float32Array, number[]]> = {}) {
  const bindings = new Bindings();
  for (const [name, [data, shape]] of Object.entries(inputs)) bindings.set(name, data, shape);
  const session = await Session.create(g.serialize());
  const results = await session.evaluate(bindings);
  await session.close();
  return (name: string) => Array.from(results[name]!.data as Float32Array);
}

describe('a categorical distribution', () => {
  const parts: readonly [string, (logits: Tensor) => Tensor][] = [
    ['log-probabilities', (x) => categorical(x).logProbability],
    ['probabilities', (x) => categorical(x).probability],
    ['entropy', (x) => categorical(x).entropy],
    ['all three', (x) => add(mul(categorical(x).probability, x), categorical(x).entropy)],
  ];
  it.each(parts)('gradients of its %s against central differences, with an ensemble axis', async (_, build) => {
    expect(await gradientError([{ shape: [2, 3, 4] }], new Rng(2), ([x]) => build(x!))).toBeLessThan(1e-6);
  });

  it('has the numbers of a distribution that is known', async () => {
    const g = new Graph('known');
    const { logProbability, probability, entropy, mode } = categorical(
      g.constant([Math.log(1), Math.log(2), Math.log(5), 1000, 1000, -1000], [2, 3]),
    );
    for (const [name, tensor] of Object.entries({ logProbability, probability, entropy, mode })) g.output(name, tensor);
    const value = await evaluate(g);
    const p = [0.125, 0.25, 0.625, 0.5, 0.5, 0];
    value('probability').forEach((v, i) => {
      expect(v).toBeCloseTo(p[i]!, 6);
    });
    expect(value('logProbability')[2]).toBeCloseTo(Math.log(0.625), 6);
    expect(value('entropy')[0]).toBeCloseTo(0.900256, 5);
    expect(value('entropy')[1]).toBeCloseTo(Math.LN2, 5);
    expect(value('mode')).toEqual([0, 0, 1, 1, 0, 0]);
  });

  it('is drawn from as often as its probabilities say', async () => {
    const rows = 20_000;
    const g = new Graph('draws');
    const logits = g.constant([Math.log(1), Math.log(2), Math.log(5)], [1, 3]);
    g.output('draws', sampleCategorical(logits, g.input('uniform', [rows, 3])));
    const rng = new Rng(3);
    const uniform = Float32Array.from({ length: rows * 3 }, () => rng.uniform());
    const draws = (await evaluate(g, { uniform: [uniform, [rows, 3]] }))('draws');
    const share = [0, 1, 2].map((c) => draws.filter((value, i) => i % 3 === c && value === 1).length / rows);
    // Five standard errors of the likeliest class.
    [0.125, 0.25, 0.625].forEach((p, c) => {
      expect(Math.abs(share[c]! - p)).toBeLessThan(0.0175);
    });
    expect(draws.reduce((sum, v) => sum + v, 0)).toBe(rows);
  });
});
