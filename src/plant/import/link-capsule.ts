/** Shapes of a link for the safety chain: balls in the link's frame, and a capsule around them. */

import { compose, cross, directionIn, dot, type Frame, frameOf, pointIn, type Triple } from '../frames.ts';
import type { Simulation } from '../mujoco-module.ts';

/** Ball; radius 0 for a point. */
export interface Ball {
  readonly at: Triple;
  readonly radiusM: number;
}

export interface BoundingCapsule {
  readonly fromM: Triple;
  readonly toM: Triple;
  readonly radiusM: number;
}

/**
 * Returns a capsule around all `balls` (at least one): the smallest by volume of those along `axes`, the coordinate
 * axes and the direction of the largest spread. Not the smallest of all, but never too small.
 */
export function boundingCapsule(balls: readonly Ball[], axes: readonly Triple[]): BoundingCapsule {
  const candidates: Triple[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], ...axes, longest(balls)];
  let best: BoundingCapsule | undefined;
  for (const axis of candidates) {
    const length = Math.hypot(...axis);
    if (!(length > 0)) continue;
    const capsule = alongAxis(balls, [axis[0] / length, axis[1] / length, axis[2] / length]);
    if (best === undefined || volume(capsule) < volume(best)) best = capsule;
  }
  return best!;
}

/** Returns the volume divided by π. */
function volume({ fromM, toM, radiusM }: BoundingCapsule): number {
  const length = Math.hypot(toM[0] - fromM[0], toM[1] - fromM[1], toM[2] - fromM[2]);
  return radiusM ** 2 * length + (4 / 3) * radiusM ** 3;
}

/** Returns the direction from the ball farthest from the first to the ball farthest from that. */
function longest(balls: readonly Ball[]): Triple {
  const a = farthest(balls, balls[0]!);
  const b = farthest(balls, a);
  return [b.at[0] - a.at[0], b.at[1] - a.at[1], b.at[2] - a.at[2]];
}

function farthest(balls: readonly Ball[], from: Ball): Ball {
  let found = from;
  let most = -1;
  for (const ball of balls) {
    const away = Math.hypot(ball.at[0] - from.at[0], ball.at[1] - from.at[1], ball.at[2] - from.at[2]) + ball.radiusM;
    if (away > most) [found, most] = [ball, away];
  }
  return found;
}

function alongAxis(balls: readonly Ball[], axis: Triple): BoundingCapsule {
  const [u, v] = acrossOf(axis);
  const flat = balls.map(({ at, radiusM }) => ({ x: dot(at, u), y: dot(at, v), radiusM }));
  const { x, y, radius } = enclosingCircle(flat);
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const [i, { at, radiusM }] of balls.entries()) {
    const away = Math.hypot(flat[i]!.x - x, flat[i]!.y - y);
    // A ball is inside if some point of the segment is within the remaining radius of its centre.
    const reach = Math.sqrt(Math.max(0, (radius - radiusM) ** 2 - away ** 2));
    const along = dot(at, axis);
    from = Math.min(from, along + reach);
    to = Math.max(to, along - reach);
  }
  if (from > to) from = to = (from + to) / 2;
  const point = (along: number): Triple => [0, 1, 2].map((k) => along * axis[k]! + x * u[k]! + y * v[k]!) as never;
  return { fromM: point(from), toM: point(to), radiusM: radius };
}

function acrossOf(axis: Triple): [Triple, Triple] {
  const least = [0, 1, 2].reduce((a, b) => (Math.abs(axis[b]!) < Math.abs(axis[a]!) ? b : a));
  const other: Triple = [least === 0 ? 1 : 0, least === 1 ? 1 : 0, least === 2 ? 1 : 0];
  const raw = cross(axis, other);
  const length = Math.hypot(...raw);
  const u: Triple = [raw[0] / length, raw[1] / length, raw[2] / length];
  return [u, cross(axis, u)];
}

interface Disc {
  readonly x: number;
  readonly y: number;
  readonly radiusM: number;
}

/**
 * Returns a circle around discs: Bădoiu and Clarkson's iteration towards the farthest, 200 steps, within about 1 % of the smallest.
 * A mesh has tens of thousands of points, and the farthest from anywhere is a corner of their hull: only those are iterated over.
 */
function enclosingCircle(discs: readonly Disc[]): { x: number; y: number; radius: number } {
  const outer = outermost(discs);
  let [minX, maxX, minY, maxY] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y, radiusM } of outer) {
    minX = Math.min(minX, x - radiusM);
    maxX = Math.max(maxX, x + radiusM);
    minY = Math.min(minY, y - radiusM);
    maxY = Math.max(maxY, y + radiusM);
  }
  let x = (minX + maxX) / 2;
  let y = (minY + maxY) / 2;
  let best = { x, y, radius: reachOf(outer, x, y).radius };
  for (let step = 1; step <= 200 && outer.length > 1; step++) {
    const { disc, radius } = reachOf(outer, x, y);
    if (radius < best.radius) best = { x, y, radius };
    x += (disc.x - x) / (step + 1);
    y += (disc.y - y) / (step + 1);
  }
  // Finally over all discs: rounding in the hull must not make the circle too small.
  return { ...best, radius: reachOf(discs, best.x, best.y).radius };
}

/** Returns the corners of the points' convex hull, by Andrew's monotone chain, and all discs that have a radius. */
function outermost(discs: readonly Disc[]): Disc[] {
  const points = discs.filter(({ radiusM }) => radiusM === 0).sort((a, b) => a.x - b.x || a.y - b.y);
  const chain = (sorted: readonly Disc[]): Disc[] => {
    const hull: Disc[] = [];
    for (const point of sorted) {
      while (hull.length > 1 && !turnsLeft(hull.at(-2)!, hull.at(-1)!, point)) hull.pop();
      hull.push(point);
    }
    return hull;
  };
  const corners = points.length < 3 ? points : [...chain(points), ...chain(points.reverse())];
  return [...corners, ...discs.filter(({ radiusM }) => radiusM !== 0)];
}

function turnsLeft(a: Disc, b: Disc, c: Disc): boolean {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
}

function reachOf(discs: readonly Disc[], x: number, y: number): { disc: Disc; radius: number } {
  let farthestDisc = discs[0]!;
  let radius = -1;
  for (const disc of discs) {
    const reach = Math.sqrt((disc.x - x) ** 2 + (disc.y - y) ** 2) + disc.radiusM;
    if (reach > radius) [farthestDisc, radius] = [disc, reach];
  }
  return { disc: farthestDisc, radius };
}

/** Points around a round edge, slightly outside it, so that the arc between them is inside. */
const ROUND = 16;
const OUTSIDE = 1 / Math.cos(Math.PI / ROUND);

/** Returns balls of geom `geom`, with its body at frame `body`, and the geom's axis; no balls for planes and height fields. */
export function ballsOf(simulation: Simulation, geom: number, body: Frame): { balls: Ball[]; axis: Triple } {
  const { model, module } = simulation;
  const own = frameOf(model.geom_pos as Float64Array, model.geom_quat as Float64Array, geom);
  const frame = compose(body, own);
  const sizes = model.geom_size as Float64Array;
  const size: Triple = [sizes[3 * geom]!, sizes[3 * geom + 1]!, sizes[3 * geom + 2]!];
  const types = module.mjtGeom;
  const at = (point: Triple, radiusM = 0): Ball => ({ at: pointIn(frame, point), radiusM });
  const axis = directionIn(frame, [0, 0, 1]);
  switch ((model.geom_type as Int32Array)[geom]) {
    case types.mjGEOM_SPHERE.value:
      return { balls: [at([0, 0, 0], size[0])], axis };
    case types.mjGEOM_CAPSULE.value:
      return { balls: [at([0, 0, size[1]], size[0]), at([0, 0, -size[1]], size[0])], axis };
    case types.mjGEOM_CYLINDER.value:
      return { balls: [...ring(size[0], size[1]), ...ring(size[0], -size[1])].map((point) => at(point)), axis };
    case types.mjGEOM_ELLIPSOID.value:
    case types.mjGEOM_BOX.value:
      return { balls: corners(size).map((point) => at(point)), axis };
    case types.mjGEOM_MESH.value:
      return { balls: vertices(simulation, geom).map((point) => at(point)), axis };
    default:
      return { balls: [], axis };
  }
}

function ring(radiusM: number, z: number): Triple[] {
  return Array.from({ length: ROUND }, (_, i) => {
    const angle = (2 * Math.PI * i) / ROUND;
    return [OUTSIDE * radiusM * Math.cos(angle), OUTSIDE * radiusM * Math.sin(angle), z] as const;
  });
}

function corners([x, y, z]: Triple): Triple[] {
  return Array.from({ length: 8 }, (_, i) => [i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z] as const);
}

function vertices({ model }: Simulation, geom: number): Triple[] {
  const mesh = (model.geom_dataid as Int32Array)[geom]!;
  const from = (model.mesh_vertadr as Int32Array)[mesh]!;
  const count = (model.mesh_vertnum as Int32Array)[mesh]!;
  const all = model.mesh_vert as Float32Array;
  return Array.from({ length: count }, (_, i) => {
    const k = 3 * (from + i);
    return [all[k]!, all[k + 1]!, all[k + 2]!] as const;
  });
}
