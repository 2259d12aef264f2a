/**
 * Messages for tests, made from the tables: any message of a type, a second encoder that shares nothing with the real one
 * and writes both byte orders, and equality that tells -0 from 0 and takes NaN for NaN.
 */
import fc from 'fast-check';
import type { MessageField, MessageType } from '../../src/ros/messages/message-type.ts';

export type Plain = Record<string, unknown>;

const TYPED_ARRAYS = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

/** Any message of the type, with every corner that its fields have. */
export function anyMessage(type: MessageType<unknown>, maxLength = 8): fc.Arbitrary<Plain> {
  const fields = type.fields.map((field) => [field.name, anyField(field, maxLength)] as const);
  return fc.record(Object.fromEntries(fields), { noNullPrototype: true }) as fc.Arbitrary<Plain>;
}

function anyField(field: MessageField, maxLength: number): fc.Arbitrary<unknown> {
  const element = anyElement(field, maxLength);
  if (field.shape === 'single') return element;
  const size =
    field.shape === 'array'
      ? { minLength: field.length, maxLength: field.length }
      : { maxLength: Math.min(maxLength, field.length) };
  const elements = fc.array(element, size);
  if (!isNumberKind(field.kind)) return elements;
  const { kind } = field;
  // A view into something larger, at any place that its alignment allows.
  return fc.tuple(elements, fc.nat(3)).map(([numbers, offset]) => {
    const whole = typedArray(kind, [...Array(offset).fill(numbers[0] ?? zero(kind)), ...numbers, zero(kind)]);
    return whole.subarray(offset, offset + numbers.length);
  });
}

function anyElement(field: MessageField, maxLength: number): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'bool':
      return fc.boolean();
    case 'string':
      return fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        fc.string({ unit: 'binary', maxLength: 80 }).map((text) => text.replaceAll('\0', '0')),
      );
    case 'message':
      return anyMessage(nestedType(field), Math.min(maxLength, 3));
    case 'float32':
      return fc.float();
    case 'float64':
      return fc.double();
    case 'int64':
      return fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    case 'uint64':
      return fc.bigInt(0n, 2n ** 64n - 1n);
    default: {
      const { min, max } = integerRange(field.kind);
      return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
    }
  }
}

/** Encodes as the standard says, byte by byte, without tables, caches or reuse. */
export function referenceEncode(type: MessageType<unknown>, message: unknown, isLittleEndian: boolean): Buffer {
  const body: number[] = [];
  if (type.fields.length === 0) body.push(0);
  else writeFields(body, type, message as Plain, isLittleEndian);
  return Buffer.from([0, isLittleEndian ? 1 : 0, 0, 0, ...body]);
}

function writeFields(body: number[], type: MessageType<unknown>, message: Plain, isLittle: boolean): void {
  for (const field of type.fields) {
    const value = message[field.name];
    if (field.shape === 'single') {
      writeElement(body, field, value, isLittle);
      continue;
    }
    const elements = Array.from(value as ArrayLike<unknown>);
    if (field.shape === 'sequence') writeNumber(body, 'uint32', elements.length, isLittle);
    for (const element of elements) writeElement(body, field, element, isLittle);
  }
}

function writeElement(body: number[], field: MessageField, value: unknown, isLittle: boolean): void {
  if (field.kind === 'message') writeFields(body, nestedType(field), value as Plain, isLittle);
  else if (field.kind === 'bool') body.push(value === true ? 1 : 0);
  else if (field.kind === 'string') {
    const text = Buffer.from(value as string, 'utf8');
    writeNumber(body, 'uint32', text.length + 1, isLittle);
    body.push(...text, 0);
  } else writeNumber(body, field.kind, value, isLittle);
}

function writeNumber(body: number[], kind: keyof typeof TYPED_ARRAYS, value: unknown, isLittle: boolean): void {
  const native = typedArray(kind, [value]);
  const bytes = [...new Uint8Array(native.buffer)];
  while (body.length % bytes.length !== 0) body.push(0);
  body.push(...(isLittle ? bytes : bytes.reverse()));
}

/** Where two messages differ first, or `undefined`. */
export function difference(a: unknown, b: unknown, path = ''): string | undefined {
  if (Object.is(a, b)) return undefined;
  const isList = (value: unknown): boolean => Array.isArray(value) || ArrayBuffer.isView(value);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || isList(a) !== isList(b)) {
    return `${path}: ${String(a)} is not ${String(b)}`;
  }
  if (isList(a) && (a as Float64Array).length !== (b as Float64Array).length) return `${path}: lengths differ`;
  if (a.constructor !== b.constructor) return `${path}: ${a.constructor.name} is not ${b.constructor.name}`;
  const keys = Object.keys(a);
  if (!isList(a) && Object.keys(b).join() !== keys.join()) return `${path}: fields differ`;
  for (const key of keys) {
    const found = difference((a as Plain)[key], (b as Plain)[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A message out of JSON, where what JSON cannot say is text. */
export function fromJson(type: MessageType<unknown>, json: unknown): Plain {
  return Object.fromEntries(
    type.fields.map((field) => {
      const value = (json as Plain)[field.name];
      if (field.shape === 'single') return [field.name, elementFromJson(field, value)];
      const elements = (value as unknown[]).map((element) => elementFromJson(field, element));
      return [field.name, isNumberKind(field.kind) ? typedArray(field.kind, elements) : elements];
    }),
  );
}

function elementFromJson(field: MessageField, value: unknown): unknown {
  if (field.kind === 'message') return fromJson(nestedType(field), value);
  if (field.kind === 'int64' || field.kind === 'uint64') return BigInt(value as string);
  if (!isNumberKind(field.kind) || typeof value === 'number') return value;
  return { nan: Number.NaN, inf: Number.POSITIVE_INFINITY, '-inf': Number.NEGATIVE_INFINITY, '-0.0': -0 }[
    value as string
  ];
}

function isNumberKind(kind: MessageField['kind']): kind is keyof typeof TYPED_ARRAYS {
  return kind in TYPED_ARRAYS;
}

function nestedType(field: MessageField): MessageType<unknown> {
  if (field.type === undefined) throw new TypeError(`${field.name} has no type`);
  return field.type;
}

function zero(kind: keyof typeof TYPED_ARRAYS): number | bigint {
  return kind === 'int64' || kind === 'uint64' ? 0n : 0;
}

function typedArray(kind: keyof typeof TYPED_ARRAYS, values: readonly unknown[]): Float64Array {
  // One of ten constructors, chosen by the table: the type that is written here stands for all of them.
  return new (TYPED_ARRAYS[kind] as typeof Float64Array)(values as number[]);
}

function integerRange(kind: string): { min: number; max: number } {
  const bits = Number(/\d+$/.exec(kind)?.[0]);
  return kind.startsWith('u') ? { min: 0, max: 2 ** bits - 1 } : { min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 };
}
