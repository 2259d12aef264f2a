/**
 * Simulated robot behind the same contract as a real one: the arm in the peg insertion scene, or a robot from its own
 * MJCF or URDF. Each `read` advances by one control period.
 */
import {
  allFinite,
  encoderNoiseOf,
  isFree,
  isGravityCompensated,
  ReinError,
  type RobotModel,
  type Vec,
} from '../../model/index.ts';
import type { MujocoDriverOptions, PlantDriverOptions } from '../../plant/index.ts';
import { PegPlant, plantOptions, RobotPlant } from '../../plant/mujoco.ts';
import type { RobotState, SceneLayout } from '../../rows/index.ts';
import {
  createDriverReport,
  type Driver,
  type DriverFacts,
  type DriverReport,
  type DriverStatus,
  type Scene,
  type ServiceAnswer,
} from '../driver.ts';

/** Largest position that a servo's encoder can represent, rad or m; for the arm in the scene, slightly more than one turn. */
const ENCODER_RANGE_RAD = 32;
const SCENE_RANGE_RAD = 2.1 * Math.PI;
/** Largest position of a driven distance, m, or a turned angle, rad. */
const ODOMETRY_RANGE = 1e6;

type Shapes = ReturnType<RobotPlant['shapes']>;

/** Measures joint positions, velocities, torques and the force on the tool, and with surroundings also object positions. */
export class MujocoDriver implements Driver {
  /** Facts that `open` returns. The arm in the scene has a force sensor. */
  readonly facts: DriverFacts;
  readonly report: DriverReport = createDriverReport();
  /** Places the robot and its surroundings. Throws `TypeError` while the driver is not open. */
  readonly scene: Scene = sceneOf(this);
  readonly #model: RobotModel;
  readonly #options: MujocoDriverOptions | PlantDriverOptions;
  readonly #periodS: number;
  /** The links' weight is held by something other than the servos. */
  readonly #holdsWeight: boolean;
  /** [n] largest distance of a reference from 0, rad or m. */
  readonly #mostRad: Float64Array;
  /** [n] encoder resolution, rad or m per count; 0: readings are exact. */
  readonly #countRad: Float64Array;
  readonly #reference: Float64Array;
  /** Torques that the joints exert instead of following a reference, while `#isExerting`. */
  readonly #torqueNm: Float64Array;
  #isExerting = false;
  #plant: RobotPlant | PegPlant | undefined;
  #shapes: Shapes | undefined;
  #isEnabled = false;
  #isTrusted = true;
  #timeS = 0;

  constructor(model: RobotModel, options: MujocoDriverOptions | PlantDriverOptions) {
    const isInScene = 'scene' in options;
    this.#model = model;
    this.#options = options;
    const jointNames = isInScene ? options.jointNames : model.joints.map(({ name }) => name);
    const { signalNames } = options;
    this.facts = { name: 'mujoco', jointNames, signalNames, isSimulated: true, measuresMeanWrench: isInScene };
    this.#periodS = isInScene ? options.periodS : 1 / model.controlHz;
    this.#holdsWeight = isInScene || isGravityCompensated(model);
    this.#reference = new Float64Array(jointNames.length);
    this.#torqueNm = new Float64Array(jointNames.length);
    this.#mostRad = Float64Array.from(model.joints, (joint) => {
      if (isInScene) return SCENE_RANGE_RAD;
      return isFree(joint) ? ODOMETRY_RANGE : ENCODER_RANGE_RAD;
    });
    // Joints without gravity compensation are read in encoder counts: standstill is then judged as on an arm of bus servos.
    this.#countRad = Float64Array.from(model.joints, (joint) => (this.#holdsWeight ? 0 : encoderNoiseOf(joint)));
  }

  /** Throws `ReinError` for a file that MuJoCo cannot load, and for a robot with other joints. */
  async open(): Promise<DriverFacts> {
    if (this.#plant !== undefined) throw new TypeError('the driver is open already');
    const options = this.#options;
    const plant = await ('scene' in options
      ? PegPlant.open(options)
      : RobotPlant.open(plantOptions(options, this.#model)));
    this.#shapes = plant.shapes();
    this.#plant = plant;
    this.#isTrusted = true;
    this.#hold(plant);
    return this.facts;
  }

  torque(ratio: number): void {
    this.#isExerting = false;
    if (ratio > 0) {
      if (this.#plant === undefined) throw new ReinError('driver', 'the simulated robot is not open');
      this.#hold(this.#plant);
    }
    this.#isEnabled = ratio > 0;
  }

  service(): ServiceAnswer {
    return 'nothing';
  }

  takeNotice(): undefined {
    return undefined;
  }

  read(out: RobotState): DriverStatus {
    const plant = this.#plant;
    if (plant === undefined) return 'lost';
    // Torque off and weight held otherwise: the references follow the joints, so that the servos do not pull. An arm
    // held by its servos alone would sink out of each pose it is put in: it is held in place, as if by a person.
    if (!this.#isEnabled && this.#holdsWeight) this.#hold(plant);
    const isSound = this.#isExerting
      ? plant.exert(this.#torqueNm, this.#periodS)
      : plant.step(this.#reference, this.#periodS);
    this.#isTrusted = isSound && this.#isTrusted;
    this.#timeS += this.#periodS;
    this.#measure(plant, out);
    return this.#isTrusted ? 'ok' : 'lost';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    if (this.#plant === undefined || !this.#isEnabled) return 'lost';
    if (referenceRad.length !== this.#reference.length) return 'rejected';
    for (let i = 0; i < referenceRad.length; i++) {
      // MuJoCo would silently replace a NaN by 0. The negation also catches NaN.
      if (!(Math.abs(referenceRad[i]!) <= this.#mostRad[i]!)) return 'rejected';
    }
    this.#reference.set(referenceRad);
    this.#isExerting = false;
    return 'ok';
  }

  /**
   * Makes the joints exert torques (in addition to gravity compensation, N·m; clamped to the servo limits) until the
   * next `write` or `torque`, like a robot with an effort interface. Returns the same as `write`.
   */
  exert(torqueNm: ArrayLike<number>): DriverStatus {
    if (this.#plant === undefined || !this.#isEnabled) return 'lost';
    if (torqueNm.length !== this.#torqueNm.length || !allFinite(torqueNm)) return 'rejected';
    this.#torqueNm.set(torqueNm);
    this.#isExerting = true;
    return 'ok';
  }

  async close(): Promise<void> {
    this.#plant?.close();
    this.#plant = undefined;
    this.#shapes = undefined;
    this.#isEnabled = false;
  }

  /** Plant of a robot simulated from its own file, while open: energies and distances, for checks. */
  get plant(): RobotPlant | undefined {
    return this.#plant instanceof RobotPlant ? this.#plant : undefined;
  }

  #measure(plant: RobotPlant | PegPlant, out: RobotState): void {
    for (let i = 0; i < this.#countRad.length; i++) {
      const countRad = this.#countRad[i]!;
      const exactRad = plant.positionRad[i]!;
      out.positionRad[i] = countRad === 0 ? exactRad : Math.round(exactRad / countRad) * countRad;
    }
    out.velocityRadPerS.set(plant.velocityRadPerS);
    out.torqueNm.set(plant.torqueNm);
    out.wrench.set(plant.wrench);
    if (plant instanceof PegPlant) this.report.meanWrench.set(plant.meanWrench);
    plant.readSignals(out.signals);
    out.measuredAtS = this.#timeS;
  }

  /** Shapes to draw. Throws `TypeError` while the driver is not open. */
  get shapes(): Shapes {
    if (this.#shapes === undefined) throw new TypeError('the driver is not open');
    return this.#shapes;
  }

  /** Places robot and surroundings, at rest. Throws `ReinError`. */
  arrange(layout: SceneLayout): void {
    const plant = this.#plant;
    if (plant === undefined) throw new TypeError('the driver is not open');
    plant.arrange(layout);
    this.#isExerting = false;
    this.#isTrusted = true;
    this.#reference.set(plant.positionRad);
  }

  #hold(plant: RobotPlant | PegPlant): void {
    plant.hold();
    this.#reference.set(plant.positionRad);
  }
}

function sceneOf(driver: MujocoDriver): Scene {
  return {
    get geoms() {
      return driver.shapes.geoms;
    },
    geomPoses: (out) => driver.shapes.poses(out),
    reset: (layout) => driver.arrange(layout),
  };
}
