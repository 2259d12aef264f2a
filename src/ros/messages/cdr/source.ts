/** Where CDR bytes are read: bounds are checked here, before anything is read or allocated. */
import { fault } from './field-fault.ts';
import { HEADER_BYTES, paddingAt } from './sink.ts';

/** Padding that a writer may leave after the message. */
const MAX_TRAILING_BYTES = 3;
/** Messages up to this are copied to a place that has its `DataView` already: cheaper than making one. */
const DESK_BYTES = 16_384;

const CDR_BE = 0x00_00;
const CDR_LE = 0x00_01;

export class CdrSource {
  bytes: Buffer;
  view: DataView;
  at = 0;
  isLittleEndian = true;
  #end = 0;
  readonly #desk: Buffer = Buffer.allocUnsafeSlow(DESK_BYTES);
  readonly #deskView: DataView = new DataView(this.#desk.buffer, this.#desk.byteOffset, DESK_BYTES);

  constructor() {
    this.bytes = this.#desk;
    this.view = this.#deskView;
  }

  /** Begins a message: checks its header. */
  open(bytes: Uint8Array): void {
    this.#end = bytes.length;
    this.at = 0;
    if (bytes.length <= DESK_BYTES) {
      this.#desk.set(bytes);
      this.bytes = this.#desk;
      this.view = this.#deskView;
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

  /** Ends a message: nothing but padding may be left. */
  close(): void {
    if (this.left > MAX_TRAILING_BYTES) throw fault(`ends, and ${this.left} bytes follow`);
  }

  /** Lets the bytes go: a large message would else be kept until the next one. */
  release(): void {
    this.bytes = this.#desk;
    this.view = this.#deskView;
  }

  get left(): number {
    return this.#end - this.at;
  }

  /** `count` more bytes must be there. */
  need(count: number): void {
    if (count > this.#end - this.at) {
      throw fault(`is cut short: ${count} bytes are needed, ${Math.max(0, this.left)} are left`);
    }
  }

  /** Goes to where a value of `size` stands; `count` bytes must be there. */
  align(size: number, count: number): void {
    this.at += paddingAt(this.at, size);
    this.need(count);
  }

  /** A length. Elements take at least `elementBytes` each, so that a length that cannot be true allocates nothing. */
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
