/**
 * The bytes between node and guard on a stream socket. One message is a 16-byte little-endian header (magic u32,
 * version u8, kind u8, header check u16, payload length u32, payload CRC-32C u32) and its payload. The header check
 * lets a decoder step over garbage without waiting for a payload that a chance header promises.
 */
import { crc32c, Framing, LINK_VERSION } from '../../core/index.ts';

const HEADER_BYTES = 16;
const CHECK_AT = 6;
/** Longer messages are not ours: the length is checked before anything is allocated. */
export const MAX_PAYLOAD_BYTES: number = 256 * 1024;

const FRAMING = new Framing({
  magic: 'RGLK',
  version: LINK_VERSION,
  headerBytes: HEADER_BYTES,
  maxPayloadBytes: MAX_PAYLOAD_BYTES,
  checksum: 'payload',
});

/** Kinds of messages. Numbers and doubles travel as raw little-endian doubles, the rest as JSON. */
export const MESSAGE = { hello: 1, frame: 2, command: 3, request: 4, answer: 5, advance: 6, notice: 7 } as const;

/** Puts a header in front of `payload`. Allocates one buffer. */
export function encodeMessage(kind: number, payload: Uint8Array): Uint8Array {
  const message = FRAMING.frame(kind, payload);
  seal(message);
  return message;
}

/** Encodes a JSON message. */
export function encodeJson(kind: number, value: unknown): Uint8Array {
  return encodeMessage(kind, Buffer.from(JSON.stringify(value)));
}

/** Encodes doubles. */
export function encodeNumbers(kind: number, numbers: Float64Array): Uint8Array {
  return encodeMessage(kind, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}

/** One message of doubles that is sent again and again: fill `numbers`, then `seal`. Allocates nothing after construction. */
export class NumbersMessage {
  readonly numbers: Float64Array;
  readonly #bytes: Uint8Array;

  constructor(kind: number, count: number) {
    this.#bytes = encodeMessage(kind, new Uint8Array(8 * count));
    this.numbers = new Float64Array(this.#bytes.buffer, HEADER_BYTES, count);
  }

  /** The bytes of the message as `numbers` are now; overwritten by the next. Tick-safe. */
  seal(): Uint8Array {
    seal(this.#bytes);
    return this.#bytes;
  }
}

/** Called for each intact message. `payload` is a view that is overwritten later: copy what you keep. */
export type MessageHandler = (kind: number, payload: Uint8Array) => void;

/**
 * Cuts a byte stream into messages, however it was split or merged. Bytes that are no intact message are skipped
 * and counted; it never throws on any input and never holds more than one largest message.
 */
export class MessageDecoder {
  readonly #onMessage: MessageHandler;
  #buffer = new Uint8Array(4096);
  #start = 0;
  #end = 0;
  #skippedBytes = 0;

  constructor(onMessage: MessageHandler) {
    this.#onMessage = onMessage;
  }

  /** Bytes so far that belonged to no intact message. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  /** Takes in the next bytes and calls the handler for every message that they complete. */
  push(bytes: Uint8Array): void {
    let taken = 0;
    while (taken < bytes.length) {
      const piece = bytes.subarray(taken, taken + HEADER_BYTES + MAX_PAYLOAD_BYTES);
      taken += piece.length;
      this.#append(piece);
      this.#drain();
    }
  }

  #append(bytes: Uint8Array): void {
    const held = this.#end - this.#start;
    if (this.#end + bytes.length > this.#buffer.length) {
      const needed = held + bytes.length;
      const target = needed > this.#buffer.length ? new Uint8Array(2 * needed) : this.#buffer;
      target.set(this.#buffer.subarray(this.#start, this.#end));
      this.#buffer = target;
      this.#start = 0;
      this.#end = held;
    }
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #drain(): void {
    while (this.#end - this.#start >= HEADER_BYTES) {
      const length = this.#payloadLength();
      if (length < 0) {
        this.#skip();
        continue;
      }
      if (this.#end - this.#start < HEADER_BYTES + length) return;
      if (!FRAMING.isIntact(this.#buffer, this.#start)) {
        this.#skip();
        continue;
      }
      const kind = FRAMING.kindOf(this.#buffer, this.#start);
      const payload = this.#buffer.subarray(this.#start + HEADER_BYTES, this.#start + HEADER_BYTES + length);
      this.#start += HEADER_BYTES + length;
      this.#onMessage(kind, payload);
    }
  }

  /** The length that a valid header at the start promises; −1 where there is no valid header. */
  #payloadLength(): number {
    const at = this.#start;
    if (!FRAMING.hasMagic(this.#buffer, at) || FRAMING.versionOf(this.#buffer, at) !== LINK_VERSION) return -1;
    const check = this.#buffer[at + CHECK_AT]! | (this.#buffer[at + CHECK_AT + 1]! << 8);
    if (check !== headerCheck(this.#buffer, at)) return -1;
    const length = FRAMING.lengthOf(this.#buffer, at);
    return length <= MAX_PAYLOAD_BYTES ? length : -1;
  }

  #skip(): void {
    this.#start++;
    this.#skippedBytes++;
  }
}

/** Writes both checks. Tick-safe. */
function seal(message: Uint8Array): void {
  FRAMING.seal(message);
  const check = headerCheck(message, 0);
  message[CHECK_AT] = check;
  message[CHECK_AT + 1] = check >>> 8;
}

/** Over the header at `at` without the check itself. */
function headerCheck(bytes: Uint8Array, at: number): number {
  const before = crc32c(bytes, 0, at, at + CHECK_AT);
  return crc32c(bytes, before, at + CHECK_AT + 2, at + HEADER_BYTES) & 0xffff;
}
