/**
 * Byte format of a table's rows, for data that leaves the process: scalars one after another in table order, little-endian, a
 * word or a flag as one byte; then the arrays as 32-bit floats. Generated straight-line code, as in `codec.ts`.
 */
import { compiled, encoded, lengthOf, type Placed, placed, wordLists } from './codec.ts';
import type { Sizes, Table } from './fields.ts';

/** Reason for which bytes are no row: the value, and whether it is out of range for its field, or a non-finite number. */
export interface ByteProblem {
  readonly reason: 'bad-value' | 'not-finite';
  /** e.g. `reward`, `observation[3]`. */
  readonly value: string;
}

/** Byte codec for the rows of one table. */
export interface ByteCodec<Row> {
  /** Size of a row, bytes. */
  size(sizes: Sizes): number;
  /** Byte offset of a scalar, or of the first array. Throws `RangeError` for others. */
  offsetOf(name: keyof Row & string): number;
  /** Writes `row` at `offset`, `size` bytes. Throws `RangeError` if an array has another length, or a number does not fit. */
  write(view: DataView, offset: number, row: Row, sizes: Sizes): void;
  /** Reads the output of `write`. Never throws on bad bytes; `into` then holds the values before the bad one. */
  read(into: Row, view: DataView, offset: number): ByteProblem | undefined;
}

/** Width of each number type, bytes. */
const WIDTHS = { f64: 8, u64: 8, u32: 4 } as const;
const FLOAT_BYTES = 4;

/** Creates the byte codec of `table`. Throws as `codecOf` does. */
export function byteCodecOf<Row>(table: Table): ByteCodec<Row> {
  const fields = Object.entries(table).map(([key, field], i) => placed(key, field, i));
  const offsets = new Map<string, number>();
  let end = 0;
  for (const { key, field } of fields) {
    if (field.kind === 'array') continue;
    offsets.set(key, end);
    end += field.kind === 'number' ? WIDTHS[field.type] : 1;
  }
  const arrays = fields.flatMap(({ key, field }) => (field.kind === 'array' ? [{ key, field }] : []));
  if (arrays[0] !== undefined) offsets.set(arrays[0].key, end);
  const code = codeOf(fields, offsets, end);
  return {
    size: (sizes) => arrays.reduce((sum, { field }) => sum + FLOAT_BYTES * lengthOf(field, sizes), end),
    offsetOf(name) {
      const offset = offsets.get(name);
      if (offset === undefined) throw new RangeError(`no place that is fixed: ${name}`);
      return offset;
    },
    ...compiled<Pick<ByteCodec<Row>, 'write' | 'read'>>(code, {
      fields: Object.values(table),
      lengthOf,
      putU64,
      takeU64,
      putFloats,
      takeFloats,
    }),
  };
}

function codeOf(fields: readonly Placed[], offsets: ReadonlyMap<string, number>, end: number): string {
  const scalars = fields.filter(({ field }) => field.kind !== 'array');
  const arrays = fields.filter(({ field }) => field.kind === 'array');
  const at = ({ key }: Placed): string => `offset + ${offsets.get(key)!}`;
  return `'use strict';
${wordLists(scalars)}
return {
  write(view, offset, row, sizes) {
${scalars.map((each) => `    ${written(each, at(each))};`).join('\n')}
    let at = offset + ${end};
${arrays.map(({ key, it, path }) => `    at = putFloats(view, at, row${path}, lengthOf(${it}, sizes), '${key}');`).join('\n')}
  },
  read(into, view, offset) {
${scalars.map((each) => read(each, at(each))).join('\n')}
    let at = offset + ${end};
${arrays
  .map(
    ({ key, path }) => `    {
      const bad = takeFloats(into${path}, view, at);
      if (bad >= 0) return { reason: 'not-finite', value: '${key}[' + bad + ']' };
      at += ${FLOAT_BYTES} * into${path}.length;
    }`,
  )
  .join('\n')}
    return undefined;
  },
};`;
}

function written(each: Placed, at: string): string {
  const { field, path } = each;
  if (field.kind !== 'number') return `view.setUint8(${at}, ${encoded(each)})`;
  if (field.type === 'u64') return `putU64(view, ${at}, row${path})`;
  return `view.${field.type === 'u32' ? 'setUint32' : 'setFloat64'}(${at}, row${path}, true)`;
}

function read({ key, field, words, path }: Placed, at: string): string {
  if (field.kind === 'number' && field.type === 'u32') return `    into${path} = view.getUint32(${at}, true);`;
  const [value, isRight, result, reason] =
    field.kind === 'word'
      ? [`${words}[view.getUint8(${at})]`, 'value !== undefined', 'value', 'bad-value']
      : field.kind === 'flag'
        ? [`view.getUint8(${at})`, 'value <= 1', 'value === 1', 'bad-value']
        : field.kind === 'number' && field.type === 'u64'
          ? [`takeU64(view, ${at})`, 'value !== undefined', 'value', 'bad-value']
          : [`view.getFloat64(${at}, true)`, 'Number.isFinite(value)', 'value', 'not-finite'];
  return `    {
      const value = ${value};
      if (!(${isRight})) return { reason: '${reason}', value: '${key}' };
      into${path} = ${result};
    }`;
}

/** Writes an integer below 2^53 as a little-endian u64. Throws `RangeError` otherwise. */
export function putU64(view: DataView, offset: number, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not an unsigned safe integer`);
  view.setUint32(offset, value >>> 0, true);
  view.setUint32(offset + 4, Math.floor(value / 2 ** 32), true);
}

/** Reads a little-endian u64; `undefined` at 2^53 and above. */
export function takeU64(view: DataView, offset: number): number | undefined {
  const high = view.getUint32(offset + 4, true);
  return high >= 2 ** 21 ? undefined : high * 2 ** 32 + view.getUint32(offset, true);
}

function putFloats(view: DataView, at: number, values: Float32Array, length: number, key: string): number {
  if (values.length !== length) throw new RangeError(`${key} has ${values.length} numbers, the schema says ${length}`);
  for (let i = 0; i < length; i++) view.setFloat32(at + FLOAT_BYTES * i, values[i]!, true);
  return at + FLOAT_BYTES * length;
}

/** Index of the first non-finite number; −1 if all are finite. */
function takeFloats(into: Float32Array, view: DataView, at: number): number {
  for (let i = 0; i < into.length; i++) {
    const value = view.getFloat32(at + FLOAT_BYTES * i, true);
    if (!Number.isFinite(value)) return i;
    into[i] = value;
  }
  return -1;
}
