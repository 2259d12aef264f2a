/** Distances between the robot's actual shapes as measured by MuJoCo: an independent check of the safety chain's capsules. */
import type { MjData } from '@mujoco/mujoco';
import type { Capsule, RobotModel } from '../model/index.ts';
import { KEEP_OUT } from './compile-plant.ts';
import { CoupledJoints } from './coupled-joints.ts';
import { type JointAddress, jointsOf, linkBodies } from './links.ts';
import type { Simulation } from './mujoco-module.ts';

/** Limit of measured distances, m. */
const FAR_M = 1;

/** Pairs of geoms that the robot model keeps apart. */
export class DistanceWitness {
  readonly #simulation: Simulation;
  readonly #robot: RobotModel;
  readonly #coupled: CoupledJoints;
  readonly #one: number[] = [];
  readonly #other: number[] = [];
  readonly #addresses: readonly JointAddress[];
  /** Second state of the model, for poses other than the simulated robot's; created when first used. */
  #posed: MjData | undefined;

  constructor(simulation: Simulation, robot: RobotModel) {
    this.#simulation = simulation;
    this.#robot = robot;
    this.#addresses = robot.base === undefined ? jointsOf(simulation, robot) : [];
    this.#coupled = new CoupledJoints(
      simulation,
      this.#addresses.map(({ position }) => position),
    );
    const collision = robot.collision;
    if (collision === undefined) return;
    const shapes = new Map(collision.capsules.map((capsule) => [capsule.name, geomsOf(simulation, robot, capsule)]));
    const seen = new Set<string>();
    for (const [one, other] of collision.pairs) this.#watch(shapes.get(one) ?? [], shapes.get(other) ?? [], seen);
    for (const box of collision.keepOut ?? []) {
      const wall = [simulation.id('geom', `${KEEP_OUT}${box.name}`)];
      const moving = collision.capsules.filter(({ link }) => link !== 'base').map(({ name }) => name);
      for (const name of box.capsules ?? moving) this.#watch(wall, shapes.get(name) ?? [], seen);
    }
  }

  /** Returns the smallest distance of any pair at MuJoCo's present geom poses, m; negative if they overlap, at most 1. */
  smallestM(): number {
    return this.#smallestIn(this.#simulation.data);
  }

  /**
   * Like `smallestM`, for an arm with its joints at `jointsRad` ([n]); the simulated arm stays where it is. Infinity
   * for a mobile base: its joints do not determine its position.
   */
  smallestAtM(jointsRad: ArrayLike<number>): number {
    if (this.#robot.base !== undefined || this.#one.length === 0) return Number.POSITIVE_INFINITY;
    const { module, model } = this.#simulation;
    this.#posed ??= new module.MjData(model);
    const positions = this.#posed.qpos as Float64Array;
    for (const [i, { position }] of this.#addresses.entries()) positions[position] = jointsRad[i]!;
    this.#coupled.place(positions);
    module.mj_kinematics(model, this.#posed);
    return this.#smallestIn(this.#posed);
  }

  /** Frees the second state. */
  close(): void {
    this.#posed?.delete();
    this.#posed = undefined;
  }

  #smallestIn(data: MjData): number {
    const { module, model } = this.#simulation;
    let smallest = FAR_M;
    for (let i = 0; i < this.#one.length; i++) {
      // The search limit is the smallest distance so far: pairs far apart cost little.
      const distance = module.mj_geomDistance(model, data, this.#one[i]!, this.#other[i]!, smallest, null);
      if (distance < smallest) smallest = distance;
    }
    return smallest;
  }

  #watch(ones: readonly number[], others: readonly number[], seen: Set<string>): void {
    for (const one of ones) {
      for (const other of others) {
        const key = one < other ? `${one} ${other}` : `${other} ${one}`;
        if (seen.has(key)) continue;
        seen.add(key);
        this.#one.push(one);
        this.#other.push(other);
      }
    }
  }
}

/** Returns the shapes that a capsule stands for: the geom of its name, else all shapes of its link that can collide, else all. */
function geomsOf(simulation: Simulation, robot: RobotModel, capsule: Capsule): number[] {
  const { module, model } = simulation;
  const bodies = linkBodies(simulation, robot, capsule.link);
  const named = module.mj_name2id(model, module.mjtObj.mjOBJ_GEOM.value, capsule.name);
  const owners = model.geom_bodyid as Int32Array;
  if (named >= 0 && bodies.has(owners[named]!)) return [named];
  const all = [...owners.keys()].filter((geom) => bodies.has(owners[geom]!) && !isAdded(simulation, geom));
  const types = model.geom_contype as Int32Array;
  const affinities = model.geom_conaffinity as Int32Array;
  const solid = all.filter((geom) => types[geom] !== 0 || affinities[geom] !== 0);
  return solid.length > 0 ? solid : all;
}

/** Returns true for planes, which have no other side, and for shapes added by the plant, which are no part of the robot. */
function isAdded({ module, model }: Simulation, geom: number): boolean {
  const name = module.mj_id2name(model, module.mjtObj.mjOBJ_GEOM.value, geom) ?? '';
  const isPlane = (model.geom_type as Int32Array)[geom] === module.mjtGeom.mjGEOM_PLANE.value;
  return isPlane || name.startsWith('plant_');
}
