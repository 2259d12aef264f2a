/**
 * Reads protobuf without a schema: field by field, never beyond the end, whatever the bytes. Wire format:
 * https://protobuf.dev/programming-guides/encoding/
 */

/**
 * Calls `visit` for each protobuf field of `message`: its number, its bytes where it has a length, its value where it is
 * a variable-length integer, and all of it with its key. False where the bytes end early or are not protobuf, or `visit` said false.
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

/** A variable-length integer as a double (exact to 2^53), or undefined where the bytes end early or it is too long. */
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
