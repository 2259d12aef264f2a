/**
 * A row is a plain object of numbers, words, flags and arrays. A table says once what its fields are, in the order in which they
 * are sent and stored, each with its sentence as a comment; types, memory, copies, bytes and views all follow from it. Data
 * alone: pages for browsers are built with it.
 */

/** A number: a double in memory, and in rows of doubles; `type` is what it is as bytes. */
export interface NumberField {
  readonly kind: 'number';
  readonly type: 'f64' | 'u32' | 'u64';
  /** What a new row has. */
  readonly start: number;
}

/** A number that counts up while its part runs: what comes after that part goes on from it. */
export interface CounterField extends NumberField {
  readonly counts: true;
}

/** One of some words; its place among them is its code, so that words may be appended and never moved. A new row has the first. */
export interface WordField<Word extends string> {
  readonly kind: 'word';
  readonly words: readonly Word[];
}

/** True or false: 1 or 0. A new row has false. */
export interface FlagField {
  readonly kind: 'flag';
}

/** An array whose length is fixed when the row is made. */
export interface ArrayField<Numbers extends Float64Array | Float32Array> {
  readonly kind: 'array';
  /** The length, or the name by which it is given. */
  readonly size: number | string;
  /** Makes one of zeros. */
  readonly make: (length: number) => Numbers;
  /** What a new row has in each place. */
  readonly start: number;
}

export type Field = (
  | NumberField
  | WordField<string>
  | FlagField
  | ArrayField<Float64Array>
  | ArrayField<Float32Array>
) & {
  /** The member of the row that holds it; absent: the row itself. */
  readonly inside?: string;
};

/** The fields of a row by their names, in their order. */
export type Table = Readonly<Record<string, Field>>;

/** How long arrays are, by the names of their sizes. */
export type Sizes = Readonly<Record<string, number>>;

export function number(start = 0, type: NumberField['type'] = 'f64'): NumberField {
  return { kind: 'number', type, start };
}

/** A number of this type, 0 in a new row. */
export function whole(type: 'u32' | 'u64' = 'u32'): NumberField {
  return number(0, type);
}

export function counter(): CounterField {
  return { ...number(), counts: true };
}

export function word<const Word extends string>(words: readonly Word[]): WordField<Word> {
  return { kind: 'word', words };
}

export function flag(): FlagField {
  return { kind: 'flag' };
}

/** An array of doubles; `make` gives those with a unit in their type. */
export function doubles<Numbers extends Float64Array = Float64Array>(
  size: number | string,
  start = 0,
  make: (length: number) => Numbers = (length) => new Float64Array(length) as Numbers,
): ArrayField<Numbers> {
  return { kind: 'array', size, make, start };
}

/** An array of 32-bit floats. */
export function floats(size: number | string): ArrayField<Float32Array> {
  return { kind: 'array', size, make: (length) => new Float32Array(length), start: 0 };
}

/** The fields of `table` as members of the object `name` of another row. */
export function inside<const Name extends string, T extends Table>(
  name: Name,
  table: T,
): { readonly [K in keyof T]: T[K] & { readonly inside: Name } } {
  const entries = Object.entries(table).map(([key, field]) => [key, { ...field, inside: name }]);
  return Object.fromEntries(entries) as ReturnType<typeof inside<Name, T>>;
}

type ValueOf<F> =
  F extends ArrayField<infer Numbers>
    ? Numbers
    : F extends WordField<infer Word>
      ? Word
      : F extends FlagField
        ? boolean
        : number;

/** The keys of `T` whose fields lie in the row itself, or, by its name, in one of its members. */
type KeysOf<T, Inside, Kind> = {
  [K in keyof T]: T[K] extends Kind
    ? (T[K] extends { inside: infer Name } ? Name : undefined) extends Inside
      ? K
      : never
    : never;
}[keyof T];
type Names<T> = { [K in keyof T]: T[K] extends { inside: infer Name extends string } ? Name : never }[keyof T];
type ArrayKind = { readonly kind: 'array' };
type ScalarKind = { readonly kind: 'number' | 'word' | 'flag' };

type Members<T, Inside> = {
  -readonly [K in keyof T as K extends KeysOf<T, Inside, ScalarKind> ? K : never]: ValueOf<T[K]>;
} & {
  readonly [K in keyof T as K extends KeysOf<T, Inside, ArrayKind> ? K : never]: ValueOf<T[K]>;
};

/** A row of the table `T`: numbers, words and flags that change in place, and arrays that stay. */
export type RowOf<T> = Members<T, undefined> & { readonly [Name in Names<T>]: Members<T, Name> };

/** A row of `T` as numbers alone: words by their places, flags as 1 or 0, arrays as doubles, and what lies inside beside all else. */
export type ViewOf<T> = { [K in keyof T]: T[K] extends { readonly kind: 'array' } ? Float64Array : number };

/** What a view can be made of: the values of a row, or numbers that stand for them. */
export type SourceOf<T> = {
  readonly [K in keyof T]: T[K] extends { readonly kind: 'array' } ? ArrayLike<number> : ValueOf<T[K]> | number;
};

/** The number that stands for the value of a scalar; a number stands for itself. */
export function numberOf(field: Field, value: number | string | boolean): number {
  return field.kind === 'word' && typeof value === 'string' ? field.words.indexOf(value) : Number(value);
}
