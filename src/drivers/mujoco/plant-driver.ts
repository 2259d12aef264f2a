/** A robot simulated from its own MJCF or URDF, behind the same contract as a real one. A control period passes per `read`. */
import { isFree, ReinError, type RobotModel, type RobotState, type Vec } from '../../core/index.ts';
import type { Driver, DriverStatus, Scene } from '../driver.ts';
import type { PlantDriverOptions } from './options.ts';
import { RobotPlant } from './robot-plant.ts';

/** Positions a servo's encoder can express, rad or m. */
const ENCODER_RANGE_RAD = 32;
/** The same for a distance driven, m, or an angle turned, rad. */
const ODOMETRY_RANGE = 1e6;

/** Measures positions, velocities and torques. There is no force sensor, and no surroundings that give signals or are drawn. */
export class PlantDriver implements Driver {
  readonly name = 'mujoco';
  readonly isSimulated = true;
  readonly jointNames: readonly string[];
  readonly signalNames: readonly string[] = [];
  /** Puts the robot itself: there is nothing else. */
  readonly scene: Scene = {
    geoms: [],
    geomPoses: () => undefined,
    reset: ({ jointsRad }) => {
      if (this.#plant === undefined) throw new ReinError('driver', 'the simulated robot is not open');
      this.#plant.reset(jointsRad);
      this.#reference.set(this.#plant.positionRad);
    },
  };
  readonly #model: RobotModel;
  readonly #file: string;
  readonly #periodS: number;
  readonly #reference: Float64Array;
  #plant: RobotPlant | undefined;
  #isEnabled = false;
  #isTrusted = true;
  #timeS = 0;

  constructor(model: RobotModel, { file }: PlantDriverOptions) {
    this.#model = model;
    this.#file = file;
    this.#periodS = 1 / model.controlHz;
    this.jointNames = model.joints.map(({ name }) => name);
    this.#reference = new Float64Array(model.joints.length);
  }

  /** Throws `ReinError` for a file that MuJoCo does not load or that has other joints. */
  async open(): Promise<void> {
    if (this.#plant !== undefined) throw new TypeError('the driver is open already');
    // Where no tank says otherwise, the servos lead by velocity as industrial ones do: they would lag by damping / stiffness.
    this.#plant = await RobotPlant.open({
      file: this.#file,
      model: this.#model,
      velocityFeedForward: this.#model.tank?.velocityFeedForward ?? true,
    });
    this.#isTrusted = true;
    this.#hold(this.#plant);
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
    // Torque off with the weight held: the references follow, so that the servos pull nowhere.
    if (!this.#isEnabled) this.#hold(plant);
    this.#isTrusted = plant.step(this.#reference, this.#periodS) && this.#isTrusted;
    this.#timeS += this.#periodS;
    out.positionRad.set(plant.positionRad);
    out.velocityRadPerS.set(plant.velocityRadPerS);
    out.torqueNm.set(plant.torqueNm);
    out.wrench.fill(0);
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
    return 'ok';
  }

  async close(): Promise<void> {
    this.#plant?.close();
    this.#plant = undefined;
    this.#isEnabled = false;
  }

  #hold(plant: RobotPlant): void {
    plant.hold();
    this.#reference.set(plant.positionRad);
  }
}
