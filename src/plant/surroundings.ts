/**
 * Objects beside a robot that is simulated from its own file: a scene file, merged with the robot's, whose bodies are
 * placed at each reset and measured at each reading. The world frame is the robot's base frame.
 */
import type { MainModule, MjSpec, MjsGeom } from '@mujoco/mujoco';
import { allFinite, ReinError, type RobotModel, toolLinkOf } from '../model/index.ts';
import type { RobotState, SceneLayout } from '../rows/index.ts';
import { toolBodies } from './links.ts';
import {
  deleteAll,
  elementsOf,
  type ModelFile,
  type ParsedModel,
  parseModel,
  readModelFile,
  withIncludes,
} from './model/model-file.ts';
import type { Simulation } from './mujoco-module.ts';
import { placeSignals } from './options.ts';
import type { PlantSurroundings } from './plant-options.ts';

/** Collision bit that no model uses: the scene collides with the robot whatever collisions the robot's file defines. */
const SCENE_BIT = 1 << 29;
const FRAME = 'plant_scene';

/**
 * Adds the MJCF at `path` to the robot in `spec`; both must be kept until the model is compiled. Its actuators, sensors
 * and keyframes are left out. Throws `ReinError('config')`.
 */
export function addScene(
  module: MainModule,
  spec: MjSpec,
  path: string,
): { readonly file: ModelFile } & Pick<ParsedModel, 'close'> {
  const file = withIncludes(readModelFile(path));
  // A frame around everything: only that can be attached to another model's world together with free bodies.
  const xml = asOneWorld(file.xml)
    .replace(/<worldbody\s*>/, `<worldbody><frame name="${FRAME}">`)
    .replace(/<\/worldbody\s*>/, '</frame></worldbody>');
  const scene = parseModel(module, { ...file, xml });
  try {
    const { mjOBJ_ACTUATOR, mjOBJ_SENSOR, mjOBJ_KEY } = module.mjtObj;
    deleteAll(module, scene.spec, mjOBJ_SENSOR, mjOBJ_KEY, mjOBJ_ACTUATOR);
    letTouch(module, spec, scene.spec);
    const frame = module.mjs_findFrame(scene.spec, FRAME);
    if (!frame) throw new ReinError('config', `${path}: there is no <worldbody>, so there is nothing beside the robot`);
    const world = module.mjs_findBody(spec, 'world')!;
    if (!module.mjs_attach(world.element, frame.element, '', '')) {
      throw new ReinError('config', `${path}: cannot be put beside the robot: ${module.mjs_getError(spec)}`);
    }
    return { file, close: scene.close };
  } catch (error) {
    scene.close();
    throw error;
  }
}

/** Merges further worlds, as from included files, into the first. */
function asOneWorld(xml: string): string {
  const [first, ...others] = [...xml.matchAll(/<worldbody\s*>([\s\S]*?)<\/worldbody\s*>/g)];
  if (first === undefined || others.length === 0) return xml;
  const rest = others.reduceRight(
    (text, { 0: all, index }) => text.slice(0, index) + text.slice(index + all.length),
    xml,
  );
  const end = first.index + first[0].lastIndexOf('</worldbody');
  return rest.slice(0, end) + others.map(([, inner]) => inner).join('') + rest.slice(end);
}

/** Lets the scene's collision shapes collide with the robot's; with all shapes of a robot that has visual ones only. */
function letTouch(module: MainModule, robot: MjSpec, scene: MjSpec): void {
  const isSolid = ({ contype, conaffinity }: MjsGeom): boolean => contype !== 0 || conaffinity !== 0;
  const own = geomsOf(module, robot).filter(({ element }) => !module.mjs_getName(element).startsWith('plant_'));
  const touching = own.some(isSolid) ? own.filter(isSolid) : own;
  for (const geom of touching) geom.contype |= SCENE_BIT;
  for (const geom of geomsOf(module, scene).filter(isSolid)) geom.conaffinity |= SCENE_BIT;
}

function geomsOf(module: MainModule, spec: MjSpec): MjsGeom[] {
  return elementsOf(module, spec, module.mjtObj.mjOBJ_GEOM).map((element) => module.mjs_asGeom(element)!);
}

/** Measured signal: a coordinate of a body or site. */
interface Measured {
  readonly signal: number;
  readonly kind: 'body' | 'site';
  readonly id: number;
  /** 0 to 2: x, y, z; 3: yaw. */
  readonly axis: number;
}

export class Surroundings {
  readonly #simulation: Simulation;
  readonly #measured: readonly Measured[];
  /** [k] signals that are not measured, from the layout. */
  readonly #given: Float64Array;
  readonly #signalNames: readonly string[];

  /** Throws `ReinError('config')` for a place that the scene lacks. */
  constructor(simulation: Simulation, { places, signalNames }: PlantSurroundings) {
    this.#simulation = simulation;
    this.#signalNames = signalNames;
    this.#given = new Float64Array(signalNames.length);
    this.#measured = places.flatMap((name) => {
      const place = findPlace(simulation, name);
      return placeSignals(name).flatMap((signal, axis) => {
        const index = signalNames.indexOf(signal);
        return index < 0 ? [] : [{ ...place, signal: index, axis }];
      });
    });
  }

  /** Places bodies as in `layout`, at rest; the simulation has been reset. Throws `ReinError` for an unknown body. */
  place({ objects, signals }: SceneLayout): void {
    for (const [name, pose] of Object.entries(objects)) {
      if (!allFinite(pose)) throw new RangeError(`a layout's pose of ${name} is ${pose}`);
      this.#put(this.#simulation.id('body', name), pose);
    }
    for (const [i, name] of this.#signalNames.entries()) this.#given[i] = signals[name] ?? 0;
  }

  /** Writes the signals, [k]. Tick-safe but for views. */
  measure(out: RobotState['signals']): void {
    out.set(this.#given);
    const { sitePosition, siteRotation, bodyPosition, bodyRotation } = this.#simulation.views;
    for (let i = 0; i < this.#measured.length; i++) {
      const { signal, kind, id, axis } = this.#measured[i]!;
      const position = kind === 'body' ? bodyPosition : sitePosition;
      const rotation = kind === 'body' ? bodyRotation : siteRotation;
      out[signal] = axis < 3 ? position[3 * id + axis]! : Math.atan2(rotation[9 * id + 3]!, rotation[9 * id]!);
    }
  }

  #put(body: number, [x, y, z, yawRad]: readonly [number, number, number, number]): void {
    const { model, views } = this.#simulation;
    const turn = [Math.cos(yawRad / 2), 0, 0, Math.sin(yawRad / 2)];
    const mocap = (model.body_mocapid as Int32Array)[body]!;
    const joints = jointsOf(this.#simulation, body);
    if (mocap >= 0) {
      views.mocapPosition.set([x, y, z], 3 * mocap);
      views.mocapQuaternion.set(turn, 4 * mocap);
    } else if (joints.length === 0) {
      (model.body_pos as Float64Array).set([x, y, z], 3 * body);
      (model.body_quat as Float64Array).set(turn, 4 * body);
    } else if (joints[0]!.kind === 'free') {
      views.positionRad.set([x, y, z, ...turn], joints[0]!.address);
    } else {
      const home = (model.body_pos as Float64Array).subarray(3 * body, 3 * body + 3);
      const way = [x - home[0]!, y - home[1]!, z - home[2]!];
      for (const { kind, axis, address } of joints) {
        const along = axis[0]! * way[0]! + axis[1]! * way[1]! + axis[2]! * way[2]!;
        views.positionRad[address] = kind === 'slide' ? along : axis[2]! * yawRad;
      }
    }
  }
}

/** Returns the joints of `body` in its parent, with their addresses; axes in the body's own initial frame. */
function jointsOf(
  { model, module }: Simulation,
  body: number,
): { readonly kind: 'free' | 'slide' | 'hinge'; readonly address: number; readonly axis: readonly number[] }[] {
  const first = (model.body_jntadr as Int32Array)[body]!;
  const count = (model.body_jntnum as Int32Array)[body]!;
  const { mjJNT_FREE, mjJNT_SLIDE } = module.mjtJoint;
  return Array.from({ length: count }, (_, i) => {
    const type = (model.jnt_type as Int32Array)[first + i]!;
    return {
      kind: type === mjJNT_FREE.value ? 'free' : type === mjJNT_SLIDE.value ? 'slide' : 'hinge',
      address: (model.jnt_qposadr as Int32Array)[first + i]!,
      axis: [...(model.jnt_axis as Float64Array).subarray(3 * (first + i), 3 * (first + i) + 3)],
    };
  });
}

function findPlace(simulation: Simulation, name: string): Pick<Measured, 'kind' | 'id'> {
  const { module, model } = simulation;
  const find = (type: { readonly value: number }): number => module.mj_name2id(model, type.value, name);
  const body = find(module.mjtObj.mjOBJ_BODY);
  if (body >= 0) return { kind: 'body', id: body };
  const site = find(module.mjtObj.mjOBJ_SITE);
  if (site >= 0) return { kind: 'site', id: site };
  throw new ReinError('config', `the scene has no body and no site named "${name}"`);
}

/** Contact wrench on the tool: mean over the steps of a period, about the tool point, base frame. */
export class ToolTouch {
  readonly #simulation: Simulation;
  readonly #bodies: readonly number[];
  readonly #root: number;
  /** Body in whose frame the tool point is given. */
  readonly #link: number;
  readonly #toolM: RobotModel['tool']['originXyzM'];
  readonly #sum: Float64Array = new Float64Array(6);
  #steps = 0;

  constructor(simulation: Simulation, { joints, tool }: RobotModel) {
    const { model } = simulation;
    this.#simulation = simulation;
    this.#bodies = [...toolBodies(simulation, { joints, tool } as RobotModel)];
    const link = simulation.id('joint', toolLinkOf({ joints, tool }));
    this.#link = (model.jnt_bodyid as Int32Array)[link]!;
    this.#root = (model.body_rootid as Int32Array)[this.#link]!;
    this.#toolM = tool.originXyzM;
  }

  /** Adds the contacts of the tool in the physics step that has just passed. */
  addStep(): void {
    const { module, model, data, views } = this.#simulation;
    this.#steps++;
    if ((data.ncon as number) === 0) return;
    module.mj_rnePostConstraint(model, data);
    const { bodyContact, centreOfMass, bodyPosition, bodyRotation } = views;
    const [px, py, pz] = this.#toolM;
    const about = [0, 1, 2].map((k) => {
      const row = 9 * this.#link + 3 * k;
      const tcp = bodyPosition[3 * this.#link + k]!;
      const offset = bodyRotation[row]! * px + bodyRotation[row + 1]! * py + bodyRotation[row + 2]! * pz;
      return centreOfMass[3 * this.#root + k]! - tcp - offset;
    });
    const [x, y, z] = about as [number, number, number];
    for (const body of this.#bodies) {
      const b = 6 * body;
      const force = bodyContact.subarray(b + 3, b + 6);
      const [fx, fy, fz] = [force[0]!, force[1]!, force[2]!];
      const moment = [y * fz - z * fy, z * fx - x * fz, x * fy - y * fx];
      for (let k = 0; k < 3; k++) {
        this.#sum[k]! += force[k]!;
        this.#sum[3 + k]! += bodyContact[b + k]! + moment[k]!;
      }
    }
  }

  /** Writes the mean of the steps since the last call into `out` ([6], N and N·m); zeros if there were none. */
  read(out: Float64Array): void {
    for (let i = 0; i < 6; i++) out[i] = this.#steps > 0 ? this.#sum[i]! / this.#steps : 0;
    this.#sum.fill(0);
    this.#steps = 0;
  }
}
