/** Codecs of numbers and booleans, and of arrays and sequences of numbers. */
import type { CdrSink, FieldCodec } from './cdr-bytes.ts';
import { describe, fault, within } from './field-fault.ts';
import type { NumberArray, NumberRow } from './numbers.ts';

/** Size from which copying memory beats a loop, despite the view that it needs. */
const BULK_BYTES = 1024;
const HOST_IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

export function numberCodec(row: NumberRow, initial: number | bigint = row.zero): FieldCodec {
  const { size } = row;
  return {
    minBytes: size,
    create: () => initial,
    write(sink, value) {
      if (!row.fits(value)) throw fault(`needs ${row.words}, not ${describe(value)}`);
      sink.align(size, size);
      row.set(sink.view, sink.at, value as number | bigint);
      sink.at += size;
    },
    read(source) {
      source.align(size, size);
      const value = row.get(source.view, source.at, source.isLittleEndian);
      source.at += size;
      return value;
    },
  };
}

export const BOOL_CODEC: FieldCodec = {
  minBytes: 1,
  create: () => false,
  write(sink, value) {
    if (typeof value !== 'boolean') throw fault(`needs true or false, not ${describe(value)}`);
    sink.writeByte(value ? 1 : 0);
  },
  read(source) {
    source.need(1);
    const byte = source.bytes[source.at++]!;
    if (byte > 1) throw fault(`is neither true nor false, but the byte ${byte}`);
    return byte === 1;
  },
};

/** `float64[6]`: no length on the wire. */
export function numberArrayCodec(row: NumberRow, length: number): FieldCodec {
  return {
    minBytes: row.size * length,
    create: () => row.create(length),
    write(sink, value) {
      const numbers = asNumbers(row, value);
      if (numbers.length !== length) throw fault(`needs ${length} numbers, not ${numbers.length}`);
      writeNumbers(sink, row, numbers);
    },
    read(source, current) {
      source.align(row.size, row.size * length);
      const out = reuse(row, current, length);
      fill(row, source.bytes, source.view, source.at, out, source.isLittleEndian);
      source.at += row.size * length;
      return out;
    },
  };
}

/** `float64[]` and `float64[<=6]`. */
export function numberSequenceCodec(row: NumberRow, bound: number): FieldCodec {
  return {
    minBytes: 4,
    create: () => row.create(0),
    write(sink, value) {
      const numbers = asNumbers(row, value);
      checkBound(numbers.length, bound);
      sink.writeLength(numbers.length);
      // An empty sequence is its length alone: no padding for the absent element.
      if (numbers.length > 0) writeNumbers(sink, row, numbers);
    },
    read(source, current) {
      const length = source.readLength(row.size);
      checkBound(length, bound);
      if (length > 0) source.align(row.size, row.size * length);
      const out = reuse(row, current, length);
      fill(row, source.bytes, source.view, source.at, out, source.isLittleEndian);
      source.at += row.size * length;
      return out;
    },
  };
}

export function checkBound(length: number, bound: number): void {
  if (length > bound) throw fault(`has ${length} elements, ${bound} are allowed`);
}

function asNumbers(row: NumberRow, value: unknown): ArrayLike<unknown> {
  if (Array.isArray(value)) return value;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return value as NumberArray;
  throw fault(`needs an array of which each is ${row.words}, not ${describe(value)}`);
}

function writeNumbers(sink: CdrSink, row: NumberRow, numbers: ArrayLike<unknown>): void {
  const { size } = row;
  const { length } = numbers;
  sink.align(size, size * length);
  if (!row.owns(numbers)) writeConverted(sink, row, numbers, length);
  else if (size * length < BULK_BYTES || !HOST_IS_LITTLE_ENDIAN) row.put(sink.view, sink.at, numbers);
  else sink.bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), sink.at);
  sink.at += size * length;
}

/** Converts numbers of another kind element by element, each checked. */
function writeConverted(sink: CdrSink, row: NumberRow, numbers: ArrayLike<unknown>, length: number): void {
  for (let i = 0; i < length; i++) {
    const value = numbers[i];
    if (!row.fits(value)) throw within(`[${i}]`, fault(`needs ${row.words}, not ${describe(value)}`));
    row.set(sink.view, sink.at + row.size * i, value as number | bigint);
  }
}

function reuse(row: NumberRow, current: unknown, length: number): NumberArray {
  return row.owns(current) && current.length === length ? current : row.create(length);
}

function fill(row: NumberRow, from: Buffer, view: DataView, at: number, to: NumberArray, isLittle: boolean): void {
  const bytes = row.size * to.length;
  if (bytes < BULK_BYTES || (row.size > 1 && isLittle !== HOST_IS_LITTLE_ENDIAN)) row.take(view, at, to, isLittle);
  else new Uint8Array(to.buffer, to.byteOffset, bytes).set(from.subarray(at, at + bytes));
}
