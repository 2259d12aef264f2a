/**
 * Every transition of a trial, in order: what a resumed trial fills its replay from. The file is `REINLOG1`, the sizes O and A
 * (u32), then records: a byte that says which, its fields, and CRC-32C of both. Little-endian.
 *
 *   start (0)  source u8, zero u16, observation f32[O]           an episode begins
 *   step  (1)  source u8, flags u8, zero u8, reward f64, cost f64, tank drain f64, executed f32[A], policy's f32[A], next observation f32[O]
 *
 * An observation is stored once: the one after a step is the one before the next.
 */
import { readFileSync } from 'node:fs';
import {
  crc32c,
  createTransition,
  isIntervention,
  ReinError,
  SOURCES,
  type Source,
  type Transition,
} from '../../core/index.ts';
import { AppendFile } from './append-file.ts';

const MAGIC = 'REINLOG1';
const HEADER_BYTES = 16;
const START = 0;
const STEP = 1;
const TERMINATED = 1;
const TRUNCATED = 2;
/** Bytes before the arrays of each record. */
const START_FIELDS = 4;
const STEP_FIELDS = 28;
const CRC_BYTES = 4;

export interface TransitionSizes {
  readonly observationSize: number;
  readonly actionSize: number;
}

/** Where a log was when a checkpoint was taken. */
export interface LogPosition {
  readonly transitions: number;
  readonly bytes: number;
}

export class TransitionLog {
  readonly #file: AppendFile;
  #transitions: number;

  /** Opens the log at `path` and cuts it to `position`. Throws `ReinError` as `AppendFile` does. */
  constructor(path: string, sizes: TransitionSizes, position: LogPosition) {
    this.#file = new AppendFile(path, position.bytes);
    this.#transitions = position.transitions;
    if (position.bytes > 0) return;
    const header = Buffer.alloc(HEADER_BYTES);
    header.write(MAGIC, 'latin1');
    header.writeUInt32LE(sizes.observationSize, 8);
    header.writeUInt32LE(sizes.actionSize, 12);
    this.#file.append(header);
  }

  get position(): LogPosition {
    return { transitions: this.#transitions, bytes: this.#file.length };
  }

  /** Copies `transition` in. The first of an episode (step 0) brings its observation along. */
  append(transition: Transition): void {
    if (transition.step === 0) this.#file.append(startRecord(transition));
    this.#file.append(stepRecord(transition));
    this.#transitions++;
  }

  sync(): void {
    this.#file.sync();
  }

  close(): void {
    this.#file.close();
  }
}

function startRecord({ source, observation }: Transition): Uint8Array {
  const record = Buffer.alloc(START_FIELDS + 4 * observation.length + CRC_BYTES);
  record[0] = START;
  record[1] = SOURCES.indexOf(source);
  putFloats(record, START_FIELDS, observation);
  return sealed(record);
}

function stepRecord(t: Transition): Uint8Array {
  const [O, A] = [t.nextObservation.length, t.executed.length];
  const record = Buffer.alloc(STEP_FIELDS + 4 * (2 * A + O) + CRC_BYTES);
  record[0] = STEP;
  record[1] = SOURCES.indexOf(t.source);
  record[2] = (t.terminated ? TERMINATED : 0) + (t.truncated ? TRUNCATED : 0);
  record.writeDoubleLE(t.reward, 4);
  record.writeDoubleLE(t.cost, 12);
  record.writeDoubleLE(t.tankDrainJ, 20);
  putFloats(record, STEP_FIELDS, t.executed);
  putFloats(record, STEP_FIELDS + 4 * A, t.policyAction);
  putFloats(record, STEP_FIELDS + 8 * A, t.nextObservation);
  return sealed(record);
}

function putFloats(record: Buffer, at: number, values: Float32Array): void {
  record.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
}

function sealed(record: Buffer): Buffer {
  record.writeUInt32LE(crc32c(record.subarray(0, -CRC_BYTES)), record.length - CRC_BYTES);
  return record;
}

/**
 * The transitions in the first `bytes` bytes of the log at `path` (all of it where not given), each a new object. Throws
 * `ReinError('checkpoint')` for a log of other sizes and at a record that is damaged.
 */
export function* readTransitionLog(path: string, sizes: TransitionSizes, bytes?: number): Generator<Transition> {
  const { observationSize: O, actionSize: A } = sizes;
  const log = readWhole(path).subarray(0, bytes);
  checkHeader(path, log, sizes);
  let before: Float32Array = new Float32Array(O);
  const numbering = new Numbering();
  let step = 0;
  for (let at = HEADER_BYTES; at < log.length; ) {
    const isStart = log[at] === START;
    const size = isStart ? START_FIELDS + 4 * O + CRC_BYTES : STEP_FIELDS + 4 * (2 * A + O) + CRC_BYTES;
    const record = log.subarray(at, at + size);
    checkRecord(path, at, record, size);
    at += size;
    if (isStart) {
      before = floats(record, START_FIELDS, O);
      step = 0;
      continue;
    }
    const t = stepOf(record, before, sizes);
    t.step = step++;
    numbering.stamp(t);
    yield t;
    before = t.nextObservation;
  }
}

function stepOf(
  record: Buffer,
  before: Float32Array,
  { observationSize: O, actionSize: A }: TransitionSizes,
): Transition {
  const t = createTransition(O, A);
  t.observation.set(before);
  t.source = SOURCES[record[1]!]!;
  t.terminated = (record[2]! & TERMINATED) !== 0;
  t.truncated = (record[2]! & TRUNCATED) !== 0;
  t.reward = record.readDoubleLE(4);
  t.cost = record.readDoubleLE(12);
  t.tankDrainJ = record.readDoubleLE(20);
  t.executed.set(floats(record, STEP_FIELDS, A));
  if (isIntervention(t.source)) t.humanAction.set(t.executed);
  t.policyAction.set(floats(record, STEP_FIELDS + 4 * A, A));
  t.nextObservation.set(floats(record, STEP_FIELDS + 8 * A, O));
  return t;
}

function floats(record: Buffer, at: number, count: number): Float32Array {
  // A copy: records lie at any byte.
  return new Float32Array(record.buffer.slice(record.byteOffset + at, record.byteOffset + at + 4 * count));
}

function readWhole(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw broken(`${path} cannot be read: ${(cause as Error).message}`, cause);
  }
}

function checkHeader(path: string, log: Buffer, { observationSize, actionSize }: TransitionSizes): void {
  if (log.length < HEADER_BYTES || log.toString('latin1', 0, 8) !== MAGIC) {
    throw broken(`${path} is not a log of transitions`);
  }
  const [O, A] = [log.readUInt32LE(8), log.readUInt32LE(12)];
  if (O === observationSize && A === actionSize) return;
  throw broken(
    `${path} holds observations of ${O} and actions of ${A} numbers, where ${observationSize} and ${actionSize} are needed`,
  );
}

function checkRecord(path: string, at: number, record: Buffer, size: number): void {
  const isKind = record[0] === START || record[0] === STEP;
  if (isKind && record.length === size && SOURCES[record[1]!] !== undefined) {
    if (crc32c(record.subarray(0, -CRC_BYTES)) === record.readUInt32LE(size - CRC_BYTES)) return;
  }
  throw broken(`${path} is damaged at byte ${at}`);
}

function broken(what: string, cause?: unknown): ReinError {
  return new ReinError('checkpoint', `${what}.`, {
    remedy: 'Restore the file, or begin again in another folder.',
    ...(cause === undefined ? {} : { cause }),
  });
}

export class Numbering {
  #seq = 0;
  #episode = -1;
  #segment = -1;
  #source: Source | undefined;

  /** Sets `epoch`, `seq`, `episode` and `segment` by what came before; an episode begins at step 0, a segment where the decider changes. */
  stamp(transition: Transition): void {
    const isFirst = transition.step === 0;
    if (isFirst) this.#episode++;
    if (isFirst || transition.source !== this.#source) this.#segment++;
    this.#source = transition.source;
    transition.epoch = 1;
    transition.seq = this.#seq++;
    transition.episode = this.#episode;
    transition.segment = this.#segment;
  }
}
