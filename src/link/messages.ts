/** What the frames between robot and learner say: typed payloads over `wire.ts`, each with a reader that never throws. */
import {
  asObject,
  countNumbers,
  isCount,
  isWeightsManifest,
  ok,
  type PolicyWeights,
  parseObject,
  type Result,
  type WeightsManifest,
} from '../core/index.ts';
import { compareIds, type RecordId, type RecordSizes, recordBytes } from './record.ts';
import { type Frame, fault, HEADER_BYTES, type LinkFault, MAX_MESSAGE_BYTES, readU64, writeU64 } from './wire.ts';

/** The robot's first message on every connection; the schema hash is in the frame's header. */
export interface Hello {
  readonly robotId: string;
  readonly runId: string;
  readonly journalId: string;
  readonly epoch: number;
  readonly observationSize: number;
  readonly actionSize: number;
  /** `RECORD_VERSION` of the robot. */
  readonly recordVersion: number;
  /** Drawn when the uplink was made: tells a reconnection from another process. */
  readonly instance: string;
  readonly pid: number;
  readonly host: string;
  /** What its numbers mean, key by key; compared with the learner's where that has one. */
  readonly meaning?: Readonly<Record<string, unknown>>;
}

/** The learner's answer: what it has, and how much may be under way. */
export interface HelloAck {
  /** The newest record it accepted, or null. */
  readonly watermark: RecordId | null;
  /** Records it accepted of this journal so far. */
  readonly delivered: number;
  /** Records that may be sent beyond the watermark. */
  readonly creditRecords: number;
  /** `RECORD_VERSION` of the learner. */
  readonly recordVersion: number;
  /** Drawn when the server was started. */
  readonly instance: string;
}

/** Body of the learner's `status` message, several times a second. */
export interface LearnerStatus {
  readonly updates: number;
  /** Updates of cloning and offline training, before the first of `updates`. */
  readonly pretrained: number;
  readonly updatesPerS: number;
  /** Updates per online transition that pays for updates. */
  readonly utd: number;
  /** Online transitions accepted. */
  readonly online: number;
  readonly version: number;
  /** Counts over all robots: see `ServerCounters`. */
  readonly delivered: number;
  readonly repeated: number;
  readonly lost: number;
}

/** Why the learner does not talk to a robot. `no-session` only asks it to say hello again. */
export interface Refusal {
  readonly code: 'wrong-version' | 'wrong-run' | 'wrong-schema' | 'robot-busy' | 'no-session';
  readonly sentence: string;
  readonly remedy: string;
}

/** What a learner tells anybody who asks, before a hello: enough to join its run. The schema hash is in the frame's header. */
export interface About {
  readonly runId: string;
  /** Newest weights; 0 before training has begun. */
  readonly weightsVersion: number;
  /** What observations and actions mean to it, key by key. */
  readonly meaning?: Readonly<Record<string, unknown>>;
}

/** A message of the reliable control channel. */
export interface ControlMessage {
  readonly kind: string;
  readonly body: Record<string, unknown>;
  /** The oldest number that the sender still keeps: older ones will never come. */
  readonly base: number;
}

/** Flags of an `ack` frame. */
export const ACK_REWIND = 1;
export const ACK_NOTHING_YET = 2;

type FieldType = 'string' | 'count' | 'object' | 'record id or null';
type Fields = Readonly<Record<string, FieldType>>;
const HELLO: Record<Exclude<keyof Hello, 'meaning'>, FieldType> = {
  robotId: 'string',
  runId: 'string',
  journalId: 'string',
  epoch: 'count',
  observationSize: 'count',
  actionSize: 'count',
  recordVersion: 'count',
  instance: 'string',
  pid: 'count',
  host: 'string',
};
const HELLO_ACK: Record<keyof HelloAck, FieldType> = {
  watermark: 'record id or null',
  delivered: 'count',
  creditRecords: 'count',
  recordVersion: 'count',
  instance: 'string',
};
const ABOUT: Record<Exclude<keyof About, 'meaning'>, FieldType> = { runId: 'string', weightsVersion: 'count' };
const REFUSAL: Record<keyof Refusal, FieldType> = { code: 'string', sentence: 'string', remedy: 'string' };
const CONTROL: Record<keyof ControlMessage, FieldType> = { kind: 'string', body: 'object', base: 'count' };
const RECORD_ID: Record<keyof RecordId, FieldType> = { epoch: 'count', seq: 'count' };

const SAME_VERSION = 'run the same version of Rein on the robot and on the learner';

/** Why a robot and a learner of different formats do not talk. */
export function versionRefusal(robot: number, learner: number): Refusal {
  const sentence = `the robot writes transitions in version ${robot}, the learner reads version ${learner}`;
  return { code: 'wrong-version', sentence, remedy: SAME_VERSION };
}

/** The same where not even frames can be read: `problem` is what `decodeFrame` said of a `bad-version`. */
export function protocolRefusal({ sentence }: LinkFault): Refusal {
  return { code: 'wrong-version', sentence, remedy: SAME_VERSION };
}

/** An object as a JSON payload. */
export function jsonPayload(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

export function readHello(payload: Uint8Array): Result<Hello, LinkFault> {
  return read(withRecordVersion(parseObject(payload)), HELLO, 'a hello');
}

export function readHelloAck(payload: Uint8Array): Result<HelloAck, LinkFault> {
  return read(withRecordVersion(parseObject(payload)), HELLO_ACK, 'an answer to a hello');
}

export function readAbout(payload: Uint8Array): Result<About, LinkFault> {
  return read(parseObject(payload), ABOUT, 'what a learner says of itself');
}

export function readRefusal(payload: Uint8Array): Result<Refusal, LinkFault> {
  return read(parseObject(payload), REFUSAL, 'a refusal');
}

export function readControl(payload: Uint8Array): Result<ControlMessage, LinkFault> {
  return read(parseObject(payload), CONTROL, 'a control message');
}

/** Transitions in a row. `previous` is the record the sender sent before them, so that a gap shows. */
export interface TransitionBatch {
  readonly previous: RecordId | null;
  readonly records: Uint8Array;
}

/** Layout of a batch: u32 epoch and u64 seq of `previous` at 0 and 8, u32 1 at 4 where there is one; records from 16 on. */
const BATCH_PREFIX_BYTES = 16;

export function batchPayload(batch: TransitionBatch): Uint8Array {
  const bytes = new Uint8Array(BATCH_PREFIX_BYTES + batch.records.length);
  const view = new DataView(bytes.buffer);
  if (batch.previous !== null) {
    view.setUint32(0, batch.previous.epoch, true);
    view.setUint32(4, 1, true);
    writeU64(view, 8, batch.previous.seq);
  }
  bytes.set(batch.records, BATCH_PREFIX_BYTES);
  return bytes;
}

/** Reads a batch; the records stay a view into the frame. */
export function readBatch(frame: Frame, sizes: RecordSizes): Result<TransitionBatch, LinkFault> {
  const { payload, count } = frame;
  if (payload.length !== BATCH_PREFIX_BYTES + count * recordBytes(sizes)) {
    return fault('bad-length', `${count} records do not fill ${payload.length} bytes`);
  }
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  const seq = readU64(view, 8);
  if (seq === undefined) return fault('bad-value', 'a sequence number is 2^53 or more');
  const previous = view.getUint32(4, true) === 1 ? { epoch: view.getUint32(0, true), seq } : null;
  return ok({ previous, records: payload.subarray(BATCH_PREFIX_BYTES) });
}

/** The learner's count of accepted records, as the payload of an `ack`. */
export function ackPayload(delivered: number): Uint8Array {
  const bytes = new Uint8Array(8);
  writeU64(new DataView(bytes.buffer), 0, delivered);
  return bytes;
}

/** What an `ack` frame says. */
export interface Ack {
  readonly watermark: RecordId | null;
  readonly delivered: number;
  /** The learner misses something before what it just received. */
  readonly isRewind: boolean;
}

export function readAck(frame: Frame): Result<Ack, LinkFault> {
  if (frame.payload.length !== 8) return fault('bad-length', 'an ack has eight bytes of payload');
  const delivered = readU64(new DataView(frame.payload.buffer, frame.payload.byteOffset, 8), 0);
  if (delivered === undefined) return fault('bad-value', 'a count is 2^53 or more');
  const watermark = frame.flags & ACK_NOTHING_YET ? null : { epoch: frame.epoch, seq: frame.sequence };
  return ok({ watermark, delivered, isRewind: (frame.flags & ACK_REWIND) !== 0 });
}

/** Layout of weights: u32 lengths of manifest, graph (bytes) and weights (numbers), u32 0; then these three, each from a multiple of 4. */
const PREFIX_BYTES = 16;
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** A bundle as a frame's payload. Throws `RangeError` when it would not fit into a message. */
export function encodeBundle(bundle: PolicyWeights): Uint8Array {
  const manifest = Buffer.from(JSON.stringify(bundle.manifest), 'utf8');
  const graphAt = PREFIX_BYTES + padded(manifest.length);
  const weightsAt = graphAt + padded(bundle.graph.length);
  const total = weightsAt + bundle.weights.byteLength;
  if (total + HEADER_BYTES > MAX_MESSAGE_BYTES) throw new RangeError(`a weights bundle of ${total} bytes is too large`);
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, manifest.length, true);
  view.setUint32(4, bundle.graph.length, true);
  view.setUint32(8, bundle.weights.length, true);
  bytes.set(manifest, PREFIX_BYTES);
  bytes.set(bundle.graph, graphAt);
  bytes.set(bytesOf(bundle.weights), weightsAt);
  return bytes;
}

/** Reads a bundle's structure; `verifyWeights` decides whether it may be used. Never throws; copies the arrays. */
export function decodeBundle(bytes: Uint8Array): Result<PolicyWeights, LinkFault> {
  if (bytes.length < PREFIX_BYTES) return fault('too-short', 'a weights bundle is shorter than its prefix');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const manifestLength = view.getUint32(0, true);
  const graphLength = view.getUint32(4, true);
  const weightsLength = view.getUint32(8, true);
  const graphAt = PREFIX_BYTES + padded(manifestLength);
  const weightsAt = graphAt + padded(graphLength);
  if (manifestLength > MAX_MANIFEST_BYTES || weightsAt + 4 * weightsLength !== bytes.length) {
    return fault('bad-length', 'the lengths in a weights bundle do not add up');
  }
  const fields = parseObject(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + manifestLength));
  if (fields === undefined || !isWeightsManifest(fields)) {
    return fault('bad-message', 'the manifest of a weights bundle cannot be read');
  }
  const manifest = fields as unknown as WeightsManifest;
  if (countNumbers(manifest.shapes) !== weightsLength) {
    return fault('bad-length', 'the shapes in a weights manifest do not match the weights');
  }
  const weights = new Float32Array(weightsLength);
  bytesOf(weights).set(bytes.subarray(weightsAt));
  return ok({ manifest, graph: new Uint8Array(bytes.subarray(graphAt, graphAt + graphLength)), weights });
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** True where everything up to `id` is covered by `watermark`. */
export function isCovered(id: RecordId | null, watermark: RecordId | null): boolean {
  return id === null || (watermark !== null && compareIds(id, watermark) <= 0);
}

/** `value` where it has all of `fields`; a fault that names `what` it was to be where it has not. */
function read<T>(value: Record<string, unknown> | undefined, fields: Fields, what: string): Result<T, LinkFault> {
  return value !== undefined && hasFields(value, fields)
    ? ok(value as T)
    : fault('bad-message', `${what} cannot be read`);
}

function hasFields(value: Record<string, unknown>, fields: Fields): boolean {
  return Object.entries(fields).every(([name, type]) => IS[type](value[name]));
}

const IS: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  count: isCount,
  object: (value) => asObject(value) !== undefined,
  'record id or null': (value) => value === null || hasFields(asObject(value) ?? {}, RECORD_ID),
};

/** Peers of version 1 say none. */
function withRecordVersion(value: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  return value === undefined ? undefined : { recordVersion: 1, ...value };
}
