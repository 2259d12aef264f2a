/**
 * Writes protobuf (https://protobuf.dev/programming-guides/encoding/): appends fields to a growing buffer. What the numbers of
 * fields mean is the caller's affair.
 */
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

  /** Appends what is a field already, as `forEachField` gives it. */
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

  /** What was written; a view that is valid until the next write. */
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
