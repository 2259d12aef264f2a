/** Number types: one row each, with all that differs between them. Loops are spelled out so that none boxes. */
import type { NumberKind } from './message-type.ts';

export type NumberArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** `V`: number or bigint. `A`: typed array of this kind. */
export interface NumberRow<V = number | bigint, A = NumberArray> {
  readonly size: 1 | 2 | 4 | 8;
  readonly zero: V;
  /** Used in errors, after "needs". */
  readonly words: string;
  /** True if `value` can be represented exactly. */
  fits(value: unknown): boolean;
  create(length: number): A;
  /** True for a typed array of exactly this kind. */
  owns(value: unknown): value is A;
  set(view: DataView, at: number, value: V): void;
  get(view: DataView, at: number, isLittleEndian: boolean): V;
  /** Writes all of `from`. */
  put(view: DataView, at: number, from: A): void;
  /** Fills all of `to`. */
  take(view: DataView, at: number, to: A, isLittleEndian: boolean): void;
}

const float64: NumberRow<number, Float64Array> = {
  size: 8,
  zero: 0,
  words: 'a number',
  fits: (value) => typeof value === 'number',
  create: (length) => new Float64Array(length),
  owns: (value) => value instanceof Float64Array,
  set: (view, at, value) => view.setFloat64(at, value, true),
  get: (view, at, little) => view.getFloat64(at, little),
  put: (view, at, from) => {
    for (let i = 0; i < from.length; i++) view.setFloat64(at + 8 * i, from[i]!, true);
  },
  take: (view, at, to, little) => {
    for (let i = 0; i < to.length; i++) to[i] = view.getFloat64(at + 8 * i, little);
  },
};

const float32: NumberRow<number, Float32Array> = {
  size: 4,
  zero: 0,
  words: 'a number within the range of float32',
  fits: (value) => typeof value === 'number' && (Number.isFinite(Math.fround(value)) || !Number.isFinite(value)),
  create: (length) => new Float32Array(length),
  owns: (value) => value instanceof Float32Array,
  set: (view, at, value) => view.setFloat32(at, value, true),
  get: (view, at, little) => view.getFloat32(at, little),
  put: (view, at, from) => {
    for (let i = 0; i < from.length; i++) view.setFloat32(at + 4 * i, from[i]!, true);
  },
  take: (view, at, to, little) => {
    for (let i = 0; i < to.length; i++) to[i] = view.getFloat32(at + 4 * i, little);
  },
};

const int8: NumberRow<number, Int8Array> = {
  size: 1,
  zero: 0,
  words: 'a whole number from -128 to 127',
  fits: (value) => isWhole(value, -128, 127),
  create: (length) => new Int8Array(length),
  owns: (value) => value instanceof Int8Array,
  set: (view, at, value) => view.setInt8(at, value),
  get: (view, at) => view.getInt8(at),
  put: (view, at, from) => {
    for (let i = 0; i < from.length; i++) view.setInt8(at + i, from[i]!);
  },
  take: (view, at, to) => {
    for (let i = 0; i < to.length; i++) to[i] = view.getInt8(at + i);
  },
};

const uint8: NumberRow<number, Uint8Array> = {
  size: 1,
  zero: 0,
  words: 'a whole number from 0 to 255',
  fits: (value) => isWhole(value, 0, 255),
  create: (length) => new Uint8Array(length),
  owns: (value) => value instanceof Uint8Array,
  set: (view, at, value) => view.setUint8(at, value),
  get: (view, at) => view.getUint8(at),
  put: (view, at, from) => {
    for (let i = 0; i < from.length; i++) view.setUint8(at + i, from[i]!);
  },
  take: (view, at, to) => {
    for (let i = 0; i < to.length; i++) to[i] = view.getUint8(at + i);
  },
};

const int16: NumberRow<number, Int16Array> = {
  size: 2,
  zero: 0,
  words: 'a whole number from -32768 to 32767',
  fits: (value) => isWhole(value, -32_768, 32_767),
  create: (length) => new Int16Array(length),
  owns: (value) => value instanceof Int16Array,
  set: (view, at, value) => view.setInt16(at, value, true),
  get: (view, at, little) => view.getInt16(at, little),
  put: (view, at, from) => {
    for (let i = 0; i < from.length; i++) view.setInt16(at + 2 * i, from[i]!, true);
  },
  take: (view, at, to, little) => {
    for (let i = 0; i < to.length; i++) to[i] = view.getInt16(at + 2 * i, little);
  },
};

const uint16: NumberRow<number, Uint16Array> = {
  size: 2,
  zero: 0,
  words: 'a whole number from 0 to 65535',
  fits: (value) => isWhole(value, 0, 65_535),
  create: (length) => new Uint16Array(length),
  owns: (value) => value instanceof Uint16Array,
  set: (view, at, value) => view.setUint16(at, value, true),
  get: (view, at, little) => view.getUint16(at, little),
  put: (view, at, from) => {
    for (let i = 0; i < from.length; i++) view.setUint16(at + 2 * i, from[i]!, true);
  },
  take: (view, at, to, little) => {
    for (let i = 0; i < to.length; i++) to[i] = view.getUint16(at + 2 * i, little);
  },
};

const int32: NumberRow<number, Int32Array> = {
  size: 4,
  zero: 0,
  words: 'a whole number of 32 bits',
  fits: (value) => isWhole(value, -0x8000_0000, 0x7fff_ffff),
  create: (length) => new Int32Array(length),
  owns: (value) => value instanceof Int32Array,
  set: (view, at, value) => view.setInt32(at, value, true),
  get: (view, at, little) => view.getInt32(at, little),
  put: (view, at, from) => {
    for (let i = 0; i < from.length; i++) view.setInt32(at + 4 * i, from[i]!, true);
  },
  take: (view, at, to, little) => {
    for (let i = 0; i < to.length; i++) to[i] = view.getInt32(at + 4 * i, little);
  },
};

const uint32: NumberRow<number, Uint32Array> = {
  size: 4,
  zero: 0,
  words: 'a whole number of 32 bits, not negative',
  fits: (value) => isWhole(value, 0, 0xffff_ffff),
  create: (length) => new Uint32Array(length),
  owns: (value) => value instanceof Uint32Array,
  set: (view, at, value) => view.setUint32(at, value, true),
  get: (view, at, little) => view.getUint32(at, little),
  put: (view, at, from) => {
    for (let i = 0; i < from.length; i++) view.setUint32(at + 4 * i, from[i]!, true);
  },
  take: (view, at, to, little) => {
    for (let i = 0; i < to.length; i++) to[i] = view.getUint32(at + 4 * i, little);
  },
};

const int64: NumberRow<bigint, BigInt64Array> = {
  size: 8,
  zero: 0n,
  words: 'a bigint of 64 bits',
  fits: (value) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value,
  create: (length) => new BigInt64Array(length),
  owns: (value) => value instanceof BigInt64Array,
  set: (view, at, value) => view.setBigInt64(at, value, true),
  get: (view, at, little) => view.getBigInt64(at, little),
  put: (view, at, from) => {
    for (let i = 0; i < from.length; i++) view.setBigInt64(at + 8 * i, from[i]!, true);
  },
  take: (view, at, to, little) => {
    for (let i = 0; i < to.length; i++) to[i] = view.getBigInt64(at + 8 * i, little);
  },
};

const uint64: NumberRow<bigint, BigUint64Array> = {
  size: 8,
  zero: 0n,
  words: 'a bigint of 64 bits, not negative',
  fits: (value) => typeof value === 'bigint' && BigInt.asUintN(64, value) === value,
  create: (length) => new BigUint64Array(length),
  owns: (value) => value instanceof BigUint64Array,
  set: (view, at, value) => view.setBigUint64(at, value, true),
  get: (view, at, little) => view.getBigUint64(at, little),
  put: (view, at, from) => {
    for (let i = 0; i < from.length; i++) view.setBigUint64(at + 8 * i, from[i]!, true);
  },
  take: (view, at, to, little) => {
    for (let i = 0; i < to.length; i++) to[i] = view.getBigUint64(at + 8 * i, little);
  },
};

function isWhole(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

/**
 * All number types. The codec handles `number
 * bigint` and any typed array; `fits` and `owns` restrict each row to its own.
 */
export const NUMBERS: Readonly<Record<NumberKind, NumberRow>> = {
  int8: int8 as NumberRow,
  uint8: uint8 as NumberRow,
  int16: int16 as NumberRow,
  uint16: uint16 as NumberRow,
  int32: int32 as NumberRow,
  uint32: uint32 as NumberRow,
  int64: int64 as NumberRow,
  uint64: uint64 as NumberRow,
  float32: float32 as NumberRow,
  float64: float64 as NumberRow,
};
