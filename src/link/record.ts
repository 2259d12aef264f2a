/**
 * A transition as bytes: the same record on the wire and in the journal. Scalars are little-endian, one after another in the order of
 * `TRANSITION`; a word or a flag is one byte. Arrays follow as 32-bit floats. `tests/python/read_frames.py` reads it back.
 */
import { endianness } from 'node:os';
import { createTransition, ok, type Result, TRANSITION, type Transition } from '../core/index.ts';
import { type ByteCodec, byteCodecOf, takeU64 } from '../rows/index.ts';
import { fault, type LinkFault } from './wire.ts';

/**
 * Version of the record. The hello and its answer, and every journal file, carry it. 2 added `marginMin`, `tankDrainJ`
 * and `tankLevel`. Byte 83 was zero in its first records, which is what `isBasePhase` says of them.
 */
export const RECORD_VERSION = 2;

const RECORD: ByteCodec<Transition> = byteCodecOf(TRANSITION);
const EPOCH_OFFSET = RECORD.offsetOf('epoch');
const SEQ_OFFSET = RECORD.offsetOf('seq');

/** The sizes that a run's schema fixes. */
export type RecordSizes = {
  /** O: numbers in one observation. */
  readonly observationSize: number;
  /** A: numbers in one action. */
  readonly actionSize: number;
};

/** Names a record for ever: records of one journal are ordered by it. */
export interface RecordId {
  readonly epoch: number;
  readonly seq: number;
}

if (endianness() !== 'LE') throw new Error('records are copied as little-endian memory; this machine is big-endian');

/** Bytes of one record. */
export function recordBytes(sizes: RecordSizes): number {
  return RECORD.size(sizes);
}

/** -1, 0 or 1 as `a` comes before, is, or comes after `b`. */
export function compareIds(a: RecordId, b: RecordId): number {
  return Math.sign(a.epoch - b.epoch) || Math.sign(a.seq - b.seq);
}

/** Writes `transition` at `offset` of `view`. Allocates nothing. Throws `RangeError` when an array has another size. */
export function encodeRecord(view: DataView, offset: number, transition: Transition, sizes: RecordSizes): void {
  RECORD.write(view, offset, transition, sizes);
}

/**
 * Reads the record that fills `bytes`. Never throws on bad bytes: a wrong length, an unknown source, a flag that is neither
 * 0 nor 1 or a number that is not finite gives a reason.
 */
export function decodeRecord(bytes: Uint8Array, sizes: RecordSizes): Result<Transition, LinkFault> {
  if (bytes.length !== recordBytes(sizes)) {
    return fault('bad-length', `a record has ${bytes.length} bytes, the schema says ${recordBytes(sizes)}`);
  }
  const into = createTransition(sizes.observationSize, sizes.actionSize);
  const problem = RECORD.read(into, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0);
  if (problem === undefined) return ok(into);
  const { reason, value } = problem;
  return fault(reason, `${value} of a record is ${reason === 'not-finite' ? 'not finite' : 'out of range'}`);
}

/** The epoch and sequence number of the record at `offset`, unchecked. */
export function peekId(view: DataView, offset: number): RecordId {
  return {
    epoch: view.getUint32(offset + EPOCH_OFFSET, true),
    seq: takeU64(view, offset + SEQ_OFFSET) ?? Number.MAX_SAFE_INTEGER,
  };
}
