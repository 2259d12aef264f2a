import { describe, expect, it } from 'vitest';
import { codecOf } from './codec.ts';
import { counter, doubles, flag, floats, inside, number, type RowOf, whole, word } from './fields.ts';

const ARM = { angles: doubles('joints', Number.NaN), atS: number(-1) };
const { atS, angles } = inside('arm', ARM);
const TABLE = {
  count: counter(),
  atS,
  mode: word(['idle', 'busy']),
  isDone: flag(),
  angles,
  seen: floats(2),
  id: whole('u64'),
};
interface Row extends RowOf<typeof TABLE> {}
const codec = codecOf<Row>(TABLE, { arm: codecOf<RowOf<typeof ARM>>(ARM) });

function filled(): Row {
  const row = codec.create({ joints: 3 });
  Object.assign(row, { count: 7, mode: 'busy', isDone: true, id: 9 });
  row.arm.atS = 0.5;
  row.arm.angles.set([1, 2, 3]);
  row.seen.set([4, 5]);
  return row;
}

describe('rows of a table', () => {
  it('begin as their fields say', () => {
    expect(codec.create({ joints: 2 })).toEqual({
      count: 0,
      mode: 'idle',
      isDone: false,
      id: 0,
      seen: new Float32Array(2),
      arm: { angles: Float64Array.of(Number.NaN, Number.NaN), atS: -1 },
    });
    expect(() => codec.create({})).toThrow(/without the size "joints"/);
  });

  it('are doubles in the order of their table, scalars before arrays', () => {
    const row = new Float64Array(codec.size({ joints: 3 }) + 2);
    codec.pack(row, 1, filled());
    expect([...row]).toEqual([0, 7, 0.5, 1, 1, 9, 1, 2, 3, 4, 5, 0]);
    const read = codec.create({ joints: 3 });
    expect(codec.unpack(read, row, 1)).toBe(true);
    expect(read).toEqual(filled());
  });

  it('are copied whole, and share no array then', () => {
    const from = filled();
    const copy = codec.create({ joints: 3 });
    codec.copy(copy, from);
    expect(copy).toEqual(filled());
    from.arm.angles.fill(0);
    from.seen.fill(0);
    expect(copy).toEqual(filled());
    expect(() => codec.copy(codec.create({ joints: 2 }), from)).toThrow(RangeError);
  });

  it.each([2, -1, 0.5, Number.NaN])('are refused where a word has the code %s, and nothing changes', (code) => {
    const row = new Float64Array(codec.size({ joints: 3 })).fill(1);
    const into = filled();
    expect(codec.isRow(row, 0)).toBe(true);
    row[2] = code;
    expect(codec.isRow(row, 0)).toBe(false);
    expect(codec.unpack(into, row, 0)).toBe(false);
    expect(into).toEqual(filled());
  });

  it('have plain names, or no code is made of them', () => {
    expect(() => codecOf({ 'a; b': number() })).toThrow(RangeError);
    expect(() => codecOf(inside('a.b', { c: number() }))).toThrow(RangeError);
  });
});
