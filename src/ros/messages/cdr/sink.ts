/** Where CDR bytes are written: a buffer that grows by doubling, and the place that the next byte goes to. */
import type { CdrBuffer } from '../message-type.ts';
import { fault } from './field-fault.ts';

/** Bytes of the encapsulation header. Alignment counts from its end. */
export const HEADER_BYTES = 4;
/** The representation identifier of plain CDR, little-endian; the two option bytes after it are 0. */
const CDR_LE = 0x00_01;
/** Beyond this no transport of ROS goes, and lengths would not fit the arithmetic here. */
const MAX_BYTES = 0x7f_ff_ff_ff;

/** Bytes between `at` and the next place that fits a value of `size` (a power of 2). */
export function paddingAt(at: number, size: number): number {
  return (HEADER_BYTES - at) & (size - 1);
}

export class CdrSink implements CdrBuffer {
  bytes: Buffer;
  view: DataView;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Begins a message: its header. */
  open(): void {
    // Somebody may have put other bytes here.
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

  /** Pads with zeros up to where a value of `size` may stand, and makes room for `count` bytes from there. */
  align(size: number, count: number): void {
    let padding = paddingAt(this.at, size);
    this.reserve(padding + count);
    for (; padding > 0; padding--) this.bytes[this.at++] = 0;
  }

  writeByte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  /** A length, as it stands before every string and sequence. */
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

/** A buffer for one publisher. Encoding into it allocates only when a message is larger than all before. */
export function createCdrBuffer(initialBytes = 512): CdrBuffer {
  return new CdrSink(Buffer.allocUnsafeSlow(initialBytes));
}
