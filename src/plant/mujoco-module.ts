/**
 * Loads MuJoCo's WebAssembly build, and guards against its silent failures: memory growth detaches every cached view, a
 * NaN control is zeroed, a NaN state resets the simulation to time 0. The only importer of the package.
 */
import loadMujoco, {
  type MainModule,
  type MjData,
  type MjModel,
  type MjOption,
  type MjWarningStatVec,
} from '@mujoco/mujoco';
import { messageOf, ReinError } from '../model/index.ts';

let loading: Promise<MainModule> | undefined;

/** Returns the module, loaded once per thread. */
export function mujocoModule(): Promise<MainModule> {
  loading ??= loadMujoco();
  return loading;
}

/** Views into a simulation's memory. They are invalid after WebAssembly memory has grown: read `Simulation.views` each tick. */
export interface SimulationViews {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  readonly control: Float64Array;
  readonly actuatorForce: Float64Array;
  readonly sensors: Float64Array;
  readonly mocapPosition: Float64Array;
  readonly mocapQuaternion: Float64Array;
  readonly sitePosition: Float64Array;
  readonly siteRotation: Float64Array;
  /** [6·bodies] torque, then force, of contacts on each body about the robot's centre of mass, world frame. Needs a force sensor. */
  readonly bodyContact: Float64Array;
  /** [3·bodies] centre of mass of each body with all that it carries. */
  readonly centreOfMass: Float64Array;
  readonly bodyPosition: Float64Array;
  readonly bodyRotation: Float64Array;
  readonly geomPosition: Float64Array;
  readonly geomRotation: Float64Array;
}

/** Calls of `step` between checks of the warning counters: a check costs 8 µs and seven small objects. */
const STEPS_PER_WARNING_CHECK = 10;

/** One model with its state. Not shared between threads. */
export class Simulation {
  readonly module: MainModule;
  readonly model: MjModel;
  readonly data: MjData;
  readonly timestepS: number;
  readonly #option: MjOption;
  // The counters are part of the data: this handle stays valid, and deleting it would free memory that it does not own.
  readonly #warnings: MjWarningStatVec;
  #views: SimulationViews;
  #expectedTimeS = 0;
  #callsUntilCheck = 0;
  #closed = false;
  #servoGains: { readonly gains: Float64Array; readonly biases: Float64Array } | undefined;

  constructor(module: MainModule, model: MjModel, data: MjData) {
    this.module = module;
    this.model = model;
    this.data = data;
    this.#option = model.opt;
    this.timestepS = this.#option.timestep as number;
    this.#warnings = data.warning;
    this.#views = fetchViews(data);
  }

  /** Compiles MJCF text. Throws `ReinError('driver')` with MuJoCo's message if it does not compile. */
  static async fromXml(xml: string): Promise<Simulation> {
    const module = await mujocoModule();
    try {
      const model = module.MjModel.from_xml_string(xml);
      return new Simulation(module, model, new module.MjData(model));
    } catch (cause) {
      throw new ReinError('driver', `MuJoCo cannot load the scene: ${messageOf(cause)}`, { cause });
    }
  }

  /** Current views, fetched again after memory growth. Tick-safe: allocates only then. */
  get views(): SimulationViews {
    if (this.#views.positionRad.length === 0) this.#views = fetchViews(this.data);
    return this.#views;
  }

  /** Resets everything to its initial values, and time and warnings to 0. */
  reset(): void {
    this.module.mj_resetData(this.model, this.data);
    this.#expectedTimeS = 0;
    this.#callsUntilCheck = 0;
  }

  /** Recomputes what depends on positions, without advancing time. */
  forward(): void {
    this.module.mj_forward(this.model, this.data);
  }

  /**
   * Advances by `steps` timesteps. Returns false if MuJoCo has reset itself or has warned: the simulation cannot be
   * trusted then until `reset`. A warning is detected at the first call after `reset`, then within ten calls.
   * Tick-safe, but for seven short-lived objects every ten calls. `afterEach` is called after every timestep.
   */
  step(steps: number, afterEach?: () => void): boolean {
    for (let i = 0; i < steps; i++) {
      this.module.mj_step(this.model, this.data);
      afterEach?.();
    }
    return this.#hasPassed(steps * this.timestepS, this.timestepS);
  }

  /** Like `step`, for one physics step of any length, s. Must not be mixed with `step` between two resets. */
  stepFor(dtS: number): boolean {
    this.#option.timestep = dtS;
    this.module.mj_step(this.model, this.data);
    return this.#hasPassed(dtS, dtS);
  }

  #hasPassed(dtS: number, timestepS: number): boolean {
    this.#expectedTimeS += dtS;
    const elapsed = this.data.time as number;
    // A reset sets time to zero; accumulated rounding stays far below half a step.
    const isTimeRight = Math.abs(elapsed - this.#expectedTimeS) < timestepS / 2;
    // A reset in the very first step does not show in the time, only in the counters.
    if (--this.#callsUntilCheck >= 0) return isTimeRight;
    this.#callsUntilCheck = STEPS_PER_WARNING_CHECK - 1;
    return isTimeRight && this.warnings() === 0;
  }

  /** Returns the number of warnings since `reset`: values replaced, contacts dropped, a singular inertia. */
  warnings(): number {
    let sum = 0;
    for (let i = 0; i < this.#warnings.size(); i++) {
      const counter = this.#warnings.get(i);
      sum += counter?.number ?? 0;
      // A copy in memory that is not garbage-collected.
      counter?.delete();
    }
    return sum;
  }

  /** Returns the damping of position servo `index`, N·m·s/rad. Tick-safe but for a view. */
  servoDampingNmSPerRad(index: number): number {
    const biases = this.model.actuator_biasprm as Float64Array;
    return -biases[(biases.length / (this.model.nu as number)) * index + 2]!;
  }

  /** Returns the largest force of actuator `index`, N·m; `Infinity` without a limit. Tick-safe but for views. */
  forceMaxN(index: number): number {
    // The flags are a vector of booleans, which this build cannot return; without a limit the range is 0.
    const mostN = (this.model.actuator_forcerange as Float64Array)[2 * index + 1]!;
    return mostN > 0 ? mostN : Number.POSITIVE_INFINITY;
  }

  /** Returns damping over stiffness of position servo `index`, s: its lag per unit of velocity. */
  servoDampingPerStiffnessS(index: number): number {
    // MuJoCo's position actuator: force = gain[0]·control + bias[1]·position + bias[2]·velocity; ten numbers per actuator.
    const gains = this.model.actuator_gainprm as Float64Array;
    return this.servoDampingNmSPerRad(index) / gains[(gains.length / (this.model.nu as number)) * index]!;
  }

  /**
   * Drives the actuators as servos (force = gain · (control − position) − damping · velocity), as in the scene, or as
   * plain motors (force = control, N·m), within the same force limits. Not for the tick.
   */
  driveAs(kind: 'servos' | 'motors'): void {
    const gains = this.model.actuator_gainprm as Float64Array;
    const biases = this.model.actuator_biasprm as Float64Array;
    this.#servoGains ??= { gains: gains.slice(), biases: biases.slice() };
    gains.set(this.#servoGains.gains);
    biases.set(this.#servoGains.biases);
    if (kind === 'servos') return;
    const actuators = this.model.nu as number;
    biases.fill(0);
    for (let i = 0; i < actuators; i++) gains[(gains.length / actuators) * i] = 1;
  }

  /** Returns the inertia matrix [size·size] of all degrees of freedom, as of the last `forward` or step. Allocates. */
  inertiaMatrix(): { readonly size: number; readonly matrix: Float64Array } {
    const size = this.model.nv as number;
    const buffer = new this.module.DoubleBuffer(size * size);
    try {
      this.module.mj_fullM(this.model, this.data, buffer);
      return { size, matrix: Float64Array.from(buffer.GetView() as Float64Array) };
    } finally {
      buffer.delete();
    }
  }

  /** Returns the index of a named site, body, geom…; throws if the scene lacks it. */
  id(kind: 'body' | 'site' | 'geom' | 'joint', name: string): number {
    const found = this.module.mj_name2id(this.model, this.#typeOf(kind), name);
    if (found < 0) throw new ReinError('driver', `the scene has no ${kind} named "${name}"`);
    return found;
  }

  /** Returns the name of a body, site, geom or joint; empty if it has none. */
  nameOf(kind: 'body' | 'site' | 'geom' | 'joint', index: number): string {
    return this.module.mj_id2name(this.model, this.#typeOf(kind), index) ?? '';
  }

  #typeOf(kind: 'body' | 'site' | 'geom' | 'joint'): number {
    const types = this.module.mjtObj;
    return { body: types.mjOBJ_BODY, site: types.mjOBJ_SITE, geom: types.mjOBJ_GEOM, joint: types.mjOBJ_JOINT }[kind]
      .value;
  }

  /** Frees the memory. Idempotent; must not be used afterwards. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.data.delete();
    this.model.delete();
  }
}

function fetchViews(data: MjData): SimulationViews {
  return {
    positionRad: data.qpos,
    velocityRadPerS: data.qvel,
    control: data.ctrl,
    actuatorForce: data.actuator_force,
    sensors: data.sensordata,
    mocapPosition: data.mocap_pos,
    mocapQuaternion: data.mocap_quat,
    sitePosition: data.site_xpos,
    siteRotation: data.site_xmat,
    bodyContact: data.cfrc_ext,
    centreOfMass: data.subtree_com,
    bodyPosition: data.xpos,
    bodyRotation: data.xmat,
    geomPosition: data.geom_xpos,
    geomRotation: data.geom_xmat,
  };
}
