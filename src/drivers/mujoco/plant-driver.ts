/** A robot simulated from its own MJCF or URDF, behind the same contract as a real one. A control period passes per `read`. */
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
import type { PlantDriverOptions } from '../../plant/index.ts';
import { type DrawnShapes, RobotPlant, type Surroundings } from '../../plant/mujoco.ts';
import type { Driver, DriverStatus, Scene } from '../driver.ts';

/** Positions a servo's encoder can express, rad or m. */
const ENCODER_RANGE_RAD = 32;
/** The same for a distance driven, m, or an angle turned, rad. */
const ODOMETRY_RANGE = 1e6;

/** Measures positions, velocities and torques; among surroundings, the force on its tool and where things are too. */
export class PlantDriver implements Driver {
  readonly name = 'mujoco';
  readonly isSimulated = true;
  readonly jointNames: readonly string[];
  readonly signalNames: readonly string[];
  /** Puts the robot itself, and what is beside it. */
  readonly scene: Scene = sceneOf(this);
  readonly #model: RobotModel;
  readonly #options: PlantDriverOptions;
  readonly #periodS: number;
  readonly #reference: Float64Array;
  /** [n] what a count of each encoder is, rad or m; 0: readings are exact. */
  readonly #countRad: Float64Array;
  #plant: RobotPlant | undefined;
  #surroundings: Surroundings | undefined;
  #shapes: DrawnShapes | undefined;
  /** What the joints exert instead of following a reference; `undefined` while they follow one. */
  #torqueNm: Float64Array | undefined;
  #isEnabled = false;
  #isTrusted = true;
  #timeS = 0;

  constructor(model: RobotModel, options: PlantDriverOptions) {
    this.#model = model;
    this.#options = options;
    this.signalNames = options.signalNames;
    this.#periodS = 1 / model.controlHz;
    this.jointNames = model.joints.map(({ name }) => name);
    this.#reference = new Float64Array(model.joints.length);
    // What stands still by its counts is judged as such: simulation is to show what an arm of bus servos does.
    this.#countRad = Float64Array.from(model.joints, (joint) =>
      isGravityCompensated(model) ? 0 : encoderNoiseOf(joint),
    );
  }

  /** Throws `ReinError` for a file that MuJoCo does not load or that has other joints. */
  async open(): Promise<void> {
    if (this.#plant !== undefined) throw new TypeError('the driver is open already');
    const { file, packages, velocityFeedForward, surroundings, signalNames } = this.#options;
    const plant = await RobotPlant.open({
      file,
      packages,
      model: this.#model,
      velocityFeedForward,
      surroundings: surroundings?.file,
    });
    try {
      if (surroundings !== undefined) this.#surroundings = plant.surroundings(surroundings, signalNames);
    } catch (error) {
      plant.close();
      throw error;
    }
    this.#shapes = plant.shapes();
    this.#plant = plant;
    this.#isTrusted = true;
    this.#hold(plant);
  }

  enable(): void {
    if (this.#plant === undefined) throw new ReinError('driver', 'the simulated robot is not open');
    this.#hold(this.#plant);
    this.#isEnabled = true;
  }

  disable(): void {
    this.#isEnabled = false;
  }

  read(out: RobotState): DriverStatus {
    const plant = this.#plant;
    if (plant === undefined) return 'lost';
    // Torque off with the weight held: the references follow, so that the servos pull nowhere. An arm that only its servos hold
    // would sink out of every pose that it is put to: somebody holds that up where it is.
    if (!this.#isEnabled && isGravityCompensated(this.#model)) this.#hold(plant);
    const torqueNm = this.#torqueNm;
    const isSound =
      torqueNm === undefined ? plant.step(this.#reference, this.#periodS) : plant.exert(torqueNm, this.#periodS);
    this.#isTrusted = isSound && this.#isTrusted;
    this.#timeS += this.#periodS;
    for (let i = 0; i < this.#countRad.length; i++) {
      const countRad = this.#countRad[i]!;
      const exactRad = plant.positionRad[i]!;
      out.positionRad[i] = countRad === 0 ? exactRad : Math.round(exactRad / countRad) * countRad;
    }
    out.velocityRadPerS.set(plant.velocityRadPerS);
    out.torqueNm.set(plant.torqueNm);
    out.wrench.set(plant.wrench);
    this.#surroundings?.measure(out.signals);
    out.measuredAtS = this.#timeS;
    return this.#isTrusted ? 'ok' : 'lost';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    if (this.#plant === undefined || !this.#isEnabled) return 'lost';
    if (referenceRad.length !== this.#reference.length) return 'rejected';
    for (let i = 0; i < referenceRad.length; i++) {
      const most = isFree(this.#model.joints[i]!) ? ODOMETRY_RANGE : ENCODER_RANGE_RAD;
      // The negation also catches NaN.
      if (!(Math.abs(referenceRad[i]!) <= most)) return 'rejected';
    }
    this.#reference.set(referenceRad);
    this.#torqueNm = undefined;
    return 'ok';
  }

  /**
   * Lets the joints exert torques (on top of their weight's, N·m; limited to what the servos can) until the next `write`, as those of a
   * torque-controlled arm do. Answers as `write` does.
   */
  exert(torqueNm: ArrayLike<number>): DriverStatus {
    if (this.#plant === undefined || !this.#isEnabled) return 'lost';
    if (torqueNm.length !== this.#reference.length || !allFinite(torqueNm)) return 'rejected';
    this.#torqueNm = Float64Array.from(torqueNm);
    return 'ok';
  }

  async close(): Promise<void> {
    this.#plant?.close();
    this.#plant = undefined;
    this.#surroundings = undefined;
    this.#shapes = undefined;
    this.#isEnabled = false;
  }

  /** Puts robot and surroundings in place, at rest. Throws `ReinError`. */
  arrange(layout: SceneLayout): void {
    if (this.#plant === undefined) throw new ReinError('driver', 'the simulated robot is not open');
    this.#torqueNm = undefined;
    this.#plant.reset(layout.jointsRad, () => this.#surroundings?.place(layout));
    this.#reference.set(this.#plant.positionRad);
  }

  /** What it simulates, while it is open: its energies and distances, for checks. */
  get plant(): RobotPlant | undefined {
    return this.#plant;
  }

  /** What there is to draw, while it is open. */
  get shapes(): DrawnShapes | undefined {
    return this.#shapes;
  }

  #hold(plant: RobotPlant): void {
    plant.hold();
    this.#reference.set(plant.positionRad);
  }
}

function sceneOf(driver: PlantDriver): Scene {
  return {
    get geoms() {
      return driver.shapes?.geoms ?? [];
    },
    geomPoses: (out) => driver.shapes?.poses(out),
    reset: (layout) => driver.arrange(layout),
  };
}
