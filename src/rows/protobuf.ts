/**
 * Schema-less protobuf: reads it field by field, never beyond the end, whatever the bytes, and writes it. The meaning of field
 * numbers is up to the caller. Wire format: https://protobuf.dev/programming-guides/encoding/
 */

/**
 * Calls `visit` for each protobuf field of `message`: its number, its bytes if it has a length, its value if it is a varint,
 * and the whole field with its key. False if the bytes are truncated or not protobuf, or `visit` returned false.
 */
export function forEachField(
  message: Uint8Array,
  visit: (field: number, content: Uint8Array | undefined, value: number, whole: Uint8Array) => boolean,
): boolean {
  const cursor = { at: 0 };
  while (cursor.at < message.length) {
    const start = cursor.at;
    const key = readVarint(message, cursor);
    if (key === undefined) return false;
    const field = Math.floor(key / 8);
    const wireType = key % 8;
    let content: Uint8Array | undefined;
    let value = 0;
    if (wireType === 0) {
      const read = readVarint(message, cursor);
      if (read === undefined) return false;
      value = read;
    } else {
      const length = wireType === 1 ? 8 : wireType === 5 ? 4 : wireType === 2 ? readVarint(message, cursor) : undefined;
      if (length === undefined || cursor.at + length > message.length) return false;
      content = message.subarray(cursor.at, cursor.at + length);
      cursor.at += length;
    }
    if (field === 0 || !visit(field, content, value, message.subarray(start, cursor.at))) return false;
  }
  return true;
}

/** Reads a varint as a double (exact to 2^53); `undefined` if the bytes are truncated or it is too long. */
function readVarint(bytes: Uint8Array, cursor: { at: number }): number | undefined {
  let value = 0;
  let unit = 1;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[cursor.at++];
    if (byte === undefined) return undefined;
    value += (byte & 127) * unit;
    if (byte < 128) return value;
    unit *= 128;
  }
  return undefined;
}

/** Appends fields to a growing buffer. */
export class ProtoWriter {
  #buffer: Uint8Array = new Uint8Array(256);
  #length = 0;

  /** An `int64`, `int32` or enum field. */
  int(field: number, value: number): void {
    this.#varint(field * 8);
    this.#varint(value);
  }

  float(field: number, value: number): void {
    this.#varint(field * 8 + 5);
    this.#append(new Uint8Array(Float32Array.of(value).buffer));
  }

  double(field: number, value: number): void {
    this.#varint(field * 8 + 1);
    this.#append(new Uint8Array(Float64Array.of(value).buffer));
  }

  /** Appends an already encoded field, as passed by `forEachField`. */
  raw(bytes: Uint8Array): void {
    this.#append(bytes);
  }

  text(field: number, value: string): void {
    this.bytes(field, new TextEncoder().encode(value));
  }

  bytes(field: number, value: Uint8Array): void {
    this.#varint(field * 8 + 2);
    this.#varint(value.length);
    this.#append(value);
  }

  message(field: number, write: (inner: ProtoWriter) => void): void {
    const inner = new ProtoWriter();
    write(inner);
    this.bytes(field, inner.finish());
  }

  /** Returns the bytes written; a view that is valid until the next write. */
  finish(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #varint(value: number): void {
    // Negative numbers take ten bytes: the 64-bit two's complement.
    let rest = BigInt.asUintN(64, BigInt(value));
    do {
      const low = Number(rest & 127n);
      rest >>= 7n;
      this.#reserve(1);
      this.#buffer[this.#length++] = rest === 0n ? low : low | 128;
    } while (rest !== 0n);
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#length + count));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
