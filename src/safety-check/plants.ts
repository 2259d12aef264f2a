/** The simulated robots of a check, one per variant, opened when a trial first needs it, and their joint sensors. */
import { ArmKinematics, encoderNoiseOf, type Rng, type RobotModel, servosLead } from '../model/index.ts';
import { type PlantOptions, RobotPlant } from '../plant/mujoco.ts';
import type { CheckSubject } from '../robot-import/index.ts';
import { PLANT_VARIANTS, type PlantVariant } from './attack/plan.ts';
import { sagMaxM } from './sag.ts';

/** Interface of a simulated robot in a check, implemented by MuJoCo's `RobotPlant` and by `LagPlant`. */
export interface CheckedPlant {
  /** [n] measured, rad. */
  readonly positionRad: Float64Array;
  /** [n] rad/s. */
  readonly velocityRadPerS: Float64Array;
  /** [n] the set-point in force, rad. */
  readonly setPointRad: Float64Array;
  reset(jointsRad: ArrayLike<number>): void;
  /** Advances by a period of any length; returns false if the simulation can no longer be trusted. */
  step(sentRad: ArrayLike<number>, dtS: number): boolean;
  kineticJ(): number;
  potentialJ(): number;
  contactForceN(): number;
  /** Smallest distance between monitored bodies of the simulated robot, m; negative where they overlap. */
  smallestDistanceM(): number;
  /** The same of its own shapes at the pose `jointsRad` ([n], rad), independent of the simulated state. */
  distanceAtM(jointsRad: ArrayLike<number>): number;
  close(): void;
}

/** Friction of the friction variant, as a share of the weakest joint's torque. */
const FRICTION_SHARE = 0.02;
/** Push for probing a joint's inertia: share of its torque, and duration, s. */
const PROBE_SHARE = 0.05;
const PROBE_S = 0.002;
/** Delay for a robot without a tank, whose file promises none. */
const DELAY_TICKS = 2;

/** Variants with the largest load. */
const LOADED: readonly PlantVariant[] = ['heavy', 'payload'];

/** Returns the variants that make sense for `subject`. */
export function variantsOf({ model, plantFile }: CheckSubject): readonly PlantVariant[] {
  if (plantFile === undefined || model.base !== undefined) return ['nominal'];
  const hasDelay = model.tank === undefined || model.tank.delayTicks > 0;
  const hasLoad = (model.payloadMaxKg ?? 0) > 0;
  return PLANT_VARIANTS.filter((variant) => {
    if (variant === 'delay') return hasDelay;
    return hasLoad || (variant !== 'payload' && variant !== 'halfPayload');
  });
}

/** Simulated robots of one thread. */
export class BenchPlants {
  readonly hasEnergy: boolean;
  readonly #subject: CheckSubject;
  readonly #open = new Map<PlantVariant, CheckedPlant>();
  #naturalHz: readonly number[] | undefined;

  constructor(subject: CheckSubject) {
    this.#subject = subject;
    this.hasEnergy = subject.plantFile !== undefined;
  }

  /** Throws `ReinError('config')` for a file that cannot be simulated. */
  async get(variant: PlantVariant): Promise<CheckedPlant> {
    const known = this.#open.get(variant);
    if (known !== undefined) return known;
    const { model, plantFile: file, plantImage: image } = this.#subject;
    const plant =
      file === undefined
        ? new LagPlant(model)
        : await RobotPlant.open({
            file,
            image,
            model,
            velocityFeedForward: model.tank !== undefined && servosLead(model),
            ...optionsOf(model, variant),
          });
    this.#open.set(variant, plant);
    return plant;
  }

  /** [n] natural frequencies of the servos at the home pose, Hz: √(K·(M⁻¹)ᵢᵢ)/2π, by a short push of each joint. */
  async naturalHz(): Promise<readonly number[]> {
    this.#naturalHz ??= await this.#probe();
    return this.#naturalHz;
  }

  /**
   * Largest distance outside its box at which the arm may stand, m, with the load of any variant; `undefined` for a
   * base, and without masses.
   */
  async sagMaxM(): Promise<number | undefined> {
    const { model } = this.#subject;
    if (!this.hasEnergy || model.base !== undefined) return undefined;
    let mostM = 0;
    for (const variant of variantsOf(this.#subject).filter((each) => LOADED.includes(each)))
      mostM = Math.max(mostM, sagMaxM(model, await this.get(variant)));
    return mostM;
  }

  close(): void {
    for (const plant of this.#open.values()) plant.close();
    this.#open.clear();
  }

  async #probe(): Promise<readonly number[]> {
    const { model } = this.#subject;
    const plant = await this.get('nominal');
    if (!(plant instanceof RobotPlant) || model.base !== undefined) return [];
    return model.joints.map(({ torqueMaxNm, stiffnessNmPerRad }, i) => {
      const torque = new Float64Array(model.joints.length);
      torque[i] = PROBE_SHARE * torqueMaxNm;
      plant.reset(model.homeRad);
      if (!plant.exert(torque, PROBE_S)) return 0;
      const perInertia = Math.abs(plant.velocityRadPerS[i]!) / (torque[i]! * PROBE_S);
      plant.reset(model.homeRad);
      return Math.sqrt(stiffnessNmPerRad * perInertia) / (2 * Math.PI);
    });
  }
}

/** Returns the plant options of a variant. */
function optionsOf(model: RobotModel, variant: PlantVariant): Omit<PlantOptions, 'file' | 'model'> {
  switch (variant) {
    case 'light':
      return { payload: { scale: 0.5 } };
    case 'heavy':
      return { payload: { scale: 1.5 } };
    case 'delay':
      return { delayTicks: (model.tank === undefined ? DELAY_TICKS : model.tank.delayTicks) - readingDelay(model) };
    case 'wall':
      return { wall: wallBefore(model) };
    case 'friction':
      return { frictionNm: FRICTION_SHARE * Math.min(...model.joints.map(({ torqueMaxNm }) => torqueMaxNm)) };
    case 'payload':
      return { payload: { massKg: model.payloadMaxKg! } };
    case 'halfPayload':
      return { payload: { massKg: model.payloadMaxKg! / 2 } };
    default:
      return {};
  }
}

/** Part of the tank's assumed delay by which readings are late, ticks; the rest delays references. */
export function readingDelay({ tank }: RobotModel): number {
  return tank === undefined ? 0 : Math.floor(tank.delayTicks / 2);
}

/** Side of the wall relative to the tool's home pose, along x: where the workspace has more room. */
export function wallSide(model: RobotModel): 1 | -1 {
  const { minM, maxM } = model.workspace;
  const x = new ArmKinematics(model).tcpPositionM[0]!;
  return maxM[0] - x >= x - minM[0] ? 1 : -1;
}

/** Places the wall half-way between the tool's home and that end of the workspace. */
function wallBefore(model: RobotModel): NonNullable<PlantOptions['wall']> {
  const [x, y, z] = [...new ArmKinematics(model).tcpPositionM] as [number, number, number];
  const side = wallSide(model);
  const edge = side > 0 ? model.workspace.maxM[0] : model.workspace.minM[0];
  return { pointM: [(x + edge) / 2, y, z], normal: [-side, 0, 0] };
}

/** Share of the distance to its reference that a joint covers in a nominal period. */
const FOLLOW = 0.4;

/** Joints that follow with a lag and have no mass: for robots without a model of their masses, and for quick tests. */
export class LagPlant implements CheckedPlant {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  readonly setPointRad: Float64Array;
  readonly #periodS: number;

  constructor(model: RobotModel) {
    const n = model.joints.length;
    this.positionRad = Float64Array.from(model.homeRad);
    this.velocityRadPerS = new Float64Array(n);
    this.setPointRad = Float64Array.from(model.homeRad);
    this.#periodS = 1 / model.controlHz;
  }

  reset(jointsRad: ArrayLike<number>): void {
    this.positionRad.set(jointsRad);
    this.setPointRad.set(jointsRad);
    this.velocityRadPerS.fill(0);
  }

  step(sentRad: ArrayLike<number>, dtS: number): boolean {
    this.setPointRad.set(sentRad);
    if (!(dtS > 0)) return true;
    const share = 1 - (1 - FOLLOW) ** (dtS / this.#periodS);
    let isTrusted = true;
    for (let i = 0; i < this.positionRad.length; i++) {
      const change = share * (sentRad[i]! - this.positionRad[i]!);
      this.positionRad[i] = this.positionRad[i]! + change;
      this.velocityRadPerS[i] = change / dtS;
      isTrusted &&= Number.isFinite(change);
    }
    return isTrusted;
  }

  kineticJ(): number {
    return 0;
  }

  potentialJ(): number {
    return 0;
  }

  contactForceN(): number {
    return 0;
  }

  smallestDistanceM(): number {
    return Number.POSITIVE_INFINITY;
  }

  distanceAtM(): number {
    return Number.POSITIVE_INFINITY;
  }

  close(): void {}
}

/**
 * `uniform`: anything within the bound. `dither`: an encoder whose last bit is as large as the bound, and jumps.
 * `adverse`: the whole bound, in the direction of the set-points' motion, so that moving them seems cheaper than it is.
 */
export const SENSOR_NOISES = ['none', 'uniform', 'dither', 'adverse'] as const;
export type SensorNoise = (typeof SENSOR_NOISES)[number];

/** Encoders of one simulated robot: errors within the bound of its file, and late readings. */
export class JointSensor {
  readonly #bound: Float64Array;
  readonly #noise: SensorNoise;
  readonly #rng: Rng;
  readonly #late: Float64Array[];
  readonly #lastSet: Float64Array;

  /** Errors are within `encoderNoiseRad` of each joint, 0 where it has none; readings are delayed by `lateTicks` reads. */
  constructor(model: RobotModel, noise: SensorNoise, rng: Rng, lateTicks = 0) {
    this.#bound = Float64Array.from(model.joints, encoderNoiseOf);
    this.#noise = noise;
    this.#rng = rng;
    this.#late = Array.from({ length: lateTicks + 1 }, () => new Float64Array(model.joints.length));
    this.#lastSet = new Float64Array(model.joints.length);
  }

  /** Called when the robot was placed at `positionRad`, with its set-points there. */
  restart(positionRad: ArrayLike<number>): void {
    for (const kept of this.#late) kept.set(positionRad);
    this.#lastSet.set(positionRad);
  }

  /** Writes the readings of joints at `positionRad` whose servos hold `setPointRad` into `out`. */
  read(out: Float64Array, positionRad: Float64Array, setPointRad: Float64Array): void {
    const oldest = this.#late.shift()!;
    oldest.set(positionRad);
    this.#late.push(oldest);
    const seen = this.#late[0]!;
    for (let i = 0; i < out.length; i++) {
      out[i] = seen[i]! + this.#errorOf(i, seen[i]!, setPointRad[i]! - this.#lastSet[i]!);
    }
    this.#lastSet.set(setPointRad);
  }

  #errorOf(i: number, positionRad: number, setPointStepRad: number): number {
    const bound = this.#bound[i]!;
    if (bound === 0 || this.#noise === 'none') return 0;
    if (this.#noise === 'uniform') return this.#rng.uniformIn(-bound, bound);
    if (this.#noise === 'adverse') return bound * Math.sign(setPointStepRad);
    const step = Math.floor(positionRad / bound) + (this.#rng.uniform() < 0.5 ? 0 : 1);
    return step * bound - positionRad;
  }
}
