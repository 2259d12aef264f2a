import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Binding, BindingType } from './binding.ts';
import { Shapes } from './shape.ts';

type Field = NonNullable<BindingType['ROSMessageDef']>['fields'][number];

const single = (name: string, type: string, pkgName: string | null = null): Field => ({
  name,
  type: {
    isArray: false,
    arraySize: null,
    isFixedSizeArray: false,
    isUpperBound: false,
    pkgName,
    type,
    isPrimitiveType: pkgName === null,
  },
});
const many = (name: string, type: string, arraySize: number | null = null, isUpperBound = false): Field => ({
  name,
  type: { ...single(name, type).type, isArray: true, arraySize, isUpperBound },
});

const POINT: BindingType = { ROSMessageDef: { fields: [single('x', 'float64'), single('ok', 'bool')] } };
const binding = { require: () => POINT } as unknown as Binding;
const TYPE: BindingType = {
  ROSMessageDef: {
    fields: [
      single('text', 'string'),
      single('small', 'uint8'),
      single('large', 'int64'),
      single('point', 'Point', 'geometry_msgs'),
      many('numbers', 'float64'),
      many('three', 'int32', 3),
      many('few', 'string', 2, true),
    ],
  },
};
const fit = (value: unknown): object => new Shapes(binding).fit(TYPE, value, 'it');

describe('what goes to the addon', () => {
  it('is new, exact and complete only where it was given', () => {
    const backing = new Float64Array([9, 9, 1, 2, 3]);
    const given = {
      numbers: backing.subarray(2),
      three: [1, 2, 3],
      large: 7,
      small: 255,
      point: { x: 1.5 },
      few: ['a'],
    };
    expect(fit(given)).toEqual({ ...given, numbers: [1, 2, 3], large: 7n });
    expect(fit({ numbers: new Float32Array([0.5]) })).toEqual({ numbers: [0.5] });
    expect(fit({})).toEqual({});
  });

  it.each([
    [{ numbers: ['one'] }, 'it.numbers[0] is "one", it must be a number'],
    [{ numbers: 'one' }, 'it.numbers is "one", it must be a list'],
    [{ numbers: null }, 'it.numbers is null, it must be a list'],
    [{ numbers: new DataView(new ArrayBuffer(8)) }, 'it.numbers is a view of bytes, it must be a list'],
    [{ three: [1, 2] }, 'it.three is "a list of 2", it must be 3 values'],
    [{ few: ['a', 'b', 'c'] }, 'it.few is "a list of 3", it must be at most 2 values'],
    [{ small: 256 }, 'it.small is 256, it must be a whole number of 8 bits ≥ 0'],
    [{ small: -1 }, 'it.small is -1, it must be a whole number of 8 bits ≥ 0'],
    [{ small: 1.5 }, 'it.small is 1.5, it must be a whole number of 8 bits ≥ 0'],
    [{ large: 2n ** 63n }, 'it.large is 9223372036854775808, it must be a whole number of 64 bits'],
    [{ text: 3 }, 'it.text is 3, it must be a text'],
    [{ text: 'a\0b' }, 'it.text holds a zero'],
    [{ point: 3 }, 'it.point is 3, it must be a group of fields'],
    [{ point: { y: 1 } }, 'it.point has no field "y"'],
    [{ point: { ok: 1 } }, 'it.point.ok is 1, it must be true or false'],
    [[], 'it is a list, it must be a group of fields'],
    [undefined, 'it is undefined, it must be a group of fields'],
  ])('is refused where it does not fit: %o', (value, message) => {
    expect(() => fit(value)).toThrow(
      expect.objectContaining({ kind: 'message', message: expect.stringContaining(message) }),
    );
  });

  it('is either refused in one sentence or of exactly the type', () => {
    const value = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.boolean(), fc.constant(null), fc.bigInt());
    const anything = fc.record(
      {
        text: value,
        small: value,
        large: value,
        numbers: fc.oneof(value, fc.array(value), fc.float64Array()),
        three: fc.oneof(value, fc.array(value)),
        point: fc.oneof(value, fc.record({ x: value, ok: value }, { requiredKeys: [] })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anything, (given) => {
        let out: Record<string, unknown>;
        try {
          out = fit(given) as Record<string, unknown>;
        } catch (error) {
          expect(error).toMatchObject({ name: 'ReinError', kind: 'message' });
          return;
        }
        const isNumber = (item: unknown): boolean => typeof item === 'number';
        expect(out['text'] === undefined || typeof out['text'] === 'string').toBe(true);
        expect(out['large'] === undefined || typeof out['large'] === 'bigint').toBe(true);
        expect(out['numbers'] === undefined || (out['numbers'] as unknown[]).every(isNumber)).toBe(true);
        expect(out['three'] === undefined || (out['three'] as unknown[]).length === 3).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
