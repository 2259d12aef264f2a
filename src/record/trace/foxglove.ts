/**
 * Robot in Foxglove's schemas (https://docs.foxglove.dev/docs/sdk/schemas): a tree of frames moved by its joints,
 * shapes that are sent once and fixed to these frames, and joint states. The commanded reference is drawn beside the
 * measured pose, translucent, in its own frames.
 */
import {
  type Capsule,
  matrixFromAxisAngle,
  matrixFromRpy,
  multiplyMatrix,
  parentOf,
  quaternionFromMatrix,
  type RobotModel,
  shownCapsules,
} from '../../model/index.ts';

/** Parts of a run's packet that are drawn. */
export interface DrawnRun {
  readonly robot: RobotModel;
  /** Movable objects, in the order of a frame's numbers. */
  readonly objects?: readonly string[];
}

/** Time as in Foxglove's schemas. */
export interface Stamp {
  readonly sec: number;
  readonly nsec: number;
}

export function stampOf(atMs: number): Stamp {
  const sec = Math.floor(atMs / 1e3);
  return { sec, nsec: Math.floor((atMs - 1e3 * sec) * 1e6) };
}

type Xyz = readonly [number, number, number];
type Numbers = ArrayLike<number>;

const ROOT = 'base';
/** Prefix of the frames of the commanded links. */
const REFERENCE = 'reference/';
const OBJECT = 'object/';
const OBJECT_SIZE_M: Xyz = [0.04, 0.04, 0.02];

const MEASURED_COLOUR = colour(0.17, 0.42, 0.72, 1);
const REFERENCE_COLOUR = colour(0.9, 0.5, 0.1, 0.3);
const OBJECT_COLOUR = colour(0.2, 0.6, 0.35, 1);
const WORKSPACE_COLOUR = colour(0.5, 0.5, 0.5, 0.6);
const KEEP_OUT_COLOUR = colour(0.8, 0.15, 0.15, 0.3);

export class RobotMessages {
  readonly #run: DrawnRun;
  /** Parent frame of each joint, and its fixed rotation there. */
  readonly #links: readonly { readonly parent: string; readonly fixed: Float64Array }[];
  readonly #turn: Float64Array = new Float64Array(9);
  readonly #rotation: Float64Array = new Float64Array(9);
  readonly #quaternion: Float64Array = new Float64Array(4);

  constructor(run: DrawnRun) {
    const { joints } = run.robot;
    this.#run = run;
    this.#links = joints.map(({ originRpyRad }, i) => {
      const fixed = new Float64Array(9);
      matrixFromRpy(fixed, ...originRpyRad);
      return { parent: parentOf(joints, i), fixed };
    });
  }

  /** `foxglove.JointStates`; numbers that were not measured are omitted. */
  joints(timestamp: Stamp, positionRad: Numbers, velocityRadPerS?: Numbers, torqueNm?: Numbers): unknown {
    const joints = this.#run.robot.joints.map(({ name }, i) => ({
      name,
      position: finite(positionRad[i]),
      velocity: finite(velocityRadPerS?.[i]),
      effort: finite(torqueNm?.[i]),
    }));
    return { timestamp, joints };
  }

  /** `foxglove.FrameTransforms`: of each link and object in its parent; none before a position is known. */
  transforms(timestamp: Stamp, positionRad: Numbers, referenceRad: Numbers, objects: Numbers): unknown {
    return {
      transforms: [
        ...this.#arm(timestamp, positionRad, ''),
        ...this.#arm(timestamp, referenceRad, REFERENCE),
        ...(this.#run.objects ?? []).map((name, i) => {
          const [x = 0, y = 0, z = 0, yaw = 0] = [0, 1, 2, 3].map((k) => objects[4 * i + k]);
          const half = { w: Math.cos(yaw / 2), x: 0, y: 0, z: Math.sin(yaw / 2) };
          return transform(timestamp, ROOT, OBJECT + name, { x, y, z }, half);
        }),
      ],
    };
  }

  #arm(timestamp: Stamp, values: Numbers, prefix: string): unknown[] {
    return this.#run.robot.joints.flatMap(({ name, kind, axis, originXyzM }, i) => {
      const value = finite(values[i]);
      if (value === undefined) return [];
      const { parent, fixed } = this.#links[i]!;
      const slides = kind === 'prismatic' || kind === 'path';
      matrixFromAxisAngle(this.#turn, axis, slides ? 0 : value);
      multiplyMatrix(this.#rotation, fixed, this.#turn);
      quaternionFromMatrix(this.#quaternion, this.#rotation);
      const [w, x, y, z] = this.#quaternion as unknown as [number, number, number, number];
      const at = originXyzM.map((from, k) => {
        const along = fixed[3 * k]! * axis[0] + fixed[3 * k + 1]! * axis[1] + fixed[3 * k + 2]! * axis[2];
        return rounded(from + (slides ? along * value : 0));
      });
      const carrier = parent === ROOT ? ROOT : prefix + parent;
      const rotation = { w: rounded(w), x: rounded(x), y: rounded(y), z: rounded(z) };
      return [transform(timestamp, carrier, prefix + name, vector(at as unknown as Xyz), rotation)];
    });
  }

  /** `foxglove.SceneUpdate`: all shapes, replacing all earlier ones. */
  scene(timestamp: Stamp): unknown {
    const { robot, objects = [] } = this.#run;
    const { workspace, collision } = robot;
    const entities = shownCapsules(robot).flatMap((capsule) => {
      const { name, link } = capsule;
      const own = entity(timestamp, link, name, capsuleShapes(capsule, MEASURED_COLOUR));
      if (link === ROOT) return [own];
      return [own, entity(timestamp, REFERENCE + link, REFERENCE + name, capsuleShapes(capsule, REFERENCE_COLOUR))];
    });
    for (const name of objects) {
      const cubes = [{ pose: pose([0, 0, 0]), size: vector(OBJECT_SIZE_M), color: OBJECT_COLOUR }];
      entities.push(entity(timestamp, OBJECT + name, OBJECT + name, { cubes }));
    }
    for (const { name, minM, maxM } of collision?.keepOut ?? []) {
      entities.push(entity(timestamp, ROOT, `keep out: ${name}`, { cubes: [box(minM, maxM, KEEP_OUT_COLOUR)] }));
    }
    const { minM, maxM } = workspace;
    // A mobile base has an unbounded workspace.
    if ([...minM, ...maxM].every(Number.isFinite)) {
      entities.push(entity(timestamp, ROOT, 'workspace', { lines: [edges(minM, maxM)] }));
    }
    return { deletions: [{ timestamp, type: DELETE_ALL, id: '' }], entities };
  }
}

/** In `foxglove.SceneEntityDeletion`. */
const DELETE_ALL = 1;
/** In `foxglove.LinePrimitive`: each two points are a line. */
const LINE_LIST = 2;

type Shapes = Readonly<Partial<Record<'cubes' | 'spheres' | 'cylinders' | 'lines', readonly unknown[]>>>;

function entity(timestamp: Stamp, frame: string, id: string, shapes: Shapes): unknown {
  const none = { arrows: [], cubes: [], spheres: [], cylinders: [], lines: [], triangles: [], texts: [], models: [] };
  const lifetime = { sec: 0, nsec: 0 };
  return { timestamp, frame_id: frame, id, lifetime, frame_locked: true, metadata: [], ...none, ...shapes };
}

function transform(timestamp: Stamp, parent: string, child: string, translation: unknown, rotation: unknown): unknown {
  return { timestamp, parent_frame_id: parent, child_frame_id: child, translation, rotation };
}

function capsuleShapes({ fromM, toM, radiusM }: Capsule, color: unknown): Shapes {
  const round = vector([2 * radiusM, 2 * radiusM, 2 * radiusM]);
  const spheres = [fromM, toM].map((end) => ({ pose: pose(end), size: round, color }));
  const way = toM.map((to, k) => to - fromM[k]!) as unknown as Xyz;
  const lengthM = Math.hypot(...way);
  if (lengthM < 1e-9) return { spheres: spheres.slice(0, 1) };
  const middle = toM.map((to, k) => (to + fromM[k]!) / 2) as unknown as Xyz;
  const size = vector([2 * radiusM, 2 * radiusM, lengthM]);
  return { spheres, cylinders: [{ pose: pose(middle, way), size, bottom_scale: 1, top_scale: 1, color }] };
}

function box(minM: Xyz, maxM: Xyz, color: unknown): unknown {
  const middle = minM.map((min, k) => (min + maxM[k]!) / 2) as unknown as Xyz;
  return { pose: pose(middle), size: vector(maxM.map((max, k) => max - minM[k]!) as unknown as Xyz), color };
}

/** Twelve edges of a box. */
function edges(minM: Xyz, maxM: Xyz): unknown {
  const corner = (bits: number): unknown => vector([0, 1, 2].map((k) => (bits & (1 << k) ? maxM : minM)[k]!) as never);
  const points = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((from) =>
    [1, 2, 4].flatMap((bit) => (from & bit ? [] : [corner(from), corner(from | bit)])),
  );
  const look = { thickness: 1, scale_invariant: true, color: WORKSPACE_COLOUR, colors: [], indices: [] };
  return { type: LINE_LIST, pose: pose([0, 0, 0]), points, ...look };
}

/** `along`: direction of its z axis. */
function pose(position: Xyz, along: Xyz = [0, 0, 1]): unknown {
  const [x, y, z] = along;
  // Shortest rotation from z to `along`; about x if they are opposite.
  const w = Math.hypot(x, y, z) + z;
  const turn = w < 1e-9 ? [0, 1, 0] : [w, -y, x];
  const size = Math.hypot(...turn);
  const [turnW = 1, turnX = 0, turnY = 0] = turn.map((part) => part / size);
  return { position: vector(position), orientation: { w: turnW, x: turnX, y: turnY, z: 0 } };
}

function vector([x, y, z]: Xyz): unknown {
  return { x, y, z };
}

function colour(r: number, g: number, b: number, a: number): unknown {
  return { r, g, b, a };
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? rounded(value) : undefined;
}

/** Rounds to six decimals: micrometres, microradians. */
export function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
