/**
 * Byte format of a transition, on the wire and in the journal. Scalars are little-endian, one after another in the order of
 * `TRANSITION`; a word or a flag is one byte. Arrays follow as 32-bit floats. `tests/python/read_frames.py` reads it too.
 */
import { endianness } from 'node:os';
import { ok, type Result } from '../model/index.ts';
import { type ByteCodec, byteCodecOf, createTransition, TRANSITION, type Transition, takeU64 } from '../rows/index.ts';
import { fault, type LinkFault } from './wire.ts';

/**
 * Version of the record, carried by the hello, its answer, and every journal file. 2 added `marginMin`, `tankDrainJ`
 * and `tankLevel`. In early records byte 83, now `isBasePhase`, was zero, which is the correct value for them.
 */
export const RECORD_VERSION = 2;

const RECORD: ByteCodec<Transition> = byteCodecOf(TRANSITION);
const EPOCH_OFFSET = RECORD.offsetOf('epoch');
const SEQ_OFFSET = RECORD.offsetOf('seq');

/** Sizes fixed by a run's schema. */
export type RecordSizes = {
  /** O: numbers in one observation. */
  readonly observationSize: number;
  /** A: numbers in one action. */
  readonly actionSize: number;
};

/** Permanent identity of a record; orders the records of one journal. */
export interface RecordId {
  readonly epoch: number;
  readonly seq: number;
}

if (endianness() !== 'LE') throw new Error('records are copied as little-endian memory; this machine is big-endian');

/** Size of one record, bytes. */
export function recordBytes(sizes: RecordSizes): number {
  return RECORD.size(sizes);
}

/** Returns −1, 0 or 1 if `a` is before, equal to, or after `b`. */
export function compareIds(a: RecordId, b: RecordId): number {
  return Math.sign(a.epoch - b.epoch) || Math.sign(a.seq - b.seq);
}

/** Writes `transition` at `offset` of `view`. Allocates nothing. Throws `RangeError` if an array has another size. */
export function encodeRecord(view: DataView, offset: number, transition: Transition, sizes: RecordSizes): void {
  RECORD.write(view, offset, transition, sizes);
}

/**
 * Reads the record that fills `bytes`. Never throws on bad bytes: a wrong length, an unknown source, a flag that is neither 0 nor 1
 * or a non-finite number returns a fault.
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
