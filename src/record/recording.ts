/** Recording of one episode for rendering: shapes and their poses over time, with a compact form for files and pages. */
import { ReinError } from '../model/index.ts';

export interface RecordedGeom {
  /** MuJoCo type: plane, sphere, capsule, ellipsoid, cylinder or box. Others (meshes, height fields) are recorded and not drawn. */
  readonly type: string;
  /** MuJoCo's `geom_size`, m: radius; radius and half-length; or half-sizes. */
  readonly sizeM: readonly number[];
  /** Each 0..1. */
  readonly rgba: readonly number[];
  /** The close-up follows the one named `peg`. */
  readonly name: string;
}

export interface EpisodeRecording {
  readonly caption: string;
  readonly success: boolean;
  readonly geoms: readonly RecordedGeom[];
  /** One array per frame, 7 numbers per geom in the order of `geoms`: x, y, z (m), quaternion w, x, y, z; world frame. */
  readonly frames: readonly Float32Array[];
  /** Time between frames, s. */
  readonly frameS: number;
  /** Focus of the close-up, m: the centre of the hole's mouth. Default: final position of the peg's tip. */
  readonly focusM?: readonly [number, number, number];
  /** Depth of the peg's tip below the focus that counts as success, m. */
  readonly successDepthM?: number;
}

/** Recording as JSON: positions and quaternions as 16-bit integers in base64, poses of fixed geoms stored once. */
export interface EncodedRecording {
  readonly version: 1;
  readonly caption: string;
  readonly success: boolean;
  readonly frameS: number;
  readonly frameCount: number;
  readonly geoms: readonly (RecordedGeom & { readonly moves: boolean })[];
  /** position = centreM + unitM · integer. */
  readonly centreM: readonly [number, number, number];
  readonly unitM: number;
  /** Poses of the geoms that do not move. */
  readonly fixed: string;
  /** Poses of those that move, frame after frame. */
  readonly moving: string;
  readonly focusM: readonly [number, number, number] | null;
  /** Absent in earlier versions, and if success is no depth. */
  readonly successDepthM?: number;
}

const POSE = 7;
const INT16_MAX = 32767;
/** A geom that moves less than this over an episode is drawn as fixed, m or quaternion units. */
const STILL = 1e-6;

/**
 * Encodes a recording compactly. Resolution: the scene's extent / 65 534, 0.04 mm for an arm of 2.4 m. At most
 * `maxFrames` frames are kept, evenly spaced, including the last. Throws `RangeError` for frames of the wrong length or
 * numbers that are not finite.
 */
export function encodeRecording(recording: EpisodeRecording, maxFrames = 400): EncodedRecording {
  const { geoms, frameS } = recording;
  checkFrames(recording);
  const stride = Math.max(1, Math.ceil(recording.frames.length / maxFrames));
  const last = recording.frames.length - 1;
  const frames = recording.frames.filter((_, i) => (last - i) % stride === 0);
  const moves = geoms.map((_, g) => frames.some((frame) => differs(frame, frames[0]!, g)));
  const { centreM, unitM } = extent(frames, geoms.length);
  const poses = (chosen: readonly Float32Array[], moving: boolean): string => {
    const out: number[] = [];
    for (const frame of chosen) {
      for (let g = 0; g < geoms.length; g++) {
        if (moves[g] === moving) quantise(out, frame, g * POSE, centreM, unitM);
      }
    }
    return toBase64(out);
  };
  return {
    version: 1,
    caption: recording.caption,
    success: recording.success,
    frameS: frameS * stride,
    frameCount: frames.length,
    geoms: geoms.map((geom, g) => ({ ...geom, rgba: geom.rgba.map(round3), moves: moves[g]! })),
    centreM,
    unitM,
    fixed: poses(frames.slice(0, 1), false),
    moving: poses(frames, true),
    focusM: recording.focusM ?? null,
    ...depthOf(recording),
  };
}

/** Decodes a recording, to within the resolution of `encodeRecording`. Throws a `ReinError` on damaged data. */
export function decodeRecording(encoded: EncodedRecording): EpisodeRecording {
  const { geoms, frameCount, centreM, unitM } = encoded;
  const fixed = fromBase64(encoded.fixed);
  const moving = fromBase64(encoded.moving);
  const moved = geoms.filter((geom) => geom.moves).length;
  if (
    moving.length !== frameCount * moved * POSE ||
    fixed.length < (frameCount > 0 ? (geoms.length - moved) * POSE : 0)
  ) {
    throw new ReinError('storage', `The recording "${encoded.caption}" is damaged: its poses do not match its shapes.`);
  }
  const frames = Array.from({ length: frameCount }, (_, f) => {
    const frame = new Float32Array(geoms.length * POSE);
    let fromFixed = 0;
    let fromMoving = f * moved * POSE;
    for (const [g, geom] of geoms.entries()) {
      const source = geom.moves ? moving : fixed;
      const at = geom.moves ? fromMoving : fromFixed;
      for (let k = 0; k < POSE; k++) {
        const value = source[at + k]!;
        frame[g * POSE + k] = k < 3 ? centreM[k]! + value * unitM : value / INT16_MAX;
      }
      if (geom.moves) fromMoving += POSE;
      else fromFixed += POSE;
    }
    return frame;
  });
  const { caption, success, frameS, focusM } = encoded;
  const plain = geoms.map(({ type, sizeM, rgba, name }) => ({ type, sizeM, rgba, name }));
  const focus = focusM === null ? {} : { focusM };
  return { caption, success, frameS, geoms: plain, frames, ...focus, ...depthOf(encoded) };
}

function depthOf({ successDepthM }: { readonly successDepthM?: number }): { readonly successDepthM?: number } {
  return successDepthM === undefined ? {} : { successDepthM };
}

function checkFrames({ frames, geoms, frameS }: EpisodeRecording): void {
  if (!(frameS > 0)) throw new RangeError(`frameS must be > 0, got ${frameS}`);
  for (const [i, frame] of frames.entries()) {
    if (frame.length !== geoms.length * POSE) {
      throw new RangeError(`frame ${i} has ${frame.length} numbers, ${geoms.length} geoms need ${geoms.length * POSE}`);
    }
    if (!frame.every(Number.isFinite)) throw new RangeError(`frame ${i} holds a number that is not finite`);
  }
}

function differs(a: Float32Array, b: Float32Array, geom: number): boolean {
  for (let k = geom * POSE; k < (geom + 1) * POSE; k++) if (Math.abs(a[k]! - b[k]!) > STILL) return true;
  return false;
}

function extent(
  frames: readonly Float32Array[],
  geomCount: number,
): { centreM: [number, number, number]; unitM: number } {
  const low = [0, 0, 0];
  const high = [0, 0, 0];
  for (const [f, frame] of frames.entries()) {
    for (let g = 0; g < geomCount; g++) {
      for (let k = 0; k < 3; k++) {
        const value = frame[g * POSE + k]!;
        low[k] = f === 0 && g === 0 ? value : Math.min(low[k]!, value);
        high[k] = f === 0 && g === 0 ? value : Math.max(high[k]!, value);
      }
    }
  }
  const widest = Math.max(...low.map((value, k) => high[k]! - value), 1e-6);
  const centre = (k: number): number => (low[k]! + high[k]!) / 2;
  return { centreM: [centre(0), centre(1), centre(2)], unitM: widest / (2 * INT16_MAX) };
}

function quantise(out: number[], frame: Float32Array, at: number, centreM: readonly number[], unitM: number): void {
  for (let k = 0; k < 3; k++) out.push(Math.round((frame[at + k]! - centreM[k]!) / unitM));
  for (let k = 3; k < POSE; k++) out.push(Math.round(Math.min(1, Math.max(-1, frame[at + k]!)) * INT16_MAX));
}

function toBase64(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeInt16LE(Math.max(-32768, Math.min(INT16_MAX, value)), i * 2);
  return bytes.toString('base64');
}

function fromBase64(text: string): Int16Array {
  const bytes = Buffer.from(text, 'base64');
  return Int16Array.from({ length: Math.floor(bytes.length / 2) }, (_, i) => bytes.readInt16LE(i * 2));
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}
