/** Simple shapes as polygons, once per kind: a shape's own size is put in when it is drawn. */
import type { DrawnShape } from '../../record/index.ts';

/**
 * A shape of unit size. Vertex i is the 7 numbers from 7·i: x, y, z, end, nx, ny, nz. Its place on a geom is
 * (x·a, y·b, z·c + end·h), where (a, b, c, h) are the renderer's factors of its kind and size; the normal is the same at every size.
 */
export interface UnitMesh {
  readonly vertices: readonly number[];
  /** Vertex numbers of convex polygons, counter-clockwise seen from outside. */
  readonly faces: readonly (readonly number[])[];
}

export const VERTEX_NUMBERS = 7;

/** Meshes of every kind but `plane`, round ones with `segments` ≥ 6 corners around. */
export function unitMeshes(segments: number): Readonly<Record<Exclude<DrawnShape, 'plane'>, UnitMesh>> {
  const sphere = roundMesh(segments, [0]);
  return {
    box: boxMesh(),
    cylinder: cylinderMesh(segments),
    sphere,
    ellipsoid: sphere,
    capsule: roundMesh(segments, [-1, 1]),
  };
}

function boxMesh(): UnitMesh {
  const vertices: number[] = [];
  const faces: number[][] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const sign of [-1, 1]) {
      const start = vertices.length / VERTEX_NUMBERS;
      // Corners go round the outward normal; for the negative side the other way.
      for (const [u, v] of [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ] as const) {
        const point = [0, 0, 0];
        const normal = [0, 0, 0];
        point[axis] = sign;
        point[(axis + 1) % 3] = u * sign;
        point[(axis + 2) % 3] = v;
        normal[axis] = sign;
        vertices.push(point[0]!, point[1]!, point[2]!, 0, normal[0]!, normal[1]!, normal[2]!);
      }
      faces.push([start, start + 1, start + 2, start + 3]);
    }
  }
  return { vertices, faces };
}

function cylinderMesh(segments: number): UnitMesh {
  const vertices: number[] = [];
  const faces: number[][] = [];
  for (let i = 0; i < segments; i++) {
    const angle = (2 * Math.PI * i) / segments;
    const x = round(Math.cos(angle));
    const y = round(Math.sin(angle));
    vertices.push(x, y, 0, -1, x, y, 0, x, y, 0, 1, x, y, 0, x, y, 0, -1, 0, 0, -1, x, y, 0, 1, 0, 0, 1);
  }
  for (let i = 0; i < segments; i++) {
    const a = i * 4;
    const b = ((i + 1) % segments) * 4;
    faces.push([a, b, b + 1, a + 1]);
  }
  const rim = Array.from({ length: segments }, (_, i) => i * 4);
  faces.push(rim.map((i) => i + 2).reverse());
  faces.push(rim.map((i) => i + 3));
  return { vertices, faces };
}

/** A sphere (`ends` = [0]), or one pulled apart into a capsule (`ends` = [−1, 1]). */
function roundMesh(segments: number, ends: readonly number[]): UnitMesh {
  const vertices: number[] = [];
  const faces: number[][] = [];
  const rings = Math.max(2, Math.round(segments / 4));
  const latitudes: (readonly [number, number])[] = [];
  for (let k = -rings; k <= rings; k++) {
    const angle = (k * Math.PI) / (2 * rings);
    if (k < 0) latitudes.push([angle, ends[0]!]);
    else if (k > 0) latitudes.push([angle, ends.at(-1)!]);
    else for (const end of ends) latitudes.push([0, end]);
  }
  for (const [latitude, end] of latitudes) {
    for (let i = 0; i < segments; i++) {
      const angle = (2 * Math.PI * i) / segments;
      const x = round(Math.cos(latitude) * Math.cos(angle));
      const y = round(Math.cos(latitude) * Math.sin(angle));
      const z = round(Math.sin(latitude));
      vertices.push(x, y, z, end, x, y, z);
    }
  }
  for (let k = 0; k + 1 < latitudes.length; k++) {
    for (let i = 0; i < segments; i++) {
      const a = k * segments + i;
      const b = k * segments + ((i + 1) % segments);
      faces.push([a, b, b + segments, a + segments]);
    }
  }
  return { vertices, faces };
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
