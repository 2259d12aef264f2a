/** Payloads of the frames between robot and learner: typed messages over `wire.ts`, each with a reader that never throws. */
import { z } from 'zod';
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
} from '../model/index.ts';
import { putU64, takeU64 } from '../rows/index.ts';
import { compareIds, type RecordId, type RecordSizes, recordBytes } from './record.ts';
import { type Frame, fault, HEADER_BYTES, type LinkFault, MAX_MESSAGE_BYTES } from './wire.ts';

/** An integer from 0 to 2^53 − 1. */
const count = z.custom<number>(isCount);
const plainObject = z.custom<Record<string, unknown>>((value) => asObject(value) !== undefined);
/** Meaning of the numbers, key by key. */
const meaning = z.custom<Readonly<Record<string, unknown>>>().optional();
/** `RECORD_VERSION` of the sender. Peers of version 1 send none. */
const recordVersion = count.default(1);

/** The robot's first message on every connection; the schema hash is in the frame's header. */
const helloSchema = z.object({
  robotId: z.string(),
  runId: z.string(),
  journalId: z.string(),
  epoch: count,
  observationSize: count,
  actionSize: count,
  recordVersion,
  /** Drawn when the uplink was created: distinguishes a reconnection from another process. */
  instance: z.string(),
  pid: count,
  host: z.string(),
  /** Compared with the learner's, if it has one. */
  meaning,
});
export type Hello = Readonly<z.infer<typeof helloSchema>>;

/** The learner's answer: the records it has, and how many may be in flight. */
const helloAckSchema = z.object({
  /** Newest accepted record, or null. */
  watermark: z.object({ epoch: count, seq: count }).nullable(),
  /** Number of this journal's records accepted so far. */
  delivered: count,
  /** Number of records that may be sent beyond the watermark. */
  creditRecords: count,
  recordVersion,
  /** Drawn when the server was started. */
  instance: z.string(),
});
export type HelloAck = Readonly<z.infer<typeof helloAckSchema>>;

/** Reason for which the learner refuses a robot. */
const refusalSchema = z.object({
  /** `no-session` only requests another hello. Later learners may have further codes. */
  code: z.custom<'wrong-version' | 'wrong-run' | 'wrong-schema' | 'robot-busy' | 'no-session'>(
    (code) => typeof code === 'string',
  ),
  message: z.string(),
  remedy: z.string(),
});
export type Refusal = Readonly<z.infer<typeof refusalSchema>>;

/** Answer of a learner to any query before a hello: enough to join its run. The schema hash is in the frame's header. */
const aboutSchema = z.object({
  runId: z.string(),
  /** Version of the newest weights; 0 before training has begun. */
  weightsVersion: count,
  meaning,
});
export type About = Readonly<z.infer<typeof aboutSchema>>;

/** A message of the reliable control channel. */
const controlSchema = z.object({
  kind: z.string(),
  body: plainObject,
  /** Oldest number that the sender still keeps: older ones will never arrive. */
  base: count,
});
export type ControlMessage = Readonly<z.infer<typeof controlSchema>>;

/** Body of the learner's `status` message, sent several times a second. */
const statusSchema = z.object({
  updates: count,
  /** Updates of behaviour cloning and offline training, before the first of `updates`. */
  pretrained: count,
  updatesPerS: z.number(),
  /** Updates per online transition counted for updates. */
  utd: z.number(),
  /** Online transitions accepted. */
  online: count,
  version: count,
  /** Counts over all robots: see `ServerCounters`. */
  delivered: count,
  repeated: count,
  lost: count,
});
export type LearnerStatus = Readonly<z.infer<typeof statusSchema>>;

/** Body of a robot's `demonstrationsComplete`: the total number of transitions in its demonstrations. */
const demonstrationsSchema = z.object({ transitions: count });

/** Largest number of steps in one report of values. */
export const MAX_VALUED_STEPS = 64;

/** Body of the learner's `values` message, to one robot: its critics' values of executed steps of one episode, in order. */
const stepValuesSchema = z
  .object({
    epoch: count,
    episode: count,
    steps: z.array(count).max(MAX_VALUED_STEPS),
    /** Q value of each step. */
    values: z.array(z.number()),
  })
  .refine(({ steps, values }) => steps.length === values.length);
export type StepValues = Readonly<z.infer<typeof stepValuesSchema>>;

/** Flags of an `ack` frame. */
export const ACK_REWIND = 1;
export const ACK_NOTHING_YET = 2;

const SAME_VERSION = 'run the same version of Rein on the robot and on the learner';

/** Refusal for different record versions of robot and learner. */
export function versionRefusal(robot: number, learner: number): Refusal {
  const message = `the robot writes transitions in version ${robot}, the learner reads version ${learner}`;
  return { code: 'wrong-version', message, remedy: SAME_VERSION };
}

/** Refusal for different frame versions: `problem` is the `bad-version` fault of `decodeFrame`. */
export function protocolRefusal({ message }: LinkFault): Refusal {
  return { code: 'wrong-version', message, remedy: SAME_VERSION };
}

/** Encodes an object as a JSON payload. */
export function jsonPayload(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

export function readHello(payload: Uint8Array): Result<Hello, LinkFault> {
  return read(payload, helloSchema, 'a hello');
}

export function readHelloAck(payload: Uint8Array): Result<HelloAck, LinkFault> {
  return read(payload, helloAckSchema, 'an answer to a hello');
}

export function readAbout(payload: Uint8Array): Result<About, LinkFault> {
  return read(payload, aboutSchema, 'the description of a learner');
}

export function readRefusal(payload: Uint8Array): Result<Refusal, LinkFault> {
  return read(payload, refusalSchema, 'a refusal');
}

export function readControl(payload: Uint8Array): Result<ControlMessage, LinkFault> {
  return read(payload, controlSchema, 'a control message');
}

/** Body of a validated control message. */
type Body = ControlMessage['body'];

export function readStatus(body: Body): Result<LearnerStatus, LinkFault> {
  return fitted(body, statusSchema, "a learner's status");
}

export function readStepValues(body: Body): Result<StepValues, LinkFault> {
  return fitted(body, stepValuesSchema, 'a report of values');
}

export function readDemonstrations(body: Body): Result<z.infer<typeof demonstrationsSchema>, LinkFault> {
  return fitted(body, demonstrationsSchema, 'a report of demonstrations');
}

/** Consecutive transitions. `previous` is the record sent before them, so that a gap is detected. */
export interface TransitionBatch {
  readonly previous: RecordId | null;
  readonly records: Uint8Array;
}

/** Layout of a batch: u32 epoch and u64 seq of `previous` at 0 and 8, u32 1 at 4 if there is one; records from 16 on. */
const BATCH_PREFIX_BYTES = 16;

export function batchPayload(batch: TransitionBatch): Uint8Array {
  const bytes = new Uint8Array(BATCH_PREFIX_BYTES + batch.records.length);
  const view = new DataView(bytes.buffer);
  if (batch.previous !== null) {
    view.setUint32(0, batch.previous.epoch, true);
    view.setUint32(4, 1, true);
    putU64(view, 8, batch.previous.seq);
  }
  bytes.set(batch.records, BATCH_PREFIX_BYTES);
  return bytes;
}

/** Reads a batch; the records remain a view into the frame. */
export function readBatch(frame: Frame, sizes: RecordSizes): Result<TransitionBatch, LinkFault> {
  const { payload, count } = frame;
  if (payload.length !== BATCH_PREFIX_BYTES + count * recordBytes(sizes)) {
    return fault('bad-length', `${count} records do not fill ${payload.length} bytes`);
  }
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  const seq = takeU64(view, 8);
  if (seq === undefined) return fault('bad-value', 'a sequence number is 2^53 or more');
  const previous = view.getUint32(4, true) === 1 ? { epoch: view.getUint32(0, true), seq } : null;
  return ok({ previous, records: payload.subarray(BATCH_PREFIX_BYTES) });
}

/** Encodes the learner's count of accepted records as the payload of an `ack`. */
export function ackPayload(delivered: number): Uint8Array {
  const bytes = new Uint8Array(8);
  putU64(new DataView(bytes.buffer), 0, delivered);
  return bytes;
}

/** Content of an `ack` frame. */
export interface Ack {
  readonly watermark: RecordId | null;
  readonly delivered: number;
  /** The learner lacks a record before those just received. */
  readonly isRewind: boolean;
}

export function readAck(frame: Frame): Result<Ack, LinkFault> {
  if (frame.payload.length !== 8) return fault('bad-length', 'an ack has eight bytes of payload');
  const delivered = takeU64(new DataView(frame.payload.buffer, frame.payload.byteOffset, 8), 0);
  if (delivered === undefined) return fault('bad-value', 'a count is 2^53 or more');
  const watermark = frame.flags & ACK_NOTHING_YET ? null : { epoch: frame.epoch, seq: frame.sequence };
  return ok({ watermark, delivered, isRewind: (frame.flags & ACK_REWIND) !== 0 });
}

/** Layout of weights: u32 lengths of manifest, graph (bytes) and weights (numbers), u32 0; then these three, each 4-byte aligned. */
const PREFIX_BYTES = 16;
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** Encodes a bundle as a frame's payload. Throws `RangeError` if it would not fit into a message. */
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

/** True if everything up to `id` is covered by `watermark`. */
export function isCovered(id: RecordId | null, watermark: RecordId | null): boolean {
  return id === null || (watermark !== null && compareIds(id, watermark) <= 0);
}

/** Validates a payload with `schema`; otherwise returns a fault that names the expected message `what`. */
function read<T>(payload: Uint8Array, schema: z.ZodType<T>, what: string): Result<T, LinkFault> {
  return fitted(parseObject(payload), schema, what);
}

function fitted<T>(value: unknown, schema: z.ZodType<T>, what: string): Result<T, LinkFault> {
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : fault('bad-message', `${what} cannot be read`);
}
