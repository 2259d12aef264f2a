import { describe, expect, it, vi } from 'vitest';
import { byteCodecOf } from './bytes.ts';
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

describe('rows as bytes', () => {
  const table = {
    id: whole('u64'),
    count: whole(),
    reward: number(),
    mode: word(['idle', 'busy']),
    isDone: flag(),
    seen: floats('size'),
  };
  interface Step extends RowOf<typeof table> {}
  const bytes = byteCodecOf<Step>(table);
  const rows = codecOf<Step>(table);

  function step(): Step {
    const row = rows.create({ size: 2 });
    Object.assign(row, { id: 2 ** 40 + 1, count: 7, reward: -0.5, mode: 'busy', isDone: true });
    row.seen.set([1, 2]);
    return row;
  }

  function written(): DataView {
    const view = new DataView(new ArrayBuffer(1 + bytes.size({ size: 2 })));
    bytes.write(view, 1, step(), { size: 2 });
    return view;
  }

  it('are scalars in their order and then 32-bit floats, and are read back', () => {
    const view = written();
    expect(Buffer.from(view.buffer).toString('hex')).toBe(
      '000100000000010000' + '07000000000000000000e0bf' + '0101' + '0000803f00000040',
    );
    const read = rows.create({ size: 2 });
    expect(bytes.read(read, view, 1)).toBeUndefined();
    expect(read).toEqual(step());
    expect([bytes.offsetOf('reward'), bytes.offsetOf('seen')]).toEqual([12, 22]);
  });

  it.each([
    ['id', 7, 0x20, 'bad-value'],
    ['reward', 19, 0x7f, 'not-finite'],
    ['mode', 20, 2, 'bad-value'],
    ['isDone', 21, 2, 'bad-value'],
    ['seen[1]', 29, 0x7f, 'not-finite'],
  ])('say what is wrong with %s', (value, at, byte, reason) => {
    const view = written();
    view.setUint8(1 + at, byte);
    if (reason === 'not-finite') view.setUint8(at, 0xf0);
    expect(bytes.read(rows.create({ size: 2 }), view, 1)).toEqual({ reason, value });
  });

  it('are not written where an array has another length, or a number does not fit', () => {
    const view = new DataView(new ArrayBuffer(64));
    expect(() => bytes.write(view, 0, step(), { size: 3 })).toThrow('seen has 2 numbers, the schema says 3');
    expect(() => bytes.write(view, 0, Object.assign(step(), { id: 2 ** 53 }), { size: 2 })).toThrow(RangeError);
    expect(() => bytes.offsetOf('none' as 'id')).toThrow(RangeError);
  });
});

it('where Node makes no code from strings, that is said with the remedy', () => {
  vi.stubGlobal('Function', function refused() {
    throw new EvalError('Code generation from strings disallowed for this context');
  });
  try {
    expect(() => codecOf({ tick: number() })).toThrow('Start Node without --disallow-code-generation-from-strings');
  } finally {
    vi.unstubAllGlobals();
  }
});
