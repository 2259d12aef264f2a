/** Numeric content of a recording, frame by frame: poses, camera focus, and the path of the peg's tip. World frame, z up, m. */
import type { EncodedRecording } from '../../record/index.ts';

export type Xyz = readonly [number, number, number];
type Quaternion = readonly [w: number, x: number, y: number, z: number];

export interface GeomPose {
  readonly xyz: Xyz;
  /** Unit quaternion, to the resolution of the recording. */
  readonly turn: Quaternion;
}

const POSE = 7;
const INT16_MAX = 32767;
/** Intervals between the frames sampled for the scene's extent. */
const LOOKS = 8;
/** Margin around a shape's centre, m; shapes may be larger. */
const ROOM_M = 0.04;

export class RecordedScene {
  readonly recording: EncodedRecording;
  /** Indices of the drawn geoms: neither floors nor invisible geoms. */
  readonly solids: readonly number[];
  /** Height of the floor, m; null if there is none. */
  readonly floorM: number | null;
  /** Bounding sphere of all that is shown. */
  readonly centre: Xyz;
  readonly radiusM: number;
  /** Index of the geom named `peg`, and its tip in each frame; empty if there is none. */
  readonly peg: number | undefined;
  readonly tips: readonly Xyz[];
  /** Point that the close-up looks at, and direction of its section, rad; null: no close-up. */
  readonly focus: Xyz | null;
  readonly focusYaw: number;
  readonly #fixed: Int16Array;
  readonly #moving: Int16Array;
  /** Offset of each geom's pose in `#fixed` or `#moving`. */
  readonly #places: readonly number[];
  readonly #movers: number;

  constructor(recording: EncodedRecording) {
    const { geoms, frameCount } = recording;
    this.recording = recording;
    this.#fixed = int16(recording.fixed);
    this.#moving = int16(recording.moving);
    const counts = { fixed: 0, moving: 0 };
    this.#places = geoms.map(({ moves }) => counts[moves ? 'moving' : 'fixed']++ * POSE);
    this.#movers = counts.moving;
    const all = frameCount === 0 ? [] : geoms.map((_, geom) => geom);
    this.solids = all.filter((geom) => geoms[geom]!.type !== 'plane' && (geoms[geom]!.rgba[3] ?? 1) >= 0.05);
    const floor = all.find((geom) => geoms[geom]!.type === 'plane');
    this.floorM = floor === undefined ? null : this.pose(floor, 0).xyz[2];
    [this.centre, this.radiusM] = this.#extent();
    this.peg = this.solids.find((geom) => geoms[geom]!.name === 'peg');
    this.tips = this.peg === undefined ? [] : Array.from({ length: frameCount }, (_, i) => this.#tip(this.peg!, i));
    this.focus = recording.focusM ?? this.tips.at(-1) ?? null;
    this.focusYaw = this.focus === null ? 0 : this.#yawNear(this.focus);
  }

  /** Pose in frame `frame`, from 0. */
  pose(geom: number, frame: number): GeomPose {
    const { geoms, centreM, unitM } = this.recording;
    const moves = geoms[geom]!.moves;
    const at = this.#places[geom]! + (moves ? frame * this.#movers * POSE : 0);
    const raw = (moves ? this.#moving : this.#fixed).subarray(at, at + POSE);
    const [x = 0, y = 0, z = 0, ...turn] = raw;
    const [qw = 1, qx = 0, qy = 0, qz = 0] = turn.map((value) => value / INT16_MAX);
    return { xyz: [centreM[0] + unitM * x, centreM[1] + unitM * y, centreM[2] + unitM * z], turn: [qw, qx, qy, qz] };
  }

  #extent(): [centre: Xyz, radiusM: number] {
    const last = Math.max(0, this.recording.frameCount - 1);
    const frames = Array.from({ length: LOOKS + 1 }, (_, i) => Math.round((last * i) / LOOKS));
    const places = frames.flatMap((frame) => this.solids.map((geom) => this.pose(geom, frame).xyz));
    if (places.length === 0) return [[0, 0, 0], 1];
    const ends = [0, 1, 2].map((k) => {
      const values = places.map((at) => at[k]!);
      return [Math.min(...values) - ROOM_M, Math.max(...values) + ROOM_M] as const;
    });
    const [x = 0, y = 0, z = 0] = ends.map(([low, high]) => (low + high) / 2);
    return [[x, y, z], Math.hypot(...ends.map(([low, high]) => high - low)) / 2];
  }

  /** Lower end of the geom along its own z. */
  #tip(geom: number, frame: number): Xyz {
    const { type, sizeM } = this.recording.geoms[geom]!;
    const [a = 0, b = 0, c = 0] = sizeM;
    const halfM = type === 'box' ? c : b + (type === 'capsule' ? a : 0);
    const { xyz, turn } = this.pose(geom, frame);
    const [x, y, z] = zAxisOf(turn);
    const way = z > 0 ? -halfM : halfM;
    return [xyz[0] + way * x, xyz[1] + way * y, xyz[2] + way * z];
  }

  /** Yaw of the nearest fixed upright box: sections are cut square to its walls. */
  #yawNear([x, y, z]: Xyz): number {
    const { geoms } = this.recording;
    const boxes = this.solids.flatMap((geom) => {
      const { xyz, turn } = this.pose(geom, 0);
      const isUpright = !geoms[geom]!.moves && geoms[geom]!.type === 'box' && Math.abs(zAxisOf(turn)[2]) > 0.99;
      return isUpright ? [{ awayM: Math.hypot(xyz[0] - x, xyz[1] - y, xyz[2] - z), turn }] : [];
    });
    const [nearest] = boxes.sort((a, b) => a.awayM - b.awayM);
    if (nearest === undefined) return 0;
    const [qw, qx, qy, qz] = nearest.turn;
    return Math.atan2(2 * (qx * qy + qw * qz), 1 - 2 * (qy * qy + qz * qz));
  }
}

function zAxisOf([w, x, y, z]: Quaternion): Xyz {
  return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
}

/** Recordings are written as 16-bit little-endian, the byte order of every browser. */
function int16(base64: string): Int16Array {
  return new Int16Array(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer);
}
