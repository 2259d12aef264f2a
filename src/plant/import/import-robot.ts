/** Imports a robot's joints, frames, shapes and servos from an MJCF or URDF, as far as the file gives them. */
import { basename } from 'node:path';
import type { MainModule, MjSpec, MjsElement, mjtLimited } from '@mujoco/mujoco';
import { type Capsule, matrixFromAxisAngle, ReinError, Rng } from '../../model/index.ts';
import { compose, type Frame, frameOf, IDENTITY, rpyOf, type Triple } from '../frames.ts';
import type { PackageFolders } from '../model/model-assets.ts';
import { codeOf, compileModel, elementsOf, type ModelFile, parseModel, readModelFile } from '../model/model-file.ts';
import { packagesFound } from '../model/urdf-file.ts';
import { mujocoModule, Simulation } from '../mujoco-module.ts';
import type { ImportedJoint, ImportedRobot, NamedFrame } from './imported-robot.ts';
import { ballsOf, boundingCapsule } from './link-capsule.ts';
import { PlaceFinder } from './place-finder.ts';
import { fixJoints, refuseOthers } from './refusals.ts';

/** Body as part of a link: the joint that moves it (−1: the base), and its frame in that joint's frame. */
interface Part {
  readonly joint: number;
  readonly frame: Frame;
}

/** Facts that the compiled model does not show. */
interface FileFacts {
  readonly places: PlaceFinder;
  readonly limited: LimitedFlags;
  /** Indices of the geoms that can collide. */
  readonly solid: ReadonlySet<number>;
  /** Names of the bodies whose joints were fixed. */
  readonly fingers: ReadonlySet<string>;
}

/** Less than any real part: URDFs give pure frames a mass because some parsers require one. */
const NO_MASS_KG = 1e-4;

/** Import options. */
export interface ImportOptions {
  /** Folders of ROS packages, for `package://`. */
  readonly packages?: PackageFolders | undefined;
  /** Called with a message at the start of each lengthy phase. */
  readonly onPhase?: ((message: string) => void) | undefined;
}

/**
 * Reads `file` (a path, or the text). Joints selected by `stays` are fixed, as the plant fixes all that a robot model does
 * not name. Throws `ReinError('config')` with file and line for a file that MuJoCo cannot load, and for anything but a tree
 * of hinge and slide joints: free and ball joints, closed chains, joints that follow others, links without mass.
 */
export async function importRobot(
  file: string,
  stays: (joint: string) => boolean = () => false,
  { packages, onPhase }: ImportOptions = {},
): Promise<ImportedRobot> {
  const module = await mujocoModule();
  const text = readModelFile(file, packages);
  const places = new PlaceFinder(text);
  const { spec, vfs, meshes, close } = parseModel(module, text);
  try {
    // Before compiling: this reports the place, and MuJoCo does not.
    places.refuseUrdf(stays);
    const homes = homeOf(module, text);
    const still = fixJoints(module, spec, stays);
    refuseOthers(module, spec, places.of);
    // Links without joints keep their names: one of them may be the tool.
    spec.compiler.fusestatic = false;
    if (meshes > 0) onPhase?.(`compiling ${meshes} ${meshes === 1 ? 'mesh' : 'meshes'} of ${basename(text.name)}`);
    const solids = letNothingCollide(module, spec);
    const model = compileModel(module, text, spec, vfs);
    const simulation = new Simulation(module, model, new module.MjData(model));
    try {
      const solid = new Set(solids.map((element) => module.mjs_getId(element)));
      const facts = { places, limited: limitedFlags(module, spec), solid, fingers: still.bodies };
      const followed = [...new Set([...still.followed, ...places.urdfFollowed])];
      return {
        ...describe(simulation, facts, homes),
        fixed: still.joints,
        followed,
        notRead: places.urdfNotRead,
        packages: packagesFound(places.file.assets, packages ?? {}),
      };
    } finally {
      simulation.close();
    }
  } finally {
    close();
  }
}

/** Returns what the compiled model contains. */
function describe(
  simulation: Simulation,
  facts: FileFacts,
  homes: ReadonlyMap<string, number>,
): Omit<ImportedRobot, 'fixed' | 'followed' | 'notRead' | 'packages'> {
  const { model } = simulation;
  const count = model.njnt as number;
  const file = facts.places.file.name;
  if (count === 0) throw new ReinError('config', `${file}: there is no joint in it`);
  const parts = new Array<Part>(model.nbody as number);
  parts[0] = { joint: -1, frame: IDENTITY };
  const joints: ImportedJoint[] = [];
  for (let body = 1; body < parts.length; body++) parts[body] = place(simulation, body, parts, joints, facts);
  const home = joints.map(({ name }) => homes.get(name));
  return {
    name: nameOf(simulation, file),
    joints,
    frames: framesOf(simulation, parts, joints, facts.fingers),
    capsules: capsulesOf(simulation, parts, joints, facts.solid),
    inertias: inertiasOf(simulation),
    homeRad: home.every((value) => value !== undefined) ? (home as number[]) : undefined,
  };
}

/** Adds the joints of `body` to `joints`, and returns its link. Parents come first in MuJoCo's order. */
function place(simulation: Simulation, body: number, parts: Part[], joints: ImportedJoint[], file: FileFacts): Part {
  const { model } = simulation;
  const parent = parts[(model.body_parentid as Int32Array)[body]!]!;
  const own = frameOf(model.body_pos as Float64Array, model.body_quat as Float64Array, body);
  let part: Part = { joint: parent.joint, frame: compose(parent.frame, own) };
  const first = (model.body_jntadr as Int32Array)[body]!;
  const count = (model.body_jntnum as Int32Array)[body]!;
  for (let joint = first; joint < first + count; joint++) {
    const name = simulation.nameOf('joint', joint);
    const parentName = part.joint < 0 ? 'base' : joints[part.joint]!.name;
    const { described, rest } = jointOf(simulation, joint, part.frame, file.limited.joints.has(joint));
    joints.push({
      name,
      parent: parentName,
      place: file.places.of('joint', name),
      ...described,
      ...servoOf(simulation, joint, file.limited),
      ...file.places.urdfFacts(name),
    });
    part = { joint: joints.length - 1, frame: rest };
  }
  return part;
}

/**
 * Returns the joint in its parent link's frame; `body` is the initial frame of the body that it moves. `rest`: that body's frame in
 * the joint's. The joint frame is at the hinge's anchor, oriented as the body at joint position 0 (q − ref in MuJoCo).
 */
function jointOf(
  { module, model }: Simulation,
  joint: number,
  body: Frame,
  isLimited: boolean,
): { described: Pick<ImportedJoint, 'kind' | 'originXyzM' | 'originRpyRad' | 'axis' | 'range'>; rest: Frame } {
  const three = (from: unknown): Triple => {
    const all = from as Float64Array;
    return [all[3 * joint]!, all[3 * joint + 1]!, all[3 * joint + 2]!];
  };
  const axis = three(model.jnt_axis);
  const refRad = (model.qpos0 as Float64Array)[(model.jnt_qposadr as Int32Array)[joint]!]!;
  const slides = (model.jnt_type as Int32Array)[joint] === module.mjtJoint.mjJNT_SLIDE.value;
  const anchor: Triple = slides ? [0, 0, 0] : three(model.jnt_pos);
  const back = new Float64Array(9);
  matrixFromAxisAngle(back, axis, slides ? 0 : -refRad);
  const zero: Triple = slides ? [-refRad * axis[0], -refRad * axis[1], -refRad * axis[2]] : anchor;
  const { rotation, at } = compose(body, { rotation: back, at: zero });
  const ranges = model.jnt_range as Float64Array;
  return {
    described: {
      kind: slides ? 'prismatic' : 'revolute',
      originXyzM: at,
      originRpyRad: rpyOf(rotation),
      axis,
      range: isLimited ? [ranges[2 * joint]!, ranges[2 * joint + 1]!] : undefined,
    },
    rest: { rotation: IDENTITY.rotation, at: [-anchor[0], -anchor[1], -anchor[2]] },
  };
}

/**
 * Ranges of a file that are in effect, by index in the compiled model. MuJoCo's WebAssembly build has no view of the
 * compiled flags, so the file's own are used.
 */
interface LimitedFlags {
  /** Joints with a position range. */
  readonly joints: ReadonlySet<number>;
  /** Joints with a range of actuator force. */
  readonly jointForces: ReadonlySet<number>;
  /** Actuators with a force range. */
  readonly actuatorForces: ReadonlySet<number>;
}

/** Returns the flags of a spec that has been compiled. */
function limitedFlags(module: MainModule, spec: MjSpec): LimitedFlags {
  const automatic = spec.compiler.autolimits;
  const holds = (flag: mjtLimited, range: ArrayLike<number>): boolean => {
    const { mjLIMITED_TRUE, mjLIMITED_AUTO } = module.mjtLimited;
    const value = codeOf(flag);
    return value === mjLIMITED_TRUE.value || (value === mjLIMITED_AUTO.value && automatic && range[0]! < range[1]!);
  };
  const joints = new Set<number>();
  const jointForces = new Set<number>();
  const actuatorForces = new Set<number>();
  for (const element of elementsOf(module, spec, module.mjtObj.mjOBJ_JOINT)) {
    const { limited, range, actfrclimited, actfrcrange } = module.mjs_asJoint(element)!;
    if (holds(limited, range)) joints.add(module.mjs_getId(element));
    if (holds(actfrclimited, actfrcrange)) jointForces.add(module.mjs_getId(element));
  }
  for (const element of elementsOf(module, spec, module.mjtObj.mjOBJ_ACTUATOR)) {
    const { forcelimited, forcerange } = module.mjs_asActuator(element)!;
    if (holds(forcelimited, forcerange)) actuatorForces.add(module.mjs_getId(element));
  }
  return { joints, jointForces, actuatorForces };
}

type Servo = Pick<ImportedJoint, 'torqueMaxNm' | 'stiffnessNmPerRad' | 'dampingNmSPerRad'>;

/** Returns stiffness and damping of the joint's position actuator, and the largest force of its actuators, seen at the joint. */
function servoOf({ module, model }: Simulation, joint: number, limited: LimitedFlags): Servo {
  const count = model.nu as number;
  const each = (from: unknown): number => (count === 0 ? 0 : (from as ArrayLike<number>).length / count);
  const targets = model.actuator_trnid as Int32Array;
  const kinds = model.actuator_trntype as Int32Array;
  const limit = limited.jointForces.has(joint) ? within(model.jnt_actfrcrange as Float64Array, joint) : undefined;
  let servo: Servo = { torqueMaxNm: limit };
  for (let i = 0; i < count; i++) {
    const isOwn = kinds[i] === module.mjtTrn.mjTRN_JOINT.value && targets[each(targets) * i] === joint;
    if (!isOwn) continue;
    const gear = Math.abs((model.actuator_gear as Float64Array)[each(model.actuator_gear) * i]!);
    const gain = (model.actuator_gainprm as Float64Array)[each(model.actuator_gainprm) * i]!;
    const [, stiffness = 0, damping = 0] = (model.actuator_biasprm as Float64Array).subarray(
      each(model.actuator_biasprm) * i,
    );
    const forces = model.actuator_forcerange as Float64Array;
    const own = limited.actuatorForces.has(i) ? within(forces, i) : undefined;
    const most = own === undefined ? undefined : gear * own;
    if (most !== undefined) servo = { ...servo, torqueMaxNm: Math.min(most, limit ?? most) };
    // A position actuator: force = K·(control − position) − d·velocity.
    if (gain > 0 && stiffness < 0) {
      servo = {
        ...servo,
        stiffnessNmPerRad: -stiffness * gear ** 2,
        dampingNmSPerRad: Math.max(0, -damping) * gear ** 2,
      };
    }
  }
  return servo;
}

/** Returns the largest force that is permitted in both directions; `undefined` if none is. */
function within(ranges: Float64Array, index: number): number | undefined {
  const most = Math.min(-ranges[2 * index]!, ranges[2 * index + 1]!);
  return most > 0 ? most : undefined;
}

function framesOf(
  simulation: Simulation,
  parts: readonly Part[],
  joints: readonly ImportedJoint[],
  fingers: ReadonlySet<string>,
): NamedFrame[] {
  const { model } = simulation;
  const [parents, masses, geoms] = [
    model.body_parentid as Int32Array,
    model.body_mass as Float64Array,
    model.body_geomnum as Int32Array,
  ];
  const isOnFinger = (body: number): boolean =>
    body > 0 && (fingers.has(simulation.nameOf('body', body)) || isOnFinger(parents[body]!));
  const link = ({ joint }: Part): string => (joint < 0 ? 'base' : joints[joint]!.name);
  const named = (kind: 'site' | 'body', id: number, body: number, frame: Frame): NamedFrame => ({
    name: simulation.nameOf(kind, id),
    kind,
    link: link(parts[body]!),
    originXyzM: frame.at,
    originRpyRad: rpyOf(frame.rotation),
    isBare: kind === 'site' || (geoms[body] === 0 && masses[body]! < NO_MASS_KG),
    isOnFinger: isOnFinger(body),
  });
  const sites = Array.from({ length: model.nsite as number }, (_, site) => {
    const body = (model.site_bodyid as Int32Array)[site]!;
    const part = parts[body]!;
    const own = frameOf(model.site_pos as Float64Array, model.site_quat as Float64Array, site);
    return named('site', site, body, compose(part.frame, own));
  });
  const bodies = parts.map((part, body) => named('body', body, body, part.frame));
  return [...sites, ...bodies.slice(1)].filter(({ name }) => name !== '');
}

/** Marks all geoms as visual, which saves convex hulls of meshes that are only measured here. Returns those that could collide. */
function letNothingCollide(module: MainModule, spec: MjSpec): MjsElement[] {
  spec.compiler.discardvisual = false;
  return elementsOf(module, spec, module.mjtObj.mjOBJ_GEOM).filter((element) => {
    const geom = module.mjs_asGeom(element)!;
    const isSolid = geom.contype !== 0 || geom.conaffinity !== 0;
    geom.contype = 0;
    geom.conaffinity = 0;
    return isSolid;
  });
}

/** Number of poses in which inertias are measured, besides the file's, in which arms are often folded or upright. */
const INERTIA_POSES = 64;

/** Returns the inertia that each joint moves, rotors included, over random poses: with the others held, and with the others free. */
function inertiasOf(simulation: Simulation): ImportedRobot['inertias'] {
  const { model } = simulation;
  const dofs = [...(model.jnt_dofadr as Int32Array)];
  const rng = new Rng(1);
  const held: number[][] = dofs.map(() => []);
  const free: number[][] = dofs.map(() => []);
  for (let pose = 0; pose <= INERTIA_POSES; pose++) {
    if (pose > 0) drawPose(simulation, rng);
    simulation.forward();
    const { size, matrix } = simulation.inertiaMatrix();
    const inverse = inverseOf(matrix, size);
    for (const [k, dof] of dofs.entries()) {
      held[k]!.push(matrix[dof * (size + 1)]!);
      free[k]!.push(1 / inverse[dof * (size + 1)]!);
    }
  }
  simulation.reset();
  return dofs.map((_, k) => {
    const sorted = free[k]!.sort((a, b) => a - b);
    return { mostKgM2: Math.max(...held[k]!), freeKgM2: sorted[sorted.length >> 1]!, leastKgM2: sorted[0]! };
  });
}

/** Places each joint at random in its range; joints without stops, within half a turn to each side. */
function drawPose({ model, views }: Simulation, rng: Rng): void {
  const ranges = model.jnt_range as Float64Array;
  const addresses = model.jnt_qposadr as Int32Array;
  for (const [k, at] of addresses.entries()) {
    const [low, high] = [ranges[2 * k]!, ranges[2 * k + 1]!];
    const drawn = rng.uniform();
    views.positionRad[at] = low < high ? low + drawn * (high - low) : (2 * drawn - 1) * Math.PI;
  }
}

/** Returns the inverse of a positive definite matrix (Gauss–Jordan). */
function inverseOf(matrix: Float64Array, size: number): Float64Array {
  const left = matrix.slice();
  const right = new Float64Array(size * size);
  for (let i = 0; i < size; i++) right[i * (size + 1)] = 1;
  for (let pivot = 0; pivot < size; pivot++) {
    const scale = 1 / left[pivot * (size + 1)]!;
    for (let k = 0; k < size; k++) {
      left[pivot * size + k]! *= scale;
      right[pivot * size + k]! *= scale;
    }
    for (let row = 0; row < size; row++) {
      const factor = row === pivot ? 0 : left[row * size + pivot]!;
      for (let k = 0; k < size; k++) {
        left[row * size + k]! -= factor * left[pivot * size + k]!;
        right[row * size + k]! -= factor * right[pivot * size + k]!;
      }
    }
  }
  return right;
}

/** Returns one capsule per link around its shapes that can collide; around all if no link of the robot has such a shape. */
function capsulesOf(
  simulation: Simulation,
  parts: readonly Part[],
  joints: readonly ImportedJoint[],
  solids: ReadonlySet<number>,
): Capsule[] {
  const owners = simulation.model.geom_bodyid as Int32Array;
  const solid = [...owners.keys()].filter((geom) => solids.has(geom));
  // Static shapes may be a floor or a stand: they do not show whether the robot's own shapes are distinguished.
  const isOfRobot = (geom: number): boolean => parts[owners[geom]!]!.joint >= 0;
  const capsules: Capsule[] = [];
  for (let joint = -1; joint < joints.length; joint++) {
    const isOwn = (geom: number): boolean => parts[owners[geom]!]!.joint === joint;
    const geoms = (solid.some(isOfRobot) ? solid : [...owners.keys()]).filter(isOwn);
    const shapes = geoms.map((geom) => ballsOf(simulation, geom, parts[owners[geom]!]!.frame));
    const balls = shapes.flatMap((shape) => shape.balls);
    if (balls.length === 0) continue;
    const link = joint < 0 ? 'base' : joints[joint]!.name;
    capsules.push({
      // No geom has this name: in simulation, all shapes of the link stand for the capsule.
      name: `${link}-link`,
      link,
      ...boundingCapsule(
        balls,
        shapes.map(({ axis }) => axis),
      ),
    });
  }
  return capsules;
}

/** Returns the joint positions, by name, of the keyframe `home`, or the first: before joints are fixed, which removes keyframes. */
function homeOf(module: MainModule, file: ModelFile): Map<string, number> {
  const homes = new Map<string, number>();
  const { spec, vfs, close } = parseModel(module, file, { shapes: 'skeleton' });
  let simulation: Simulation | undefined;
  try {
    const model = compileModel(module, file, spec, vfs);
    simulation = new Simulation(module, model, new module.MjData(model));
    const count = model.nkey as number;
    if (count === 0) return homes;
    const named = module.mj_name2id(model, module.mjtObj.mjOBJ_KEY.value, 'home');
    const at = Math.max(0, named) * (model.nq as number);
    const addresses = model.jnt_qposadr as Int32Array;
    for (const [joint, address] of addresses.entries()) {
      homes.set(simulation.nameOf('joint', joint), (model.key_qpos as Float64Array)[at + address]!);
    }
    return homes;
  } finally {
    simulation?.close();
    close();
  }
}

/** Returns the model's name in the file, or the file's own name, reduced to the letters that names may have. */
function nameOf({ model }: Simulation, file: string): string {
  const names = model.names as unknown as ArrayLike<number>;
  let text = '';
  for (let i = 0; typeof names !== 'string' && i < names.length && names[i] !== 0; i++)
    text += String.fromCharCode(names[i]!);
  const given = text === '' || text === 'MuJoCo Model' ? basename(file).replace(/\.\w+$/, '') : text;
  const clean = given.replace(/[^A-Za-z0-9_-]/g, '-').replace(/^[^A-Za-z]+/, '');
  return clean === '' ? 'robot' : clean.slice(0, 64);
}
