/**
 * Generates straight-line code for the rows of a table, once when a module is loaded: `into.tick = from.tick;`, as if written by
 * hand. Functions that iterate over a table of keys or closures are tens of times slower, and allocate a heap number for each
 * value that they move, at every tick.
 *
 * The code is generated from keys, words and initial values of tables in this source only, never from data of a file, a
 * robot or a peer; a key that is no plain name is rejected. Node's `--disallow-code-generation-from-strings` forbids it, as
 * it forbids the monitor's server and the simulator.
 */
import type { ArrayField, Field, Sizes, Table } from './fields.ts';

/** Codec for the rows of one table. All but `create` and `size` are tick-safe. */
export interface RowCodec<Row> {
  /** Creates a row with all arrays allocated. */
  create(sizes: Sizes): Row;
  /** Copies all of `from` into `into`, whose arrays must have the same lengths. */
  copy(into: Row, from: Row): void;
  /** Number of doubles in a row: its scalars in order, then its arrays. */
  size(sizes: Sizes): number;
  /** Writes `row` into `out`, `size` doubles from `offset` on. */
  pack(out: Float64Array, offset: number, row: Row): void;
  /** Reads the output of `pack`. False, with `into` unchanged, if a word's code is invalid. */
  unpack(into: Row, from: Float64Array, offset: number): boolean;
  /** True if `unpack` would accept it. */
  isRow(from: Float64Array, offset: number): boolean;
}

/** Creates the codec of `table`, for rows of doubles. `members`: codecs of nested rows. Throws as `compiled`, or for bad keys. */
export function codecOf<Row>(table: Table, members: Readonly<Record<string, RowCodec<unknown>>> = {}): RowCodec<Row> {
  const fields = Object.entries(table).map(([key, field], i) => placed(key, field, i));
  const scalars = fields.filter(({ field }) => field.kind !== 'array');
  const arrays = fields.flatMap(({ field }) => (field.kind === 'array' ? [field] : []));
  const code = codeOf(fields, scalars, Object.keys(members));
  return {
    size: (sizes) => arrays.reduce((sum, array) => sum + lengthOf(array, sizes), scalars.length),
    ...compiled<Omit<RowCodec<Row>, 'size'>>(code, { fields: Object.values(table), members, arrayOf, put, take }),
  };
}

/** Compiles the function body `code` with `parts` in scope and returns its result. Throws `Error` with the remedy if Node forbids it. */
export function compiled<T>(code: string, parts: Readonly<Record<string, unknown>>): T {
  try {
    return new Function(...Object.keys(parts), code)(...Object.values(parts)) as T;
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    throw new Error(
      'Start Node without --disallow-code-generation-from-strings: rows are code that is made of tables.',
      {
        cause: error,
      },
    );
  }
}

/** Length of an array in rows of these sizes. Throws `RangeError` if its size is not given. */
export function lengthOf({ size }: { readonly size: number | string }, sizes: Sizes): number {
  const length = typeof size === 'number' ? size : sizes[size];
  if (length === undefined) throw new RangeError(`a row without the size "${size}"`);
  return length;
}

/** A field, and its expressions in the generated code. */
export interface Placed {
  readonly key: string;
  readonly field: Field;
  /** Expression of the field itself. */
  readonly it: string;
  /** Name of the list of its words. */
  readonly words: string;
  /** Property path after the name of a row: `.tick`, `.robot.signals`. */
  readonly path: string;
}

export function placed(key: string, field: Field, i: number): Placed {
  const { inside } = field;
  for (const name of [key, inside ?? key]) {
    if (!/^[A-Za-z]\w*$/.test(name)) throw new RangeError(`no name of a field: ${name}`);
  }
  const path = inside === undefined ? `.${key}` : `.${inside}.${key}`;
  return { key, field, it: `fields[${i}]`, words: `words${i}`, path };
}

function codeOf(fields: readonly Placed[], scalars: readonly Placed[], members: readonly string[]): string {
  const arrays = fields.filter(({ field }) => field.kind === 'array');
  const own = fields.filter(({ field }) => field.inside === undefined);
  const words = scalars.flatMap((each, i) => (each.field.kind === 'word' ? [{ ...each, i }] : []));
  return `'use strict';
${wordLists(scalars)}
const isRow = (from, offset) => ${['true', ...words.map(({ words, i }) => `${words}[from[offset + ${i}]] !== undefined`)].join(' && ')};
return {
  isRow,
  create: (sizes) => ({
${own.map(({ key, field, it }) => `    ${key}: ${startOf(field, it)},`).join('\n')}
${members.map((key) => `    ${key}: members.${key}.create(sizes),`).join('\n')}
  }),
  copy(into, from) {
${scalars.map(({ path }) => `    into${path} = from${path};`).join('\n')}
${arrays.map(({ path }) => `    into${path}.set(from${path});`).join('\n')}
  },
  pack(out, offset, row) {
${scalars.map((each, i) => `    out[offset + ${i}] = ${encoded(each)};`).join('\n')}
    let at = offset + ${scalars.length};
${arrays.map(({ path }) => `    at = put(out, at, row${path});`).join('\n')}
  },
  unpack(into, from, offset) {
    if (!isRow(from, offset)) return false;
${scalars.map((each, i) => `    into${each.path} = ${decoded(each, `from[offset + ${i}]`)};`).join('\n')}
    let at = offset + ${scalars.length};
${arrays.map(({ path }) => `    at = take(into${path}, from, at);`).join('\n')}
    return true;
  },
};`;
}

/** Declares the word lists of the scalars. */
export function wordLists(scalars: readonly Placed[]): string {
  const words = scalars.filter(({ field }) => field.kind === 'word');
  return words.map(({ it, words }) => `const ${words} = ${it}.words;`).join('\n');
}

function startOf(field: Field, it: string): string {
  if (field.kind === 'array') return `arrayOf(${it}, sizes)`;
  if (field.kind === 'word') return JSON.stringify(field.words[0]);
  return field.kind === 'flag' ? 'false' : String(field.start);
}

/** Expression of the numeric code of a scalar of `row`. */
export function encoded({ field, words, path }: Placed): string {
  if (field.kind === 'word') return `${words}.indexOf(row${path})`;
  return field.kind === 'flag' ? `row${path} ? 1 : 0` : `row${path}`;
}

function decoded({ field, words }: Placed, value: string): string {
  if (field.kind === 'word') return `${words}[${value}]`;
  return field.kind === 'flag' ? `${value} === 1` : value;
}

function arrayOf(field: ArrayField<Float64Array>, sizes: Sizes): Float64Array {
  return field.make(lengthOf(field, sizes)).fill(field.start);
}

function put(out: Float64Array, at: number, values: Float64Array): number {
  for (let i = 0; i < values.length; i++) out[at + i] = values[i]!;
  return at + values.length;
}

function take(into: Float64Array, from: Float64Array, at: number): number {
  for (let i = 0; i < into.length; i++) into[i] = from[at + i]!;
  return at + into.length;
}
