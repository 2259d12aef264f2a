/** Shapes of a simulated robot and its surroundings as plain data, to be drawn elsewhere. */
import { quaternionFromMatrix, type RobotModel } from '../model/index.ts';
import type { GeomShape } from '../rows/index.ts';
import { ADDED, compilePlant } from './compile-plant.ts';
import { DrawnShapes } from './drawn-shapes.ts';
import { jointsOf } from './links.ts';
import { Simulation } from './mujoco-module.ts';
import { mujocoOptions } from './options.ts';
import { pegSceneXml } from './peg-scene.ts';
import { plantOptions } from './plant-options.ts';

/** x, y, z (m) and quaternion w, x, y, z; base frame. */
export type DrawnPose = readonly number[];

export interface SceneShape extends Pick<GeomShape, 'type' | 'sizeM' | 'rgba'> {
  /** Pose while the joints are at `DrawnScene.jointsRad`. */
  readonly pose: DrawnPose;
  /** Joint of the robot that carries it, by name, or `base`. */
  readonly link: string;
  /** Outermost body that it belongs to; empty for the world itself. */
  readonly body: string;
  /** Meshes only: corners, m, in the shape's own frame, three numbers each; and triangles of corner indices. */
  readonly mesh?: { readonly cornersM: readonly number[]; readonly triangles: readonly number[] };
}

export interface DrawnScene {
  readonly jointsRad: readonly number[];
  readonly shapes: readonly SceneShape[];
  /** Poses of the outermost bodies, by name, which a layout's objects move. */
  readonly bodies: Readonly<Record<string, DrawnPose>>;
}

/** Driver kind and its options. */
interface NamedOptions {
  readonly name: string;
  readonly options: unknown;
}

/** By convention in MuJoCo, groups from this one on are for collisions, and hidden. */
const FIRST_HIDDEN_GROUP = 3;

/**
 * Returns the scene that the driver compiles, at `model`'s home; `undefined` for a robot without MJCF or with a mobile
 * base. Throws `ReinError` for a file that cannot be compiled. Blocks for up to a second.
 */
export async function drawnScene({ name, options }: NamedOptions, model: RobotModel): Promise<DrawnScene | undefined> {
  if (name !== 'mujoco' || model.base !== undefined) return undefined;
  const known = mujocoOptions.parse(options);
  const simulation =
    'file' in known
      ? await compilePlant(plantOptions(known, model))
      : await Simulation.fromXml(pegSceneXml(known.scene));
  try {
    return sceneOf(simulation, model);
  } finally {
    simulation.close();
  }
}

function sceneOf(simulation: Simulation, robot: RobotModel): DrawnScene {
  const { model } = simulation;
  const joints = jointsOf(simulation, robot);
  simulation.reset();
  joints.forEach(({ position }, i) => {
    simulation.views.positionRad[position] = robot.homeRad[i]!;
  });
  simulation.forward();
  const welds = model.body_weldid as Int32Array;
  const links = new Map(joints.map(({ body }, i) => [welds[body]!, robot.joints[i]!.name]));
  const owners = model.geom_bodyid as Int32Array;
  const groups = model.geom_group as Int32Array;
  const drawn = new DrawnShapes(simulation, (name) => name.startsWith(ADDED));
  const poses = new Float64Array(7 * drawn.geoms.length);
  drawn.poses(poses);
  const shapes = drawn.geoms.flatMap(({ type, sizeM, rgba }, i): SceneShape[] => {
    const geom = drawn.ids[i]!;
    if (groups[geom]! >= FIRST_HIDDEN_GROUP || rgba[3] === 0) return [];
    const body = outermost(simulation, owners[geom]!);
    const mesh = meshOf(simulation, geom);
    // Height fields and ellipsoids are not drawn.
    if (type === 'mesh' && mesh === undefined) return [];
    const link = links.get(welds[owners[geom]!]!) ?? 'base';
    const pose = rounded(poses.subarray(7 * i, 7 * i + 7));
    return [
      {
        type,
        sizeM,
        rgba: rounded(rgba) as unknown as SceneShape['rgba'],
        pose,
        link,
        body: simulation.nameOf('body', body),
        ...(mesh && { mesh }),
      },
    ];
  });
  return { jointsRad: [...robot.homeRad], shapes, bodies: bodiesOf(simulation) };
}

/** Returns the child body of the world that carries `body`; 0 for the world itself. */
function outermost({ model }: Simulation, body: number): number {
  const parents = model.body_parentid as Int32Array;
  let at = body;
  while (parents[at]! !== 0) at = parents[at]!;
  return at;
}

function bodiesOf(simulation: Simulation): Record<string, DrawnPose> {
  const parents = simulation.model.body_parentid as Int32Array;
  const { bodyPosition, bodyRotation } = simulation.views;
  const quaternion = new Float64Array(4);
  const bodies: Record<string, DrawnPose> = {};
  for (let body = 1; body < parents.length; body++) {
    const name = simulation.nameOf('body', body);
    if (parents[body] !== 0 || name === '') continue;
    quaternionFromMatrix(quaternion, bodyRotation.subarray(9 * body, 9 * body + 9));
    bodies[name] = rounded([...bodyPosition.subarray(3 * body, 3 * body + 3), ...quaternion]);
  }
  return bodies;
}

function meshOf({ model, module }: Simulation, geom: number): SceneShape['mesh'] {
  if ((model.geom_type as Int32Array)[geom] !== module.mjtGeom.mjGEOM_MESH.value) return undefined;
  const mesh = (model.geom_dataid as Int32Array)[geom]!;
  const part = (numbers: ArrayLike<number>, first: ArrayLike<number>, count: ArrayLike<number>): number[] =>
    Array.from({ length: 3 * count[mesh]! }, (_, i) => numbers[3 * first[mesh]! + i]!);
  return {
    cornersM: rounded(
      part(model.mesh_vert as Float32Array, model.mesh_vertadr as Int32Array, model.mesh_vertnum as Int32Array),
    ),
    triangles: part(model.mesh_face as Int32Array, model.mesh_faceadr as Int32Array, model.mesh_facenum as Int32Array),
  };
}

/** Rounds to 0.01 mm, to keep the text short. */
function rounded(values: ArrayLike<number>): number[] {
  return Array.from(values, (value) => Math.round(1e5 * value) / 1e5);
}
