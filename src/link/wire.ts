/**
 * Frame format: every message between robot and learner is one frame, sent as one ZeroMQ message.
 * Fixed header, raw little-endian payload, CRC-32C over both; nothing in it is ever executed.
 * Bytes only: no sockets, no clock. `README.md` here has the same table, `tests/python/read_frames.py` reads by it.
 */
import { ok, type Result, sha256Hex } from '../model/index.ts';
import { Framing, putU64, takeU64 } from '../rows/index.ts';

/** Frame kinds. The index is the wire code: never reorder, only append. Code 0 stays unused. */
export const FRAME_KINDS = [
  'none',
  'hello',
  'helloAck',
  'refuse',
  'transitions',
  'ack',
  'heartbeat',
  'control',
  'controlAck',
  'weights',
  'weightsRequest',
  'bye',
  'query',
  'about',
] as const;
export type FrameKind = Exclude<(typeof FRAME_KINDS)[number], 'none'>;

/**
 * Version of the frame. Readers reject all others. Records have their own version (`RECORD_VERSION`), exchanged in the hello
 * and its answer, so that peers of different record versions can still report the mismatch.
 */
export const WIRE_VERSION = 1;

/** Largest message accepted by either side, bytes: a length is checked against it before anything is allocated. */
export const MAX_MESSAGE_BYTES: number = 16 * 1024 * 1024;

/** Byte offsets of the header's fields. All integers are little-endian and unsigned; `schema` and `robot` are raw bytes. */
export const HEADER = {
  magic: 0, // 4 bytes "REIN"
  version: 4, // u8
  kind: 5, // u8, index into FRAME_KINDS
  flags: 6, // u16, meaning depends on the kind
  schema: 8, // 8 bytes, the schema hash's sixteen hexadecimal digits
  robot: 16, // 8 bytes, the start of SHA-256(robot id)
  epoch: 24, // u32
  count: 28, // u32, records in the payload, 0 if not applicable
  sequence: 32, // u64
  monotonicNs: 40, // u64, the sender's monotonic clock
  payloadLength: 48, // u32
  checksum: 52, // u32, CRC-32C of bytes 0–51 and the payload
} as const;
export const HEADER_BYTES = 56;

const FRAMING = new Framing({
  magic: 'REIN',
  version: WIRE_VERSION,
  headerBytes: HEADER_BYTES,
  maxPayloadBytes: MAX_MESSAGE_BYTES - HEADER_BYTES,
  checksum: 'frame',
});
const NO_HASH = '0000000000000000';

/** Fault codes, for counters, grouped by where they are detected: frame, transition, message, weights. */
export type LinkFaultReason =
  | 'too-short'
  | 'too-long'
  | 'bad-magic'
  | 'bad-version'
  | 'bad-kind'
  | 'bad-length'
  | 'bad-checksum'
  | 'bad-value'
  | 'not-finite'
  | 'bad-message'
  | 'wrong-schema'
  | 'wrong-run'
  | 'wrong-robot'
  | 'bad-digest'
  | 'old-version';

/** Reason for which received or stored bytes are rejected. Never thrown: returned in a `Result`. */
export interface LinkFault {
  readonly reason: LinkFaultReason;
  /** One sentence. */
  readonly message: string;
}

/** A failed `Result` with a `LinkFault`. */
export function fault(reason: LinkFaultReason, message: string): { readonly ok: false; readonly error: LinkFault } {
  return { ok: false, error: { reason, message } };
}

/** Fields of a frame. `payload` is a view into the received message: copy what must outlive it. */
export interface Frame {
  readonly kind: FrameKind;
  readonly flags: number;
  /** Sixteen hexadecimal digits; zeros if the kind has no schema. */
  readonly schemaHash: string;
  /** `robotIdHash` of the sending or addressed robot; zeros if there is none. */
  readonly robotHash: string;
  readonly epoch: number;
  readonly count: number;
  /** Depends on the kind: first record, watermark, control number, weights version. Below 2^53. */
  readonly sequence: number;
  readonly monotonicNs: bigint;
  readonly payload: Uint8Array;
}

/** Fields set by a sender; the rest defaults to zero. */
export interface FrameFields {
  readonly kind: FrameKind;
  readonly flags?: number;
  readonly schemaHash?: string;
  readonly robotHash?: string;
  readonly epoch?: number;
  readonly count?: number;
  readonly sequence?: number;
  readonly monotonicNs?: bigint;
}

/** Sixteen hexadecimal digits that represent a robot's id in frame headers. */
export function robotIdHash(robotId: string): string {
  return sha256Hex(robotId).slice(0, 16);
}

/**
 * Encodes a frame into a new buffer. `payload` is copied. Throws `RangeError` if a field does not fit or the frame would be longer
 * than `MAX_MESSAGE_BYTES`.
 */
export function encodeFrame(fields: FrameFields, payload: Uint8Array = new Uint8Array(0)): Uint8Array {
  const bytes = FRAMING.frame(FRAME_KINDS.indexOf(fields.kind), payload);
  const view = new DataView(bytes.buffer);
  view.setUint16(HEADER.flags, fields.flags ?? 0, true);
  bytes.set(hashBytes(fields.schemaHash ?? NO_HASH), HEADER.schema);
  bytes.set(hashBytes(fields.robotHash ?? NO_HASH), HEADER.robot);
  view.setUint32(HEADER.epoch, fields.epoch ?? 0, true);
  view.setUint32(HEADER.count, fields.count ?? 0, true);
  putU64(view, HEADER.sequence, fields.sequence ?? 0);
  view.setBigUint64(HEADER.monotonicNs, fields.monotonicNs ?? 0n, true);
  FRAMING.seal(bytes);
  return bytes;
}

/** Decodes a frame. Never throws: garbage, truncation, a wrong length or checksum return a fault. Allocates nothing large. */
export function decodeFrame(bytes: Uint8Array): Result<Frame, LinkFault> {
  if (bytes.length < HEADER_BYTES) return fault('too-short', `${bytes.length} bytes are fewer than a header`);
  if (bytes.length > MAX_MESSAGE_BYTES)
    return fault('too-long', `${bytes.length} bytes are more than a message may have`);
  if (!FRAMING.hasMagic(bytes)) return fault('bad-magic', 'the message does not start with "REIN"');
  const version = FRAMING.versionOf(bytes);
  if (version !== WIRE_VERSION) {
    // The checksum matches this version: the version byte was damaged in transit.
    if (FRAMING.isIntact(bytes)) return fault('bad-checksum', 'the version is not the one that was sent');
    return fault('bad-version', `the other side speaks version ${version} of the protocol, this one ${WIRE_VERSION}`);
  }
  const kind = FRAME_KINDS[FRAMING.kindOf(bytes)];
  if (kind === undefined || kind === 'none') return fault('bad-kind', `kind ${FRAMING.kindOf(bytes)} is not known`);
  const payloadLength = FRAMING.lengthOf(bytes);
  if (payloadLength !== bytes.length - HEADER_BYTES) {
    return fault('bad-length', `the header announces ${payloadLength} bytes, ${bytes.length - HEADER_BYTES} came`);
  }
  if (!FRAMING.isIntact(bytes)) return fault('bad-checksum', 'CRC-32C differs');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const sequence = takeU64(view, HEADER.sequence);
  if (sequence === undefined) return fault('bad-value', 'the sequence number is 2^53 or more');
  return ok({
    kind,
    flags: view.getUint16(HEADER.flags, true),
    schemaHash: hexOf(bytes, HEADER.schema),
    robotHash: hexOf(bytes, HEADER.robot),
    epoch: view.getUint32(HEADER.epoch, true),
    count: view.getUint32(HEADER.count, true),
    sequence,
    monotonicNs: view.getBigUint64(HEADER.monotonicNs, true),
    payload: bytes.subarray(HEADER_BYTES),
  });
}

/** Weights version in a frame's header, otherwise unchecked; `undefined` if it is no weights frame. */
export function peekWeightsVersion(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER_BYTES || FRAMING.versionOf(bytes) !== WIRE_VERSION) return undefined;
  if (FRAMING.kindOf(bytes) !== FRAME_KINDS.indexOf('weights')) return undefined;
  return takeU64(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), HEADER.sequence);
}

/** Decodes sixteen hexadecimal digits to eight bytes. Throws `RangeError` on anything else. */
export function hashBytes(hash: string): Uint8Array {
  if (!/^[0-9a-f]{16}$/.test(hash)) throw new RangeError(`"${hash}" is not sixteen hexadecimal digits`);
  return Buffer.from(hash, 'hex');
}

/** Encodes the eight bytes at `offset` as sixteen hexadecimal digits. */
export function hexOf(bytes: Uint8Array, offset: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + offset, 8).toString('hex');
}
