/**
 * Frame format for messages between processes: magic u32, version u8, kind u8, layout-specific fields, payload length u32,
 * CRC-32C u32; then the payload. Little-endian. Two layouts: robot and learner, node and guard. Bytes only: no sockets, no clock.
 */
import { crc32c } from './crc32c.ts';

/** Parameters of a frame layout. */
export interface FrameLayout {
  /** Four letters. */
  readonly magic: string;
  /** Readers reject all other versions. */
  readonly version: number;
  /** Header size; payload length and checksum are its last eight bytes. */
  readonly headerBytes: number;
  /** Largest payload, bytes: checked before anything is allocated. */
  readonly maxPayloadBytes: number;
  /** Bytes covered by the checksum: the header before it and the payload, or the payload alone. */
  readonly checksum: 'frame' | 'payload';
}

const VERSION_AT = 4;
const KIND_AT = 5;

/** Writes and checks frames of one layout; `at` is the offset of a frame. */
export class Framing {
  readonly #layout: FrameLayout;
  readonly #magic: Uint8Array;
  readonly #lengthAt: number;
  readonly #checksumAt: number;

  constructor(layout: FrameLayout) {
    this.#layout = layout;
    this.#magic = Buffer.from(layout.magic, 'latin1');
    this.#lengthAt = layout.headerBytes - 8;
    this.#checksumAt = layout.headerBytes - 4;
  }

  /** Returns an unsealed frame around a copy of `payload`, layout-specific fields zero. Throws `RangeError` if it is too long. */
  frame(kind: number, payload: Uint8Array): Uint8Array {
    const { headerBytes, maxPayloadBytes, version } = this.#layout;
    if (payload.length > maxPayloadBytes) throw new RangeError(`a payload of ${payload.length} bytes is too long`);
    const bytes = new Uint8Array(headerBytes + payload.length);
    bytes.set(this.#magic);
    bytes[VERSION_AT] = version;
    bytes[KIND_AT] = kind;
    writeU32(bytes, this.#lengthAt, payload.length);
    bytes.set(payload, headerBytes);
    return bytes;
  }

  /** Writes the checksum of the current content of `frame`. Tick-safe if it covers the payload alone. */
  seal(frame: Uint8Array): void {
    writeU32(frame, this.#checksumAt, this.#checksumOf(frame, 0, this.#layout.version));
  }

  hasMagic(bytes: Uint8Array, at = 0): boolean {
    for (let i = 0; i < this.#magic.length; i++) if (bytes[at + i] !== this.#magic[i]) return false;
    return true;
  }

  versionOf(bytes: Uint8Array, at = 0): number {
    return bytes[at + VERSION_AT]!;
  }

  kindOf(bytes: Uint8Array, at = 0): number {
    return bytes[at + KIND_AT]!;
  }

  /** Payload length in the header, bytes; unchecked against the available bytes. */
  lengthOf(bytes: Uint8Array, at = 0): number {
    return readU32(bytes, at + this.#lengthAt);
  }

  /** True if the frame is complete and its checksum valid, assuming this layout's version in the header. */
  isIntact(bytes: Uint8Array, at = 0): boolean {
    if (at + this.#layout.headerBytes + this.lengthOf(bytes, at) > bytes.length) return false;
    return readU32(bytes, at + this.#checksumAt) === this.#checksumOf(bytes, at, this.#layout.version);
  }

  #checksumOf(bytes: Uint8Array, at: number, version: number): number {
    const { headerBytes, checksum } = this.#layout;
    const start = at + headerBytes;
    const end = start + this.lengthOf(bytes, at);
    if (checksum === 'payload') return crc32c(bytes, 0, start, end);
    const before = crc32c(Uint8Array.of(version), crc32c(bytes, 0, at, at + VERSION_AT));
    return crc32c(bytes, crc32c(bytes, before, at + KIND_AT, at + this.#checksumAt), start, end);
  }
}

function readU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}
