/**
 * Telemetry packets of a run for its viewers: one packet per fact, the same from the session to the monitor's server and from there
 * to a page. The first byte is the kind. Numbers are little-endian doubles, so that a page reads them in place; all else is
 * JSON. Imports nothing but tables and lists: pages are built with it.
 */
import { doubles, number, numberOf, type SourceOf, type Table, type ViewOf } from './fields.ts';
import { FRAME, SAFETY_STATES, type SafetyStateName } from './guard-frame.ts';
import { SOURCES, type Source, TRANSITION } from './transition.ts';

/** Kinds of packets; the index is the wire code: never reorder, only append. */
export const PACKET_KINDS = [
  'run',
  'frame',
  'step',
  'status',
  'session',
  'event',
  'episode',
  'intervention',
  'operators',
  'notice',
  'diagnosis',
  'processes',
  'learner',
  'pictures',
] as const;
export type PacketKind = (typeof PACKET_KINDS)[number];

/** Running processes of a robot on this machine, as reported by its supervisor. */
export interface ProcessesView {
  /** Ids of the running processes. The supervisor serves the monitor, in a thread. */
  readonly pids: {
    readonly supervisor: number;
    readonly guard?: number | undefined;
    readonly node?: number | undefined;
    readonly guardian?: number | undefined;
  };
  /** Restarts of a node that died, and the largest number allowed. */
  readonly nodeRestarts: number;
  readonly nodeRestartsMax: number;
  /** Path of the robot's serial bus, which the guardian can stop; null without a built-in bus. */
  readonly bus: string | null;
}

/** The latest image of one camera; a packet has those of all cameras. */
export interface PictureView {
  /** Name of the observation's part. */
  readonly name: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Samples per pixel: grey, or red, green and blue. */
  readonly channels: 1 | 3;
  /** 8 bits per sample, row by row, base64. */
  readonly data: string;
}

/** Status of a learner, for its own page. */
export interface LearnerView {
  readonly updates: number;
  readonly updatesPerS: number;
  /** Updates per online step: achieved, and target. */
  readonly utd: number;
  readonly utdTarget: number;
  /** Version of the newest weights; 0 before any. */
  readonly version: number;
  /** Transitions in replay: online ones, demonstrations, and the capacity for each. */
  readonly online: number;
  readonly demonstrations: number;
  readonly capacity: number;
  /** Robots that have joined, and the steps received from each since this learner started. */
  readonly robots: readonly { readonly name: string; readonly steps: number; readonly isHere: boolean }[];
  /** Address that robots connect to, and counts of the steps received over it. */
  readonly address: string;
  readonly delivered: number;
  readonly repeated: number;
  readonly lost: number;
  readonly pid: number;
}

// Fields that pages do not use.
const { stampS, tickLateS, toolSpeedMPerS, tankInjectedJ, residualJoint, residualNm, meanWrench, ...shown } = FRAME;

const FRAME_VIEW = {
  /** Send time, s of the robot machine's monotonic clock: an operator's page returns it with each command. */
  sentAtS: number(),
  ...shown,
  /** Largest lateness of a tick since the previous frame, ms; 0 in lock-step. */
  tickLateMs: number(),
  /** Bits of the stages that changed a command since the previous frame. */
  filterBitsSince: number(),
  /** [4·k] pose of each movable object: x, y, z (m), yaw (rad), base frame; their names are in the run's packet. */
  objects: doubles('objects'),
};

/** The guard's newest frame for pages: as in `GuardFrame`, words by their indices. */
export interface FrameView extends ViewOf<typeof FRAME_VIEW> {}

const { seq, epoch, tankDrainJ, nextObservation, ...STEP_VIEW } = TRANSITION;

/** One policy step for pages: words by their indices, flags as 1 or 0. */
export interface StepView extends ViewOf<typeof STEP_VIEW> {}

/** Order of a packet's numbers: all scalars in table order, then the arrays. */
interface Layout<T extends Table> {
  readonly kind: PacketKind;
  readonly table: T;
  readonly scalars: readonly string[];
  readonly arrays: readonly string[];
}

function layoutOf<T extends Table>(kind: PacketKind, table: T): Layout<T> {
  const keys = Object.keys(table);
  const isArray = (key: string): boolean => table[key]!.kind === 'array';
  return { kind, table, scalars: keys.filter((key) => !isArray(key)), arrays: keys.filter(isArray) };
}

export const FRAME_LAYOUT: Layout<typeof FRAME_VIEW> = layoutOf('frame', FRAME_VIEW);
export const STEP_LAYOUT: Layout<typeof STEP_VIEW> = layoutOf('step', STEP_VIEW);

/** Header: kind, number of arrays, two padding bytes, array lengths (32 bits each), padded to a multiple of 8, where the doubles begin. */
function headBytes(arrays: number): number {
  return Math.ceil((4 + 4 * arrays) / 8) * 8;
}

/** Encodes a packet of numbers into a new buffer, owned by the caller. */
export function encodeNumbers<T extends Table>(layout: Layout<T>, from: SourceOf<T>): Uint8Array {
  const { kind, table, scalars, arrays } = layout;
  const values = from as unknown as Readonly<Record<string, number & ArrayLike<number>>>;
  const head = headBytes(arrays.length);
  let count = scalars.length;
  for (const key of arrays) count += values[key]!.length;
  const bytes = new Uint8Array(head + 8 * count);
  const lengths = new DataView(bytes.buffer);
  bytes[0] = PACKET_KINDS.indexOf(kind);
  bytes[1] = arrays.length;
  const numbers = new Float64Array(bytes.buffer, head);
  let at = 0;
  for (const key of scalars) numbers[at++] = numberOf(table[key]!, values[key]!);
  for (const [i, key] of arrays.entries()) {
    const array = values[key]!;
    lengths.setUint32(4 + 4 * i, array.length, true);
    for (let k = 0; k < array.length; k++) numbers[at++] = array[k]!;
  }
  return bytes;
}

/** Decodes a packet made by `encodeNumbers`. Throws `RangeError` for bytes that are not of that layout. */
export function decodeNumbers<T extends Table>(layout: Layout<T>, bytes: Uint8Array): ViewOf<T> {
  const { kind, scalars, arrays } = layout;
  if (bytes[0] !== PACKET_KINDS.indexOf(kind) || bytes[1] !== arrays.length) throw new RangeError(`no ${kind} packet`);
  const head = headBytes(arrays.length);
  if (bytes.byteLength < head || bytes.byteLength % 8 !== 0) throw new RangeError(`a ${kind} packet that was cut`);
  // Doubles must be aligned to 8 bytes in the underlying buffer; a packet may start anywhere.
  const own = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const view = new DataView(own.buffer, own.byteOffset);
  const numbers = new Float64Array(own.buffer, own.byteOffset + head, (own.byteLength - head) / 8);
  const out: Record<string, number | Float64Array> = {};
  let at = 0;
  for (const key of scalars) out[key] = numbers[at++]!;
  for (const [i, key] of arrays.entries()) {
    const length = view.getUint32(4 + 4 * i, true);
    out[key] = numbers.subarray(at, at + length);
    at += length;
  }
  if (at !== numbers.length) throw new RangeError(`a ${kind} packet of another length`);
  return out as ViewOf<T>;
}

/** Encodes any JSON value as a packet; numbers that JSON cannot represent become null. */
export function encodeJson(kind: PacketKind, value: unknown): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(value));
  const bytes = new Uint8Array(1 + text.length);
  bytes[0] = PACKET_KINDS.indexOf(kind);
  bytes.set(text, 1);
  return bytes;
}

/** Decodes the value of `encodeJson`. Throws `SyntaxError` for other bytes. */
export function decodeJson(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes.subarray(1)));
}

/** Kind of a packet; `undefined` for bytes that are no packet. */
export function kindOf(bytes: Uint8Array): PacketKind | undefined {
  return PACKET_KINDS[bytes[0] ?? 255];
}

/** Kinds of which only the newest packet matters: a slow viewer skips the others. */
const STATES: ReadonlySet<PacketKind> = new Set([
  'frame',
  'step',
  'status',
  'session',
  'operators',
  'diagnosis',
  'processes',
  'learner',
  'pictures',
]);

/** True if a newer packet of this kind supersedes an older one. */
export function isState(kind: PacketKind): boolean {
  return STATES.has(kind);
}

export function stateName({ state }: FrameView): SafetyStateName {
  return SAFETY_STATES[state]!;
}

/** Source of a step's decision; `undefined` for an unknown code. */
export function sourceName({ source }: { readonly source: number | null }): Source | undefined {
  return SOURCES[source ?? -1];
}

/** [4·k] x, y, z (m), yaw (rad) of each of the objects `names`: as measured by signals (`<name>XM` and the next three), else as placed. */
export function shownObjects(
  names: readonly string[],
  signalNames: readonly string[],
  { objects, signals }: { readonly objects: ArrayLike<number>; readonly signals?: ArrayLike<number> | undefined },
): Float64Array {
  return Float64Array.from({ length: 4 * names.length }, (_, i) => {
    const at = signalNames.indexOf(`${names[i >> 2]!}XM`);
    return (at < 0 ? objects[i] : signals?.[at + (i & 3)]) ?? 0;
  });
}
