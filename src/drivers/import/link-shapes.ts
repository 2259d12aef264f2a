/** All of a link's shapes as balls in the link's frame: what its capsule has to hold. */
import type { Simulation } from '../mujoco/mujoco-module.ts';
import type { Ball } from './bounding-capsule.ts';
import { compose, directionIn, type Frame, frameOf, pointIn, type Triple } from './frames.ts';

/** Points around a round edge; they stand a little outside it, so that the edge between them is inside. */
const ROUND = 16;
const OUTSIDE = 1 / Math.cos(Math.PI / ROUND);

/** Balls of the geom `geom` in the frame in which its body is `body`, and its axis; none for planes and fields. */
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
