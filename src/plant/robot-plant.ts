/** Body and servos of a robot in MuJoCo, to test a safety chain on: references in, measurements out. */
import { allFinite, type RobotModel } from '../model/index.ts';
import type { RobotState, SceneLayout } from '../rows/index.ts';
import { checkAgreement } from './agreement.ts';
import { CarDrive } from './car-drive.ts';
import { ADDED, compilePlant, TIMESTEP_MAX_S } from './compile-plant.ts';
import { ContactForce } from './contact-force.ts';
import { CoupledJoints } from './coupled-joints.ts';
import { DrawnShapes } from './drawn-shapes.ts';
import { type Drive, JointServos } from './joint-servos.ts';
import { jointsOf } from './links.ts';
import type { Simulation } from './mujoco-module.ts';
import type { PlantOptions } from './plant-options.ts';
import { ServoTorques } from './servo-torques.ts';
import { Surroundings, ToolTouch } from './surroundings.ts';
import { DistanceWitness } from './witness.ts';

/** Shorter periods count as none: MuJoCo needs a step of some length. */
const NO_TIME_S = 1e-9;
/** Geom that carries a car: contact with it is no collision. */
const GROUND = 'floor';

/**
 * One robot. An arm's joint follows its set-point s by τ = clip(K·(s − q) − d·q̇, ±torqueMax), with K, d and torqueMax
 * of the robot model. The plant owns its arrays, which each step writes. For tests and checks: a step allocates while
 * there are contacts.
 */
export class RobotPlant {
  /** [n] measured, rad (m for prismatic joints and driven distance). */
  readonly positionRad: Float64Array;
  /** [n] measured, rad/s. */
  readonly velocityRadPerS: Float64Array;
  /** [n] servo torques, N·m, mean of the last period; 0 for a car's axes. */
  readonly torqueNm: Float64Array;
  /** [n] set-points in effect, with delay and feed-forward, rad. */
  readonly setPointRad: Float64Array;
  /** [6] contact wrench of the surroundings on the tool, N and N·m, base frame, mean of the last period; zeros without surroundings. */
  readonly wrench: Float64Array = new Float64Array(6);
  readonly #simulation: Simulation;
  readonly #model: RobotModel;
  readonly #drive: Drive;
  readonly #contacts: ContactForce;
  readonly #coupled: CoupledJoints;
  readonly #witness: DistanceWitness;
  readonly #timestepS: number;
  /** Arms only: the actuators are its servos, in order. */
  readonly #torques: ServoTorques | undefined;
  /** Arms among objects that they may touch only. */
  readonly #touch: ToolTouch | undefined;
  readonly #surroundings: Surroundings | undefined;
  #contactN = 0;
  #isFresh = false;

  /** Loads and compiles, and leaves the robot at its home pose. Throws `ReinError('config')` with file and line. */
  static async open(options: PlantOptions): Promise<RobotPlant> {
    const simulation = await compilePlant(options);
    try {
      return new RobotPlant(simulation, options);
    } catch (error) {
      simulation.close();
      throw error;
    }
  }

  private constructor(simulation: Simulation, options: PlantOptions) {
    const { model } = options;
    this.#simulation = simulation;
    this.#model = model;
    this.#timestepS = options.timestepS ?? TIMESTEP_MAX_S;
    this.positionRad = new Float64Array(model.joints.length);
    this.velocityRadPerS = new Float64Array(model.joints.length);
    this.torqueNm = new Float64Array(model.joints.length);
    this.#drive = model.base === undefined ? new JointServos(simulation, options) : new CarDrive(simulation, model);
    this.setPointRad = this.#drive.setPointRad;
    const addresses = model.base === undefined ? jointsOf(simulation, model) : undefined;
    this.#coupled = new CoupledJoints(simulation, addresses?.map(({ position }) => position) ?? []);
    const dofs = addresses?.map(({ dof }) => dof);
    this.#torques = dofs === undefined ? undefined : new ServoTorques(simulation, dofs);
    this.#witness = new DistanceWitness(simulation, model);
    this.#contacts = new ContactForce(simulation, groundOf(model));
    this.#touch =
      options.surroundings?.file === undefined || model.base !== undefined
        ? undefined
        : new ToolTouch(simulation, model);
    this.reset(model.homeRad);
    if (model.base === undefined) checkAgreement(simulation, model);
    this.#surroundings = options.surroundings && new Surroundings(simulation, options.surroundings);
  }

  /** Places the robot at `jointsRad` ([n]), at rest, with its references there; time and warnings are set to 0. */
  reset(jointsRad: ArrayLike<number>): void {
    this.#arrange(jointsRad);
  }

  /** Like `reset`, with the objects beside the robot. Throws `ReinError`. */
  arrange(layout: SceneLayout): void {
    this.#arrange(layout.jointsRad, layout);
  }

  #arrange(jointsRad: ArrayLike<number>, layout?: SceneLayout): void {
    this.#simulation.reset();
    this.#drive.restAt(jointsRad);
    this.#coupled.place(this.#simulation.views.positionRad);
    if (layout !== undefined) this.#surroundings?.place(layout);
    this.#simulation.forward();
    this.#contactN = 0;
    this.#measure();
  }

  /**
   * Sends `sentRad` ([n]) and advances by `dtS` (any length ≥ 0, in whole physics steps of at most `timestepS`).
   * Returns false if the simulation can no longer be trusted, or if an argument is not finite: then no time passes.
   */
  step(sentRad: ArrayLike<number>, dtS: number): boolean {
    if (!this.#isValid(sentRad, dtS)) return false;
    this.#drive.push(sentRad, dtS);
    this.#torques?.start('servos');
    return this.#pass(dtS);
  }

  /** Writes the signals of the objects beside the robot, [k]; none without surroundings. */
  readSignals(out: RobotState['signals']): void {
    this.#surroundings?.measure(out);
  }

  /** Returns the shapes to draw. */
  shapes(): DrawnShapes {
    return new DrawnShapes(this.#simulation, (name) => name.startsWith(ADDED));
  }

  /** Sets the references to the present pose, as if they had always been there. */
  hold(): void {
    this.#drive.hold(this.positionRad);
  }

  /** Like `step`, with torques instead of references (N·m, added to the gravity compensation, within ±torqueMax). */
  exert(torqueNm: ArrayLike<number>, dtS: number): boolean {
    if (!this.#isValid(torqueNm, dtS) || !this.#drive.exert(torqueNm)) return false;
    this.#torques?.start('motors');
    return this.#pass(dtS);
  }

  /**
   * Pushes the link that joint `joint` moves with `forceN` (base frame) from now on, at the point that is now at `atM`
   * (default: its centre of mass), m; zeros end it.
   */
  pushLink(joint: number, forceN: readonly [number, number, number], atM?: readonly [number, number, number]): void {
    const { body } = jointsOf(this.#simulation, this.#model)[joint]!;
    const { data } = this.#simulation;
    const centreM = (data.xipos as Float64Array).subarray(3 * body, 3 * body + 3);
    const [x, y, z] = (atM ?? centreM).map((value: number, k: number) => value - centreM[k]!) as [
      number,
      number,
      number,
    ];
    const [fx, fy, fz] = forceN;
    const momentNm = [y * fz - z * fy, z * fx - x * fz, x * fy - y * fx];
    (data.xfrc_applied as Float64Array).set([...forceN, ...momentNm], 6 * body);
  }

  /** Returns ½·q̇ᵀM(q)·q̇: kinetic energy of all bodies and rotors, J. */
  kineticJ(): number {
    this.#refresh();
    return (this.#simulation.data.energy as Float64Array)[1]!;
  }

  /** Returns the potential of gravity (and of springs in the file) less that of the compensation, J, from an arbitrary zero. */
  potentialJ(): number {
    this.#refresh();
    return potentialOf(this.#simulation);
  }

  /** Returns the largest normal force between robot and static objects in any physics step of the last period, N; 0 with surroundings. */
  contactForceN(): number {
    return this.#contactN;
  }

  /** Returns the inertia [n] that each joint of an arm moves in its pose, rotor included, kg·m² (kg for a prismatic one). Allocates. */
  inertiaKgM2(): Float64Array {
    this.#refresh();
    const { size, matrix } = this.#simulation.inertiaMatrix();
    return Float64Array.from(jointsOf(this.#simulation, this.#model), ({ dof }) => matrix[dof * (size + 1)]!);
  }

  /**
   * Returns the smallest distance, by MuJoCo, of the pairs and keep-out boxes of the robot model, m; negative if they overlap, at
   * most 1. Measured between the file's own shapes: the geom with a capsule's name if there is one, else the shapes of its link.
   */
  smallestDistanceM(): number {
    this.#refresh();
    return this.#witness.smallestM();
  }

  /**
   * Like `smallestDistanceM`, with the arm's joints at `jointsRad` ([n], rad), e.g. at its reference, whatever the
   * simulated arm does. Infinity for a mobile base.
   */
  distanceAtM(jointsRad: ArrayLike<number>): number {
    return this.#witness.smallestAtM(jointsRad);
  }

  /** Frees the memory. Idempotent; must not be used afterwards. */
  close(): void {
    this.#contacts.close();
    this.#witness.close();
    this.#simulation.close();
  }

  #isValid(values: ArrayLike<number>, dtS: number): boolean {
    return values.length === this.positionRad.length && allFinite(values) && dtS >= 0 && Number.isFinite(dtS);
  }

  #pass(dtS: number): boolean {
    const simulation = this.#simulation;
    // Sums of periods are rounded: one step too many would be a step of almost no length.
    const steps = Math.max(1, Math.ceil(dtS / this.#timestepS - 1e-9));
    let isTrusted = true;
    this.#contactN = 0;
    for (let i = 0; i < steps && dtS > NO_TIME_S; i++) {
      isTrusted = simulation.stepFor(dtS / steps) && isTrusted;
      // Objects on a table always touch it: that is no finding, and costs time.
      if (this.#touch === undefined) this.#contactN = Math.max(this.#contactN, this.#contacts.largestN());
      this.#touch?.addStep();
      this.#torques?.addStep();
    }
    this.#measure();
    this.#torques?.read(this.torqueNm);
    this.#touch?.read(this.wrench);
    return isTrusted;
  }

  #measure(): void {
    this.#drive.measure(this.positionRad, this.velocityRadPerS, this.torqueNm);
    this.#isFresh = false;
  }

  /** Updates what energies are computed from, which a physics step leaves one step behind. */
  #refresh(): void {
    if (this.#isFresh) return;
    const { module, model, data } = this.#simulation;
    module.mj_kinematics(model, data);
    module.mj_comPos(model, data);
    module.mj_makeM(model, data);
    module.mj_energyPos(model, data);
    module.mj_energyVel(model, data);
    this.#isFresh = true;
  }
}

function groundOf(model: RobotModel): readonly string[] {
  return model.base === undefined ? [] : [GROUND];
}

function potentialOf({ model, data }: Simulation): number {
  const masses = model.body_mass as Float64Array;
  const compensations = model.body_gravcomp as Float64Array;
  const gravity = model.opt.gravity as Float64Array;
  const at = data.xipos as Float64Array;
  let potential = (data.energy as Float64Array)[0]!;
  for (let body = 1; body < masses.length; body++) {
    let along = 0;
    for (let k = 0; k < 3; k++) along += gravity[k]! * at[3 * body + k]!;
    potential += compensations[body]! * masses[body]! * along;
  }
  return potential;
}
