/**
 * What a run tells whoever watches it, as bytes: one packet a fact, the same from the session to the monitor's server and from there
 * to a page. The first byte says of what kind. Numbers are little-endian doubles, so that a page reads them in place; all else is
 * JSON. Imports nothing but tables and lists: pages are built with it.
 */
import { doubles, number, numberOf, type SourceOf, type Table, type ViewOf } from '../rows/index.ts';
import { FRAME, SAFETY_STATES, type SafetyStateName } from './guard-frame.ts';
import { SOURCES, type Source, TRANSITION } from './transition.ts';

/** Kinds of packets; their place is their code: never reorder, only append. */
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

/** What runs for a robot on this machine, as its supervisor knows it. */
export interface ProcessesView {
  /** Process ids of what runs now. The supervisor serves the monitor, in a thread. */
  readonly pids: {
    readonly supervisor: number;
    readonly guard?: number | undefined;
    readonly node?: number | undefined;
    readonly guardian?: number | undefined;
  };
  /** How often a node that died was started again, and how often it may be. */
  readonly nodeRestarts: number;
  readonly nodeRestartsMax: number;
  /** Path of the robot's bus, which the guardian can stop; null where it has none of our own. */
  readonly bus: string | null;
}

/** The newest picture of a camera; a packet has those of all. */
export interface PictureView {
  /** Of the observation's part. */
  readonly name: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Samples of a pixel: grey, or red, green and blue. */
  readonly channels: 1 | 3;
  /** 8 bits a sample, row by row, base64. */
  readonly data: string;
}

/** What a learner says of itself on its own page. */
export interface LearnerView {
  readonly updates: number;
  readonly updatesPerS: number;
  /** Updates per online step: reached, and asked for. */
  readonly utd: number;
  readonly utdTarget: number;
  /** Newest weights; 0 before any. */
  readonly version: number;
  /** Transitions in replay: of the robot's own, of demonstrations, and the most of each that it keeps. */
  readonly online: number;
  readonly demonstrations: number;
  readonly capacity: number;
  /** Robots that have joined, and what each has sent since this learner began. */
  readonly robots: readonly { readonly name: string; readonly steps: number; readonly isHere: boolean }[];
  /** Where robots connect to, and what came over it. */
  readonly address: string;
  readonly delivered: number;
  readonly repeated: number;
  readonly lost: number;
  readonly pid: number;
}

// What pages have no use for.
const { stampS, tickLateS, toolSpeedMPerS, tankInjectedJ, residualJoint, residualNm, meanWrench, ...shown } = FRAME;

const FRAME_VIEW = {
  /** When it was sent, s of the robot machine's monotonic clock: what an operator's page gives back with each command. */
  sentAtS: number(),
  ...shown,
  /** The latest tick in the time since the frame before began so long after its deadline, ms; 0 in lock-step. */
  tickLateMs: number(),
  /** Bits of the stages that changed a command in the time since the frame before. */
  filterBitsSince: number(),
  /** [4·k] of each movable object: x, y, z (m), yaw (rad), base frame; their names are in the run's packet. */
  objects: doubles('objects'),
};

/** The guard's newest frame as pages see it: as in `GuardFrame`, words by their places. */
export interface FrameView extends ViewOf<typeof FRAME_VIEW> {}

const { seq, epoch, tankDrainJ, nextObservation, ...STEP_VIEW } = TRANSITION;

/** One policy step as pages see it: words by their places, flags as 1 or 0. */
export interface StepView extends ViewOf<typeof STEP_VIEW> {}

/** Places of a packet's numbers: all scalars in their order, then the arrays. */
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

/** Kind, number of arrays, two bytes of nothing, their lengths (32 bits each), up to the next multiple of 8: where the doubles begin. */
function headBytes(arrays: number): number {
  return Math.ceil((4 + 4 * arrays) / 8) * 8;
}

/** A packet of numbers: a new buffer, which belongs to whoever asked. */
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

/** The numbers of a packet that `encodeNumbers` made. Throws `RangeError` for bytes that are none of that layout. */
export function decodeNumbers<T extends Table>(layout: Layout<T>, bytes: Uint8Array): ViewOf<T> {
  const { kind, scalars, arrays } = layout;
  if (bytes[0] !== PACKET_KINDS.indexOf(kind) || bytes[1] !== arrays.length) throw new RangeError(`no ${kind} packet`);
  const head = headBytes(arrays.length);
  if (bytes.byteLength < head || bytes.byteLength % 8 !== 0) throw new RangeError(`a ${kind} packet that was cut`);
  // Doubles lie at multiples of 8 in what they are read from, wherever the packet came from.
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

/** A packet of anything that is JSON; numbers that JSON has not become null. */
export function encodeJson(kind: PacketKind, value: unknown): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(value));
  const bytes = new Uint8Array(1 + text.length);
  bytes[0] = PACKET_KINDS.indexOf(kind);
  bytes.set(text, 1);
  return bytes;
}

/** What `encodeJson` was given. Throws `SyntaxError` for other bytes. */
export function decodeJson(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes.subarray(1)));
}

/** `undefined` for bytes that are no packet. */
export function kindOf(bytes: Uint8Array): PacketKind | undefined {
  return PACKET_KINDS[bytes[0] ?? 255];
}

/** Kinds of which only the newest packet says anything: whoever is slow skips the others. */
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

/** Whether a newer packet of the kind makes this one worth nothing. */
export function isState(kind: PacketKind): boolean {
  return STATES.has(kind);
}

export function stateName({ state }: FrameView): SafetyStateName {
  return SAFETY_STATES[state]!;
}

/** Who decided a step; `undefined` for a number that is nobody's. */
export function sourceName({ source }: { readonly source: number | null }): Source | undefined {
  return SOURCES[source ?? -1];
}

/** [4·k] x, y, z (m), yaw (rad) of each of the objects `names`: as a signal measures it (`<name>XM` and the next three), or else as it was put. */
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
