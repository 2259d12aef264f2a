import { describe, expect, it } from 'vitest';
import { add, exp, mul } from '../ops/elements.ts';
import { concat, gatherRows, reduceSum, reshape, rowAt, slice } from '../ops/shape.ts';
import { gradients } from './autodiff.ts';
import { Graph } from './graph.ts';
import { linear, matmul } from './linear.ts';
import { ParameterLayout, pack, unpack } from './parameters.ts';
import { Bindings, Session } from './session.ts';

async function run(g: Graph, inputs: Record<string, [Float32Array | BigInt64Array, number[]]>) {
  const bindings = new Bindings();
  for (const [name, [data, shape]] of Object.entries(inputs)) bindings.set(name, data, shape);
  const session = await Session.create(g.serialize());
  const results = await session.evaluate(bindings);
  await session.close();
  return Object.fromEntries(
    Object.entries(results).map(([name, { data }]) => [name, Array.from(data as Float32Array)]),
  );
}

describe('Graph', () => {
  it('names the layer and the shapes where sizes do not match', () => {
    const g = new Graph('update');
    const build = () =>
      g.layer('critics', () =>
        g.layer('hidden0', () => linear(g.input('x', [128, 88]), g.input('w', [2, 90, 64]), g.input('b', [2, 1, 64]))),
      );
    expect(build).toThrow(
      'update: critics.hidden0: matmul of [128,88] and [2,90,64]: the inner sizes 88 and 90 differ',
    );
  });

  it('says what is wrong with other shapes', () => {
    const g = new Graph('g');
    const [a, b] = [g.input('a', [2, 3]), g.input('b', [3, 2])];
    expect(() => add(a, b)).toThrow('add of [2,3] and [3,2]');
    expect(() => concat([a, b], 0)).toThrow('concat of [2,3] and [3,2]');
    expect(() => reshape(a, [7])).toThrow('[2,3] cannot be reshaped to [7]');
    expect(() => slice(a, 1, 2, 4)).toThrow('no part [2, 4)');
    expect(() => reduceSum(a, [2])).toThrow('no axis 2');
    expect(() => matmul(g.input('s', []), a)).toThrow('not matrices');
    expect(() => gradients(a, [b])).toThrow('one element');
    expect(() => gradients(reduceSum(a), [b])).toThrow('does not depend');
    expect(() => g.input('a', [1])).toThrow('two inputs');
    const wrong = g.withGradient(mul(a, 2), [a], [(d) => slice(d, 0, 0, 1)]);
    expect(() => gradients(reduceSum(wrong), [a])).toThrow('custom gives its input 0, [2,3], a gradient of [1,3]');
    expect(() => gradients(reduceSum(gatherRows(a, g.integers([0]))), [a])).toThrow('Gather has no gradient');
  });

  it('loops as often as the trip count says, carries values and stacks results', async () => {
    const g = new Graph('loop');
    const rows = g.input('rows', [-1, 2]);
    const start = g.input('start', [2]);
    const { carried, stacked } = g.loop(g.input('count', [], 'int64'), [start], (_, i, [sum]) => {
      const next = add(sum!, rowAt(rows, i));
      return { carried: [next], stacked: [reduceSum(next)] };
    });
    g.output('sum', carried[0]!);
    g.output('totals', stacked[0]!);
    const result = await run(g, {
      rows: [Float32Array.of(1, 2, 3, 4, 5, 6), [3, 2]],
      start: [Float32Array.of(10, 20), [2]],
      count: [BigInt64Array.of(3n), []],
    });
    expect(result).toEqual({ sum: [19, 32], totals: [33, 40, 51] });
  });

  it('differentiates inside a loop body: three steps of gradient descent', async () => {
    const g = new Graph('descent');
    const { carried } = g.loop(g.input('count', [], 'int64'), [g.input('w', [1])], (_, __, [w]) => {
      const [gradient] = gradients(reduceSum(mul(w!, w!)), [w!]);
      return { carried: [add(w!, mul(gradient!, -0.25))], stacked: [] };
    });
    g.output('w_next', carried[0]!);
    expect(await run(g, { w: [Float32Array.of(8), [1]], count: [BigInt64Array.of(3n), []] })).toEqual({ w_next: [1] });
  });

  it('leaves out nodes that no output needs', () => {
    const used = new Graph('g');
    const x = used.input('x', [1000]);
    used.output('y', add(x, 1));
    const before = used.serialize().length;
    exp(mul(x, x.graph.constant(new Float32Array(1000), [1000])));
    expect(used.serialize().length).toBe(before);
  });

  it('unpacks and packs the parameters of an ensemble member by member', async () => {
    const g = new Graph('parameters');
    const layout = new ParameterLayout([
      { name: 'w', shape: [2, 2] },
      { name: 'b', shape: [1, 2] },
    ]);
    const flat = g.input('flat', [2, 6]);
    const { w, b } = unpack(flat, layout);
    g.output('w', w!);
    g.output('again', pack([w!, b!], layout));
    const values = Float32Array.from({ length: 12 }, (_, i) => i);
    const result = await run(g, { flat: [values, [2, 6]] });
    expect(w!.shape).toEqual([2, 2, 2]);
    expect(result['w']).toEqual([0, 1, 2, 3, 6, 7, 8, 9]);
    expect(result['again']).toEqual(Array.from(values));
  });

  it('gives models that carry their metadata', async () => {
    const g = new Graph('m');
    g.output('y', add(g.input('x', [1]), 1));
    expect(Buffer.from(g.serialize({ robot: 'arm6' })).includes('arm6')).toBe(true);
  });
});
