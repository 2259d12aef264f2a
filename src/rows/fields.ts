/**
 * A row is a plain object of numbers, words, flags and arrays. A table defines its fields once, in the order in which they
 * are sent and stored, each documented by a comment; types, memory, copies, bytes and views are derived from it. Data
 * only: pages for browsers are built with it.
 */

/** A number: a double in memory, and in rows of doubles; `type` is its byte representation. */
export interface NumberField {
  readonly kind: 'number';
  readonly type: 'f64' | 'u32' | 'u64';
  /** Value in a new row. */
  readonly start: number;
}

/** A cumulative counter: after a restart of its part, its successor continues from it. */
export interface CounterField extends NumberField {
  readonly counts: true;
}

/** One of a list of words, encoded by its index: words may be appended but never reordered. A new row has the first. */
export interface WordField<Word extends string> {
  readonly kind: 'word';
  readonly words: readonly Word[];
}

/** A boolean, encoded as 1 or 0. A new row has false. */
export interface FlagField {
  readonly kind: 'flag';
}

/** An array whose length is fixed when the row is created. */
export interface ArrayField<Numbers extends Float64Array | Float32Array> {
  readonly kind: 'array';
  /** The length, or the key of `Sizes` that gives it. */
  readonly size: number | string;
  /** Creates an array of zeros. */
  readonly make: (length: number) => Numbers;
  /** Value of each element in a new row. */
  readonly start: number;
}

export type Field = (
  | NumberField
  | WordField<string>
  | FlagField
  | ArrayField<Float64Array>
  | ArrayField<Float32Array>
) & {
  /** Member of the row that holds the field; absent: the row itself. */
  readonly inside?: string;
};

/** The fields of a row by name, in order. */
export type Table = Readonly<Record<string, Field>>;

/** Array lengths, by the names of their sizes. */
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

/** An array of doubles; `make` may create a type with a unit. */
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

/** Keys of `T` whose fields lie in the row itself (`undefined`), or in the member of the given name. */
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

/** A row of the table `T`: mutable numbers, words and flags, and fixed arrays. */
export type RowOf<T> = Members<T, undefined> & { readonly [Name in Names<T>]: Members<T, Name> };

/** A row of `T` as numbers only: words by their indices, flags as 1 or 0, arrays as doubles, and nested fields on the top level. */
export type ViewOf<T> = { [K in keyof T]: T[K] extends { readonly kind: 'array' } ? Float64Array : number };

/** Source of a view: the values of a row, or their numeric codes. */
export type SourceOf<T> = {
  readonly [K in keyof T]: T[K] extends { readonly kind: 'array' } ? ArrayLike<number> : ValueOf<T[K]> | number;
};

/** Numeric code of a scalar; a number is its own code. */
export function numberOf(field: Field, value: number | string | boolean): number {
  return field.kind === 'word' && typeof value === 'string' ? field.words.indexOf(value) : Number(value);
}
