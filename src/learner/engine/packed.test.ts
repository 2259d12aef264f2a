import { describe, expect, it } from 'vitest';
import { Graph } from './graph.ts';
import { Packed } from './packed.ts';
import { ParameterLayout } from './parameters.ts';
import { Bindings, Session } from './session.ts';

const layout = new ParameterLayout([
  { name: 'first', shape: [1, 2] },
  { name: 'second', shape: [2, 2] },
  { name: 'large', shape: [512, 256] },
  { name: 'last', shape: [1, 3] },
  { name: 'very last', shape: [1, 1] },
]);

describe('Packed', () => {
  it('takes large tensors out, and puts the vector together again as it was', async () => {
    const g = new Graph('packed');
    const split = Packed.flat(g.input('flat', [2, layout.size]), layout).split();
    expect(split.tensors.map(({ shape }) => shape)).toEqual([
      [2, 512, 256],
      [2, 10],
    ]);
    expect(split.split()).toBe(split);
    expect(split.unpack()['last']!.shape).toEqual([2, 1, 3]);
    g.output('again', split.joined());
    g.output('like', split.like(split.unpack()).joined());

    const values = Float32Array.from({ length: 2 * layout.size }, (_, i) => i);
    const bindings = new Bindings();
    bindings.set('flat', values, [2, layout.size]);
    const session = await Session.create(g.serialize());
    const { again, like } = await session.evaluate(bindings);
    await session.close();
    expect(again!.data).toEqual(values);
    expect(like!.data).toEqual(values);
  });

  it('leaves small networks and numbers in one tensor', () => {
    const g = new Graph('small');
    const small = new ParameterLayout([{ name: 'w', shape: [3, 2] }]);
    for (const packed of [Packed.flat(g.input('w', [4, 6]), small), Packed.flat(g.input('n', [5]))]) {
      expect(packed.split()).toBe(packed);
      expect(packed.joined()).toBe(packed.tensors[0]);
    }
  });
});
