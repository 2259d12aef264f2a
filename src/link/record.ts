/**
 * A transition as bytes: the same record on the wire and in the journal. The table below is the format;
 * the codec interprets it, and `tests/python/read_frames.py` reads it back.
 */
import { endianness } from 'node:os';
import { createTransition, ok, type Result, SOURCES, type Transition } from '../core/index.ts';
import { fault, type LinkFault, readU64, writeU64 } from './wire.ts';

type NumberKey = { [K in keyof Transition]: Transition[K] extends number ? K : never }[keyof Transition];
type FlagKey = { [K in keyof Transition]: Transition[K] extends boolean ? K : never }[keyof Transition];
type ArrayKey = { [K in keyof Transition]: Transition[K] extends Float32Array ? K : never }[keyof Transition];

/**
 * Version of the table below. The hello and its answer, and every journal file, carry it. 2 added `marginMin`, `tankDrainJ`
 * and `tankLevel`. Byte 83 was zero in its first records, which is what `isBasePhase` says of them.
 */
export const RECORD_VERSION = 2;

/** One scalar of a record at a fixed offset. `source` is an index into `SOURCES`, a flag is 0 or 1. */
export type ScalarField =
  | { readonly name: NumberKey; readonly offset: number; readonly type: 'u64' | 'u32' | 'f64' }
  | { readonly name: FlagKey; readonly offset: number; readonly type: 'flag' }
  | { readonly name: 'source'; readonly offset: number; readonly type: 'source' };

/** The scalars, little-endian. */
export const SCALARS: readonly ScalarField[] = [
  { name: 'seq', offset: 0, type: 'u64' },
  { name: 'epoch', offset: 8, type: 'u32' },
  { name: 'episode', offset: 12, type: 'u32' },
  { name: 'step', offset: 16, type: 'u32' },
  { name: 'segment', offset: 20, type: 'u32' },
  { name: 'policyVersion', offset: 24, type: 'u32' },
  { name: 'filterBits', offset: 28, type: 'u32' },
  { name: 'observationAgeMs', offset: 32, type: 'f64' },
  { name: 'reward', offset: 40, type: 'f64' },
  { name: 'cost', offset: 48, type: 'f64' },
  { name: 'marginMin', offset: 56, type: 'f64' },
  { name: 'tankDrainJ', offset: 64, type: 'f64' },
  { name: 'tankLevel', offset: 72, type: 'f64' },
  { name: 'source', offset: 80, type: 'source' },
  { name: 'terminated', offset: 81, type: 'flag' },
  { name: 'truncated', offset: 82, type: 'flag' },
  { name: 'isBasePhase', offset: 83, type: 'flag' },
];

/** Where the arrays start; they follow one another as 32-bit floats in this order, O or A numbers each. */
export const ARRAYS_OFFSET = 84;
export const ARRAYS: readonly { readonly name: ArrayKey; readonly size: 'O' | 'A' }[] = [
  { name: 'observation', size: 'O' },
  { name: 'nextObservation', size: 'O' },
  { name: 'policyAction', size: 'A' },
  { name: 'humanAction', size: 'A' },
  { name: 'executed', size: 'A' },
];

/** The sizes that a run's schema fixes. */
export interface RecordSizes {
  /** O: numbers in one observation. */
  readonly observationSize: number;
  /** A: numbers in one action. */
  readonly actionSize: number;
}

/** Names a record for ever: records of one journal are ordered by it. */
export interface RecordId {
  readonly epoch: number;
  readonly seq: number;
}

if (endianness() !== 'LE') throw new Error('records are copied as little-endian memory; this machine is big-endian');

/** Bytes of one record. */
export function recordBytes({ observationSize, actionSize }: RecordSizes): number {
  return ARRAYS_OFFSET + 4 * (2 * observationSize + 3 * actionSize);
}

/** -1, 0 or 1 as `a` comes before, is, or comes after `b`. */
export function compareIds(a: RecordId, b: RecordId): number {
  return Math.sign(a.epoch - b.epoch) || Math.sign(a.seq - b.seq);
}

/** Writes `transition` at `offset` of `out`. Allocates nothing. Throws `RangeError` when an array has another size. */
export function encodeRecord(
  out: Uint8Array,
  view: DataView,
  offset: number,
  transition: Transition,
  sizes: RecordSizes,
): void {
  for (const field of SCALARS) {
    const at = offset + field.offset;
    if (field.type === 'flag') out[at] = transition[field.name] ? 1 : 0;
    else if (field.type === 'source') out[at] = SOURCES.indexOf(transition.source);
    else if (field.type === 'f64') view.setFloat64(at, transition[field.name], true);
    else if (field.type === 'u32') view.setUint32(at, transition[field.name], true);
    else writeU64(view, at, transition[field.name]);
  }
  let at = offset + ARRAYS_OFFSET;
  for (const { name, size } of ARRAYS) {
    const values = transition[name];
    const length = size === 'O' ? sizes.observationSize : sizes.actionSize;
    if (values.length !== length)
      throw new RangeError(`${name} has ${values.length} numbers, the schema says ${length}`);
    for (let i = 0; i < length; i++) view.setFloat32(at + 4 * i, values[i]!, true);
    at += 4 * length;
  }
}

/**
 * Reads the record that fills `bytes` into a new transition, or into `into` when given. Never throws on bad bytes:
 * a wrong length, an unknown source, a flag that is neither 0 nor 1 or a number that is not finite gives a reason.
 */
export function decodeRecord(
  bytes: Uint8Array,
  sizes: RecordSizes,
  into: Transition = createTransition(sizes.observationSize, sizes.actionSize),
): Result<Transition, LinkFault> {
  if (bytes.length !== recordBytes(sizes)) {
    return fault('bad-length', `a record has ${bytes.length} bytes, the schema says ${recordBytes(sizes)}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const field of SCALARS) {
    const problem = readScalar(view, field, into);
    if (problem !== undefined) return fault(problem, `${field.name} of a record is out of range`);
  }
  let at = ARRAYS_OFFSET;
  for (const { name, size } of ARRAYS) {
    const values = into[name];
    const length = size === 'O' ? sizes.observationSize : sizes.actionSize;
    for (let i = 0; i < length; i++) {
      const value = view.getFloat32(at + 4 * i, true);
      if (!Number.isFinite(value)) return fault('not-finite', `${name}[${i}] of a record is not finite`);
      values[i] = value;
    }
    at += 4 * length;
  }
  return ok(into);
}

/** The epoch and sequence number of the record at `offset`, unchecked. */
export function peekId(view: DataView, offset: number): RecordId {
  return { epoch: view.getUint32(offset + 8, true), seq: readU64(view, offset) ?? Number.MAX_SAFE_INTEGER };
}

function readScalar(view: DataView, field: ScalarField, into: Transition): 'bad-value' | 'not-finite' | undefined {
  if (field.type === 'u32') into[field.name] = view.getUint32(field.offset, true);
  else if (field.type === 'f64') {
    const value = view.getFloat64(field.offset, true);
    if (!Number.isFinite(value)) return 'not-finite';
    into[field.name] = value;
  } else if (field.type === 'u64') {
    const value = readU64(view, field.offset);
    if (value === undefined) return 'bad-value';
    into[field.name] = value;
  } else if (field.type === 'flag') {
    const value = view.getUint8(field.offset);
    if (value > 1) return 'bad-value';
    into[field.name] = value === 1;
  } else {
    const source = SOURCES[view.getUint8(field.offset)];
    if (source === undefined) return 'bad-value';
    into.source = source;
  }
  return undefined;
}
