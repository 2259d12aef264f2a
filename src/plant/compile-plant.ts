/** Compiles a robot's MJCF or URDF into a plant: servos of the robot model, wall, load, friction, and keep-out boxes as shapes. */
import type { MainModule, MjModel, MjSpec, MjsActuator, MjsBody, MjsDefault, MjsGeom } from '@mujoco/mujoco';
import { isGravityCompensated, ReinError, type RobotModel, toolLinkOf } from '../model/index.ts';
import { coupledTo } from './coupled-joints.ts';
import { fixJoints } from './import/refusals.ts';
import { jointsOf, missingJoint, toolBodies } from './links.ts';
import {
  childrenOf,
  compileModel,
  deleteAll,
  elementsOf,
  MemoryFolder,
  parseModel,
  readModelFile,
} from './model/model-file.ts';
import { mujocoModule, Simulation } from './mujoco-module.ts';
import type { PlantImage, PlantOptions, PlantPayload, PlantWall } from './plant-options.ts';
import { addScene } from './surroundings.ts';

export const TIMESTEP_MAX_S = 0.002;
/** Prefix of the names of elements that the plant adds. */
export const ADDED = 'plant_';
export const WALL: string = `${ADDED}wall`;
export const PAYLOAD: string = `${ADDED}payload`;
export const KEEP_OUT: string = `${ADDED}keep_out_`;
/** Collision bit that no model uses: walls collide only with what they are meant to stop. */
const WALL_BIT = 1 << 30;
/** Stiff contact without rebound: settles in 3 physics steps. */
const WALL_SETTLE_S = 0.006;
const IMAGE_NAME = 'plant.mjb';
/**
 * Wall that stops nothing until a variant sets its pose and what it stops. It is oblique: a geom that is compiled in
 * its body's own frame would stay there, whatever its pose is set to.
 */
const IDLE_WALL: PlantWall = { pointM: [1, 2, 3], normal: [1, 2, 3] };
/** Inertia of a point load per mass, since MuJoCo requires some: that of 1 cm. */
const POINT_INERTIA_M2 = 1e-4;

/** Compiles `options.file` as a plant at rest. Throws `ReinError('config')` for an unsuitable file. */
export async function compilePlant(options: PlantOptions): Promise<Simulation> {
  const module = await mujocoModule();
  const model = options.image === undefined ? compiled(module, options) : loaded(module, options.image);
  const simulation = new Simulation(module, model, new module.MjData(model));
  try {
    changeModel(simulation, options);
    return simulation;
  } catch (error) {
    simulation.close();
    throw error;
  }
}

/**
 * Compiles once what all variants of a plant share: load, friction and wall are then set without the compiler, in any
 * thread. Throws the same as `compilePlant`.
 */
export async function compilePlantImage(
  options: Pick<PlantOptions, 'file' | 'model' | 'packages'>,
): Promise<PlantImage> {
  const module = await mujocoModule();
  const idle = { wall: IDLE_WALL, ...(options.model.base === undefined && { payload: { massKg: 0 } }) };
  const model = compiled(module, { ...options, ...idle });
  const bytes = new module.Uint8Buffer(Number(module.mj_sizeModel(model)));
  try {
    module.mj_saveModel(model, null, bytes.GetView());
    return Uint8Array.from(bytes.GetView() as Uint8Array);
  } finally {
    bytes.delete();
    model.delete();
  }
}

function compiled(module: MainModule, options: PlantOptions): MjModel {
  const file = readModelFile(options.file, options.packages);
  const { spec, vfs, close } = parseModel(module, file);
  try {
    changeSpec(module, spec, options);
    const surroundings = options.surroundings?.file;
    if (surroundings === undefined) return compileModel(module, file, spec, vfs);
    const scene = addScene(module, spec, surroundings);
    try {
      return compileModel(module, scene.file, spec, vfs);
    } finally {
      scene.close();
    }
  } finally {
    close();
  }
}

function loaded(module: MainModule, image: PlantImage): MjModel {
  const vfs = new module.MjVFS();
  const memory = new MemoryFolder(module);
  try {
    return module.MjModel.mj_loadModel(memory.write(IMAGE_NAME, image), vfs);
  } finally {
    memory.clear();
    vfs.delete();
  }
}

function changeSpec(module: MainModule, spec: MjSpec, options: PlantOptions): void {
  spec.option.timestep = options.timestepS ?? TIMESTEP_MAX_S;
  // A load that is fixed to a link stays a body of its own.
  spec.compiler.fusestatic = false;
  spec.option.integrator = module.mjtIntegrator.mjINT_IMPLICITFAST.value;
  const defaults = module.mjs_getSpecDefault(spec)!;
  const bodies = bodiesOf(module, spec);
  const compensated = options.gravityCompensated ?? isGravityCompensated(options.model);
  if (options.model.base === undefined) {
    // Joints that the robot model neither names nor couples to named ones stand still.
    const named = new Set(options.model.joints.map(({ name }) => name));
    const coupled = coupledTo(module, spec, named);
    fixJoints(module, spec, (joint) => !named.has(joint) && !coupled.has(joint));
    // The file's own actuators, and elements that refer to them.
    const { mjOBJ_ACTUATOR, mjOBJ_SENSOR, mjOBJ_KEY } = module.mjtObj;
    deleteAll(module, spec, mjOBJ_SENSOR, mjOBJ_KEY, mjOBJ_ACTUATOR);
    addServos(module, spec, options);
    for (const body of bodies) body.gravcomp = compensated ? 1 : 0;
    letBaseTurn(module, spec, bodies[0]!);
  }
  if (options.payload !== undefined && 'massKg' in options.payload) addMass(module, spec, options);
  const world = bodies[0]!;
  if (options.wall !== undefined) addWall(module, world, defaults, options.wall);
  for (const box of options.model.collision?.keepOut ?? []) {
    const geom = addGeom(module, world, `${KEEP_OUT}${box.name}`, defaults);
    geom.type = module.mjtGeom.mjGEOM_BOX;
    for (let k = 0; k < 3; k++) {
      geom.pos[k] = (box.minM[k]! + box.maxM[k]!) / 2;
      geom.size[k] = (box.maxM[k]! - box.minM[k]!) / 2;
    }
  }
}

function bodiesOf(module: MainModule, spec: MjSpec): MjsBody[] {
  return elementsOf(module, spec, module.mjtObj.mjOBJ_BODY).map((element) => module.mjs_asBody(element)!);
}

/**
 * MuJoCo ignores overlaps of links that a joint connects, except between the first link and a static base: there,
 * overlapping hulls would throw the arm about.
 */
function letBaseTurn(module: MainModule, spec: MjSpec, world: MjsBody): void {
  const below = (body: MjsBody, standing: readonly MjsBody[]): void => {
    for (const element of childrenOf(module, body, module.mjtObj.mjOBJ_BODY)) {
      const child = module.mjs_asBody(element)!;
      const moves = childrenOf(module, child, module.mjtObj.mjOBJ_JOINT).length > 0;
      if (!moves) below(child, [...standing, child]);
      for (const stands of moves ? standing : []) {
        const pair = module.mjs_addExclude(spec)!;
        pair.bodyname1 = module.mjs_getName(stands.element);
        pair.bodyname2 = module.mjs_getName(element);
      }
    }
  };
  below(world, []);
}

/** Adds one servo per joint, in the robot model's order: force = K·(control − q) − d·q̇ within ±torqueMax. */
function addServos(module: MainModule, spec: MjSpec, options: PlantOptions): void {
  const defaults = module.mjs_getSpecDefault(spec)!;
  for (const joint of options.model.joints) {
    if (!module.mjs_findElement(spec, module.mjtObj.mjOBJ_JOINT, joint.name)) throw missingJoint(joint.name);
    const servo = module.mjs_addActuator(spec, defaults)!;
    forgetDefaults(module, servo);
    servo.trntype = module.mjtTrn.mjTRN_JOINT;
    servo.target = joint.name;
    servo.gaintype = module.mjtGain.mjGAIN_FIXED;
    servo.biastype = module.mjtBias.mjBIAS_AFFINE;
    servo.gainprm[0] = joint.stiffnessNmPerRad;
    servo.biasprm[1] = -joint.stiffnessNmPerRad;
    servo.biasprm[2] = -joint.dampingNmSPerRad;
    servo.forcelimited = module.mjtLimited.mjLIMITED_TRUE;
    servo.forcerange[0] = -joint.torqueMaxNm;
    servo.forcerange[1] = joint.torqueMaxNm;
  }
}

/** Adds a point mass at the tool point, which is not part of the gravity compensation. */
function addMass(module: MainModule, spec: MjSpec, options: PlantOptions): void {
  const { model, payload } = options;
  const link = toolLinkOf(model);
  const joint = module.mjs_findElement(spec, module.mjtObj.mjOBJ_JOINT, model.base === undefined ? link : 'drive_left');
  if (!joint) throw missingJoint(link);
  const body = module.mjs_getParent(joint)!;
  // A car carries it on its chassis, the parent of its wheels.
  const owner = model.base === undefined ? body : module.mjs_getParent(body.element)!;
  const mass = module.mjs_addBody(owner, module.mjs_getSpecDefault(spec)!)!;
  module.mjs_setName(mass.element, PAYLOAD);
  mass.explicitinertial = true;
  mass.mass = payload !== undefined && 'massKg' in payload ? payload.massKg : 0;
  for (let k = 0; k < 3; k++) {
    mass.pos[k] = model.tool.originXyzM[k]!;
    mass.ipos[k] = 0;
    mass.inertia[k] = POINT_INERTIA_M2 * mass.mass;
  }
}

/** Clears settings of actuators that the file's default class may have. */
function forgetDefaults(module: MainModule, servo: MjsActuator): void {
  const no = module.mjtLimited.mjLIMITED_FALSE;
  servo.ctrllimited = no;
  servo.actlimited = no;
  servo.dyntype = module.mjtDyn.mjDYN_NONE;
  servo.inheritrange = 0;
  servo.armature = 0;
  servo.delay = 0;
  for (const numbers of [servo.gear, servo.gainprm, servo.biasprm, servo.dynprm, servo.damping]) {
    (numbers as Float64Array).fill(0);
  }
  servo.gear[0] = 1;
}

function addWall(module: MainModule, world: MjsBody, defaults: MjsDefault, wall: PlantWall): void {
  const geom = addGeom(module, world, WALL, defaults);
  geom.type = module.mjtGeom.mjGEOM_PLANE;
  geom.conaffinity = WALL_BIT;
  geom.condim = 3;
  geom.solref[0] = WALL_SETTLE_S;
  geom.solref[1] = 1;
  for (let k = 0; k < 3; k++) {
    geom.pos[k] = wall.pointM[k]!;
    geom.size[k] = 0.5;
  }
  const turn = turnTo(wall);
  for (let k = 0; k < 4; k++) geom.quat[k] = turn[k]!;
}

/** Returns the rotation from z to the wall's normal, w x y z. Throws `ReinError('config')` if that is 0. */
function turnTo({ normal: [x, y, z] }: PlantWall): number[] {
  const length = Math.hypot(x, y, z);
  if (!(length > 0 && Number.isFinite(length))) throw new ReinError('config', 'a wall needs a normal that is not 0');
  // Half-way rotation from z to the normal; any half turn for the opposite direction.
  const w = 1 + z / length;
  const turn = w > 1e-9 ? [w, -y / length, x / length, 0] : [0, 1, 0, 0];
  const norm = Math.hypot(...turn);
  return turn.map((value) => value / norm);
}

function addGeom(module: MainModule, body: MjsBody, name: string, defaults: MjsDefault): MjsGeom {
  const geom = module.mjs_addGeom(body, defaults)!;
  module.mjs_setName(geom.element, name);
  geom.contype = 0;
  geom.conaffinity = 0;
  return geom;
}

/** Sets what is simpler to change after compiling: friction, load, and what the wall stops. */
function changeModel(simulation: Simulation, options: PlantOptions): void {
  const { model } = simulation;
  if (options.frictionNm !== undefined) {
    const friction = model.dof_frictionloss as Float64Array;
    // A car's wheels have it, but not the six degrees of freedom of its whole body.
    const addresses =
      options.model.base === undefined ? jointsOf(simulation, options.model).map(({ dof }) => dof) : hinges(simulation);
    for (const dof of addresses) friction[dof]! += options.frictionNm;
  }
  if (options.payload !== undefined) load(simulation, options.payload, options.model);
  if (options.wall !== undefined) {
    placeWall(simulation, options.wall);
    letCollide(simulation, toolBodies(simulation, options.model));
  }
}

function hinges({ module, model }: Simulation): number[] {
  const types = model.jnt_type as Int32Array;
  const dofs = model.jnt_dofadr as Int32Array;
  return [...types.keys()].filter((i) => types[i] === module.mjtJoint.mjJNT_HINGE.value).map((i) => dofs[i]!);
}

function placeWall(simulation: Simulation, wall: PlantWall): void {
  const { model } = simulation;
  const geom = simulation.id('geom', WALL);
  (model.geom_pos as Float64Array).set(wall.pointM, 3 * geom);
  (model.geom_quat as Float64Array).set(turnTo(wall), 4 * geom);
}

/** Sets a point mass, or a tool link heavier than its gravity compensation, which remains that of the nominal mass. */
function load(simulation: Simulation, payload: PlantPayload, robot: RobotModel): void {
  const { model, module, data } = simulation;
  const masses = model.body_mass as Float64Array;
  const inertias = model.body_inertia as Float64Array;
  if ('massKg' in payload) {
    const body = simulation.id('body', PAYLOAD);
    masses[body] = payload.massKg;
    inertias.fill(POINT_INERTIA_M2 * payload.massKg, 3 * body, 3 * body + 3);
    module.mj_setConst(model, data);
    return;
  }
  const compensations = model.body_gravcomp as Float64Array;
  for (const body of toolBodies(simulation, robot)) {
    masses[body]! *= payload.scale;
    for (let k = 0; k < 3; k++) inertias[3 * body + k]! *= payload.scale;
    compensations[body]! /= payload.scale;
  }
  module.mj_setConst(model, data);
}

function letCollide(simulation: Simulation, bodies: ReadonlySet<number>): void {
  const { model } = simulation;
  const owners = model.geom_bodyid as Int32Array;
  const geomTypes = model.geom_contype as Int32Array;
  const bodyTypes = model.body_contype as Int32Array;
  for (const [geom, body] of owners.entries()) {
    if (!bodies.has(body)) continue;
    geomTypes[geom]! |= WALL_BIT;
    bodyTypes[body]! |= WALL_BIT;
  }
}
