/**
 * A simulated robot behind the same contract as a real one: the arm in the scene of peg insertion, or a robot from its own MJCF or URDF.
 * A control period passes per `read`.
 */
import {
  allFinite,
  encoderNoiseOf,
  isFree,
  isGravityCompensated,
  ReinError,
  type RobotModel,
  type RobotState,
  type SceneLayout,
  type Vec,
} from '../../core/index.ts';
import type { MujocoDriverOptions, PlantDriverOptions } from '../../plant/index.ts';
import { PegPlant, plantOptions, RobotPlant } from '../../plant/mujoco.ts';
import {
  createDriverReport,
  type Driver,
  type DriverFacts,
  type DriverReport,
  type DriverStatus,
  type Scene,
  type ServiceAnswer,
} from '../driver.ts';

/** Positions a servo's encoder can express, rad or m; of the arm in the scene two turns and a bit. */
const ENCODER_RANGE_RAD = 32;
const SCENE_RANGE_RAD = 2.1 * Math.PI;
/** The same for a distance driven, m, or an angle turned, rad. */
const ODOMETRY_RANGE = 1e6;

type Shapes = ReturnType<RobotPlant['shapes']>;

/** Measures positions, velocities, torques and the force on the tool; among surroundings, where things are too. */
export class MujocoDriver implements Driver {
  /** What `open` gives. The arm in the scene has a force sensor. */
  readonly facts: DriverFacts;
  readonly report: DriverReport = createDriverReport();
  /** Puts the robot itself, and what is beside it. Throws `TypeError` while the driver is not open. */
  readonly scene: Scene = sceneOf(this);
  readonly #model: RobotModel;
  readonly #options: MujocoDriverOptions | PlantDriverOptions;
  readonly #periodS: number;
  /** Something else than the servos holds the links' weight. */
  readonly #holdsWeight: boolean;
  /** [n] the farthest that a reference may be from 0, rad or m. */
  readonly #mostRad: Float64Array;
  /** [n] what a count of each encoder is, rad or m; 0: readings are exact. */
  readonly #countRad: Float64Array;
  readonly #reference: Float64Array;
  /** What the joints exert instead of following a reference, while `#isExerting`. */
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
    // What stands still by its counts is judged as such: simulation is to show what an arm of bus servos does.
    this.#countRad = Float64Array.from(model.joints, (joint) => (this.#holdsWeight ? 0 : encoderNoiseOf(joint)));
  }

  /** Throws `ReinError` for a file that MuJoCo does not load, and for a robot that has other joints. */
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
    // Torque off with the weight held: the references follow, so that the servos pull nowhere. An arm that only its servos hold
    // would sink out of every pose that it is put to: somebody holds that up where it is.
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
      // MuJoCo would zero a NaN without a word. The negation also catches NaN.
      if (!(Math.abs(referenceRad[i]!) <= this.#mostRad[i]!)) return 'rejected';
    }
    this.#reference.set(referenceRad);
    this.#isExerting = false;
    return 'ok';
  }

  /**
   * Lets the joints exert torques (on top of their weight's, N·m; limited to what the servos can) until the next `write`
   * or `torque`, as a robot with an effort interface does. Answers as `write` does.
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

  /** The robot from its own file, while it is open: its energies and distances, for checks. */
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

  /** What there is to draw. Throws `TypeError` while the driver is not open. */
  get shapes(): Shapes {
    if (this.#shapes === undefined) throw new TypeError('the driver is not open');
    return this.#shapes;
  }

  /** Puts robot and surroundings in place, at rest. Throws `ReinError`. */
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
