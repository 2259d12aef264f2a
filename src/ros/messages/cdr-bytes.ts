/** CDR bytes, written and read, and the codec interface of one kind of field. */
import { fault } from './field-fault.ts';
import type { CdrBuffer } from './message-type.ts';

/** Codec of one field, compiled once from its definition. */
export interface FieldCodec {
  /** Smallest size of a value on the wire, without padding; at least 1. */
  readonly minBytes: number;
  create(): unknown;
  /** Throws a `FieldFault` for a value that does not fit. */
  write(sink: CdrSink, value: unknown): void;
  /** Returns the value; `current` itself, refilled, if it fits. Throws a `FieldFault`. */
  read(source: CdrSource, current: unknown): unknown;
}

/** Bytes of the encapsulation header. Alignment counts from its end. */
const HEADER_BYTES = 4;
/** Representation identifiers of plain CDR; the two option bytes after them are 0. */
const CDR_BE = 0x00_00;
const CDR_LE = 0x00_01;
/** Beyond what any ROS transport carries; larger lengths would overflow the arithmetic here. */
const MAX_BYTES = 0x7f_ff_ff_ff;

/** Bytes between `at` and the next position aligned for a value of `size` (a power of 2). */
function paddingAt(at: number, size: number): number {
  return (HEADER_BYTES - at) & (size - 1);
}

/** Message being written: a buffer that grows by doubling, and the position of the next byte. */
export class CdrSink implements CdrBuffer {
  bytes: Buffer;
  view: DataView;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Begins a message: writes its header. */
  open(): void {
    // The owner may have replaced the buffer.
    const { view, bytes } = this;
    const isSeen =
      view.buffer === bytes.buffer && view.byteOffset === bytes.byteOffset && view.byteLength === bytes.length;
    if (!isSeen) this.#look();
    this.at = 0;
    this.reserve(HEADER_BYTES);
    this.view.setUint16(0, CDR_LE);
    this.view.setUint16(2, 0);
    this.at = HEADER_BYTES;
  }

  /** Makes room for `count` bytes from here. */
  reserve(count: number): void {
    if (this.at + count > this.view.byteLength) this.#grow(this.at + count);
  }

  /** Pads with zeros to the alignment of a value of `size`, and makes room for `count` bytes from there. */
  align(size: number, count: number): void {
    let padding = paddingAt(this.at, size);
    this.reserve(padding + count);
    for (; padding > 0; padding--) this.bytes[this.at++] = 0;
  }

  writeByte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  /** Writes a length, as precedes every string and sequence. */
  writeLength(length: number): void {
    this.align(4, 4);
    this.view.setUint32(this.at, length, true);
    this.at += 4;
  }

  #grow(needed: number): void {
    if (needed > MAX_BYTES) throw fault('the message would be larger than 2 GiB');
    const grown = Buffer.allocUnsafeSlow(Math.min(MAX_BYTES, Math.max(needed, 2 * this.bytes.length, 64)));
    this.bytes.copy(grown, 0, 0, Math.min(this.at, this.bytes.length));
    this.bytes = grown;
    this.#look();
  }

  #look(): void {
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
  }
}

/** Creates a buffer for one publisher. Encoding into it allocates only if a message is larger than all before. */
export function createCdrBuffer(initialBytes = 512): CdrBuffer {
  return new CdrSink(Buffer.allocUnsafeSlow(initialBytes));
}

/** Padding that a writer may leave after the message. */
const MAX_TRAILING_BYTES = 3;
/** Messages up to this size are copied to a buffer with an existing `DataView`: cheaper than creating one. */
const SCRATCH_BYTES = 16_384;

/** Message being read: bounds are checked here, before anything is read or allocated. */
export class CdrSource {
  bytes: Buffer;
  view: DataView;
  at = 0;
  isLittleEndian = true;
  #end = 0;
  readonly #scratch: Buffer = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  readonly #scratchView: DataView = new DataView(this.#scratch.buffer, this.#scratch.byteOffset, SCRATCH_BYTES);

  constructor() {
    this.bytes = this.#scratch;
    this.view = this.#scratchView;
  }

  /** Begins a message: checks its header. */
  open(bytes: Uint8Array): void {
    this.#end = bytes.length;
    this.at = 0;
    if (bytes.length <= SCRATCH_BYTES) {
      this.#scratch.set(bytes);
      this.bytes = this.#scratch;
      this.view = this.#scratchView;
    } else {
      this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    this.need(HEADER_BYTES);
    const representation = this.view.getUint16(0);
    if (representation !== CDR_LE && representation !== CDR_BE) {
      throw fault(`is encoded as 0x${representation.toString(16).padStart(4, '0')}, only plain CDR is read here`);
    }
    this.isLittleEndian = representation === CDR_LE;
    this.at = HEADER_BYTES;
  }

  /** Ends a message: only padding may be left. */
  close(): void {
    if (this.left > MAX_TRAILING_BYTES) throw fault(`ends, and ${this.left} bytes follow`);
  }

  /** Releases the bytes: a large message would otherwise be kept until the next one. */
  release(): void {
    this.bytes = this.#scratch;
    this.view = this.#scratchView;
  }

  get left(): number {
    return this.#end - this.at;
  }

  /** Throws unless `count` more bytes are left. */
  need(count: number): void {
    if (count > this.#end - this.at) {
      throw fault(`is cut short: ${count} bytes are needed, ${Math.max(0, this.left)} are left`);
    }
  }

  /** Advances to the alignment of a value of `size`; `count` bytes must be left. */
  align(size: number, count: number): void {
    this.at += paddingAt(this.at, size);
    this.need(count);
  }

  /** Reads a length. Elements take at least `elementBytes` each, so that an impossible length allocates nothing. */
  readLength(elementBytes: number): number {
    this.align(4, 4);
    const length = this.view.getUint32(this.at, this.isLittleEndian);
    this.at += 4;
    if (length * elementBytes > this.left) {
      throw fault(`says that it has ${length} elements, but only ${this.left} bytes are left`);
    }
    return length;
  }
}
