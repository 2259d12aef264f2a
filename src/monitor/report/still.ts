/** One frame of a recording as a flat-shaded SVG: for print, for pages without scripts, for anywhere else. */

import { mean } from '../../core/index.ts';
import { DRAWN_SHAPES, type DrawnShape, type EpisodeRecording, type RecordedGeom } from '../../record/index.ts';
import { shapeScale, type UnitMesh, unitMeshes, VERTEX_NUMBERS } from './geom-mesh.ts';
import { attribute, text } from './html.ts';
import { isInside } from './inside.ts';

export interface StillOptions {
  readonly widthPx?: number;
  readonly heightPx?: number;
  /** Direction the eye looks from, rad: azimuth around z from x, elevation above the floor. */
  readonly azimuthRad?: number;
  readonly elevationRad?: number;
}

type Triple = [number, number, number];

interface Eye {
  readonly at: Triple;
  readonly forward: Triple;
  readonly right: Triple;
  readonly up: Triple;
  readonly focalPx: number;
  readonly centrePx: readonly [number, number];
}

interface Face {
  readonly depth: number;
  readonly points: string;
  readonly fill: string;
}

const FIELD_OF_VIEW_RAD = 0.6;
const LIGHT: Triple = unit([0.45, -0.55, 0.9]);
const MESHES = unitMeshes(14);
const POSE = 7;

/**
 * An `<svg>` of frame `index` (counted from the end when negative), faces sorted from far to near. Planes are left
 * out. Faces inside other shapes are dropped; where shapes interlock, an edge may be off by a face, the price of
 * needing no depth buffer.
 */
export function renderStill(recording: EpisodeRecording, index: number, options: StillOptions = {}): string {
  const { widthPx = 720, heightPx = 480, azimuthRad = -0.95, elevationRad = 0.42 } = options;
  const frame = recording.frames.at(index);
  const faces: Face[] = [];
  if (frame !== undefined) {
    const eye = createEye(recording, frame, azimuthRad, elevationRad, widthPx, heightPx);
    const solids = recording.geoms.flatMap((geom, g) => (isSolid(geom) ? [place(geom, frame.subarray(g * POSE))] : []));
    for (const [order, solid] of solids.entries()) addFaces(faces, solid, hiders(solids, order), eye);
  }
  faces.sort((a, b) => b.depth - a.depth);
  const polygons = faces.map((face) => `<polygon points="${face.points}" fill="${face.fill}" stroke="${face.fill}"/>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${widthPx} ${heightPx}" role="img" aria-label="${attribute(recording.caption)}">`,
    `<title>${text(recording.caption)}</title>`,
    `<g stroke-width="0.6" stroke-linejoin="round">${polygons.join('')}</g>`,
    '</svg>',
  ].join('');
}

function createEye(
  recording: EpisodeRecording,
  frame: Float32Array,
  azimuthRad: number,
  elevationRad: number,
  widthPx: number,
  heightPx: number,
): Eye {
  const low: Triple = [Infinity, Infinity, Infinity];
  const high: Triple = [-Infinity, -Infinity, -Infinity];
  for (const [g, geom] of recording.geoms.entries()) {
    if (!isSolid(geom)) continue;
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k]!, frame[g * POSE + k]! - 0.05);
      high[k] = Math.max(high[k]!, frame[g * POSE + k]! + 0.05);
    }
  }
  const isEmpty = !(low[0] <= high[0]);
  const centre = low.map((v, k) => (isEmpty ? 0 : (v + high[k]!) / 2)) as Triple;
  const radius = isEmpty ? 1 : Math.hypot(...low.map((v, k) => high[k]! - v)) / 2;
  const distance = (radius / Math.sin(FIELD_OF_VIEW_RAD / 2)) * 1.02;
  const [ce, se, ca, sa] = [Math.cos(elevationRad), Math.sin(elevationRad), Math.cos(azimuthRad), Math.sin(azimuthRad)];
  const back: Triple = [ce * ca, ce * sa, se];
  return {
    at: centre.map((v, k) => v + distance * back[k]!) as Triple,
    forward: [-back[0], -back[1], -back[2]],
    right: [-sa, ca, 0],
    up: [-se * ca, -se * sa, ce],
    focalPx: (0.5 * Math.min(widthPx * 1.1, heightPx * 1.25)) / Math.tan(FIELD_OF_VIEW_RAD / 2),
    centrePx: [widthPx / 2, heightPx / 2],
  };
}

function isSolid(geom: RecordedGeom): geom is RecordedGeom & { type: Exclude<DrawnShape, 'plane'> } {
  return geom.type !== 'plane' && (DRAWN_SHAPES as readonly string[]).includes(geom.type) && !(geom.rgba[3]! < 0.05);
}

interface Solid {
  readonly type: Exclude<DrawnShape, 'plane'>;
  readonly sizeM: readonly number[];
  readonly rgba: readonly number[];
  readonly at: Triple;
  /** Rows of the rotation from the shape's frame to the world's. */
  readonly turn: readonly [Triple, Triple, Triple];
}

function place(geom: RecordedGeom & { type: Exclude<DrawnShape, 'plane'> }, pose: Float32Array): Solid {
  const { type, sizeM, rgba } = geom;
  return { type, sizeM, rgba, at: [pose[0]!, pose[1]!, pose[2]!], turn: rotation(pose) };
}

/** A test for points that the other solids hide. Of two that share a surface the first keeps it. */
function hiders(solids: readonly Solid[], order: number): (point: Triple) => boolean {
  return (point) =>
    solids.some((other, i) => {
      if (i === order) return false;
      const away: Triple = [point[0] - other.at[0], point[1] - other.at[1], point[2] - other.at[2]];
      const [p, q, r] = other.turn;
      const local = [0, 1, 2].map((k) => p[k]! * away[0] + q[k]! * away[1] + r[k]! * away[2]) as Triple;
      // A face's middle lies inside its own round shape by up to 3 % of the radius.
      return isInside(other.type, other.sizeM, local, i < order ? 0.0005 : -0.04 * other.sizeM[0]!);
    });
}

function addFaces(out: Face[], solid: Solid, isHidden: (point: Triple) => boolean, eye: Eye): void {
  const mesh: UnitMesh = MESHES[solid.type];
  const { at, turn } = solid;
  const [a, b, c, h] = shapeScale(solid.type, solid.sizeM);
  for (const face of mesh.faces) {
    const corners = face.map((i) => {
      const v = (k: number): number => mesh.vertices[i * VERTEX_NUMBERS + k]!;
      const p = rotate(turn, [v(0) * a, v(1) * b, v(2) * c + v(3) * h]);
      return [p[0] + at[0], p[1] + at[1], p[2] + at[2]] as Triple;
    });
    const middle = centreOf(corners);
    const normal = rotate(turn, meanNormal(mesh, face));
    const sight: Triple = [middle[0] - eye.at[0], middle[1] - eye.at[1], middle[2] - eye.at[2]];
    if (dot(normal, sight) >= 0 || (isHidden(middle) && corners.every(isHidden))) continue;
    const light = 0.48 + 0.46 * Math.max(0, dot(normal, LIGHT)) - 0.16 * Math.min(0, dot(normal, eye.forward));
    const points = corners.map((corner) => project(corner, eye));
    if (points.includes('')) continue;
    out.push({ depth: dot(sight, eye.forward), points: points.join(' '), fill: colour(solid.rgba, light) });
  }
}

function meanNormal(mesh: UnitMesh, face: readonly number[]): Triple {
  const sum: Triple = [0, 0, 0];
  for (const i of face) for (let k = 0; k < 3; k++) sum[k] = sum[k]! + mesh.vertices[i * VERTEX_NUMBERS + 4 + k]!;
  return unit(sum);
}

/** `x,y` in px, or an empty text for a point behind the eye. */
function project(point: Triple, eye: Eye): string {
  const sight: Triple = [point[0] - eye.at[0], point[1] - eye.at[1], point[2] - eye.at[2]];
  const depth = dot(sight, eye.forward);
  if (!(depth > 0.005)) return '';
  const scale = eye.focalPx / depth;
  const x = eye.centrePx[0] + scale * dot(sight, eye.right);
  const y = eye.centrePx[1] - scale * dot(sight, eye.up);
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}

function colour(rgba: readonly number[], light: number): string {
  const channel = (k: number): string =>
    Math.min(255, Math.max(0, Math.round((rgba[k] ?? 0.5) * 255 * light)))
      .toString(16)
      .padStart(2, '0');
  return `#${channel(0)}${channel(1)}${channel(2)}`;
}

/** Row-major 3×3 of the quaternion (w, x, y, z) in a pose. */
function rotation(pose: Float32Array): readonly [Triple, Triple, Triple] {
  const size = Math.hypot(pose[3]!, pose[4]!, pose[5]!, pose[6]!) || 1;
  const [w, x, y, z] = [pose[3]! / size, pose[4]! / size, pose[5]! / size, pose[6]! / size];
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

function rotate(rows: readonly [Triple, Triple, Triple], v: Triple): Triple {
  return [dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)];
}

function centreOf(points: readonly Triple[]): Triple {
  const along = (k: 0 | 1 | 2): number => mean(points.map((point) => point[k]));
  return [along(0), along(1), along(2)];
}

function dot(a: Triple, b: Triple): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function unit(v: Triple): Triple {
  const size = Math.hypot(...v) || 1;
  return [v[0] / size, v[1] / size, v[2] / size];
}
