/** The simulated arm behind the same contract as a real one. One control period of physics passes per `read`. */
import { allFinite, type GeomShape, ReinError, type RobotState, type SceneLayout, type Vec } from '../../core/index.ts';
import type { MujocoDriverOptions } from '../../plant/index.ts';
import {
  DrawnShapes,
  HOLE_OBJECT,
  kineticOf,
  pegSceneXml,
  potentialOf,
  type RobotPlant,
  refreshEnergies,
  ServoTorques,
  Simulation,
  WristSensor,
} from '../../plant/mujoco.ts';
import type { Driver, DriverStatus, Scene } from '../driver.ts';

/** Positions a servo's encoder can express, rad: two turns and a bit. */
const ENCODER_RANGE_RAD = 2.1 * Math.PI;

/** What the books of a tank's energy are kept of. */
type EnergyPlant = Pick<RobotPlant, 'positionRad' | 'setPointRad' | 'kineticJ' | 'potentialJ'>;

export class MujocoDriver implements Driver {
  readonly name = 'mujoco';
  readonly isSimulated = true;
  readonly meanWrench: Float64Array = new Float64Array(6);
  readonly jointNames: readonly string[];
  readonly signalNames: readonly string[];
  readonly #options: MujocoDriverOptions;
  readonly #joints: number;
  readonly #signals: Float64Array;
  readonly #depthSignal: number;
  #simulation: Simulation | undefined;
  #scene: MujocoScene | undefined;
  #wrist: WristSensor | undefined;
  readonly #reference: Float64Array;
  readonly #lastReference: Float64Array;
  readonly #feedForwardS: Float64Array;
  #torques: ServoTorques | undefined;
  #stepsPerTick = 0;
  #timeS = 0;
  #enabled = false;
  #trusted = true;
  /** What the joints exert instead of following a reference; `undefined` while they follow one. */
  #torqueNm: Float64Array | undefined;

  constructor(options: MujocoDriverOptions) {
    this.#options = options;
    this.jointNames = options.jointNames;
    this.signalNames = options.signalNames;
    this.#joints = options.jointNames.length;
    this.#signals = new Float64Array(options.signalNames.length);
    this.#reference = new Float64Array(this.#joints);
    this.#lastReference = new Float64Array(this.#joints);
    this.#feedForwardS = new Float64Array(this.#joints);
    this.#depthSignal = options.signalNames.indexOf('depthM');
  }

  async open(): Promise<void> {
    if (this.#simulation !== undefined) throw new TypeError('the driver is open already');
    const simulation = await Simulation.fromXml(pegSceneXml(this.#options.scene));
    try {
      this.#takeOver(simulation);
    } catch (error) {
      simulation.close();
      throw error;
    }
  }

  /** Refuses a scene that is not this robot's, or whose time does not divide the control period. */
  #takeOver(simulation: Simulation): void {
    for (const [index, name] of this.jointNames.entries()) {
      if (simulation.id('joint', name) !== index) {
        throw new ReinError('driver', `joint ${index} of the robot is "${name}", but the scene has another one there`);
      }
    }
    const steps = this.#options.periodS / simulation.timestepS;
    if (Math.abs(steps - Math.round(steps)) > 1e-6) {
      throw new ReinError(
        'driver',
        `a control period of ${this.#options.periodS} s is not a whole number of physics steps`,
        {
          remedy: `choose controlHz so that the period is a multiple of ${simulation.timestepS} s`,
        },
      );
    }
    this.#stepsPerTick = Math.round(steps);
    for (let i = 0; i < this.#joints; i++) this.#feedForwardS[i] = simulation.servoDampingPerStiffnessS(i);
    this.#torques = new ServoTorques(
      simulation,
      this.jointNames.map((_, i) => i),
    );
    this.#wrist = new WristSensor(simulation, this.#options.periodS);
    this.#scene = new MujocoScene(simulation, this.#joints, this.#options.scene.mouthRadiusM, (layout) =>
      this.#afterReset(layout),
    );
    this.#trusted = true;
    this.#simulation = simulation;
    simulation.reset();
    simulation.forward();
  }

  get scene(): Scene {
    if (this.#scene === undefined) throw new TypeError('the driver is not open');
    return this.#scene;
  }

  /** What it simulates: its energies, for checks. Set-points are those in force, with feed-forward. */
  get plant(): EnergyPlant | undefined {
    const simulation = this.#simulation;
    if (simulation === undefined) return undefined;
    const { positionRad, control } = simulation.views;
    return {
      positionRad: positionRad.subarray(0, this.#joints),
      setPointRad: control,
      kineticJ: () => {
        refreshEnergies(simulation);
        return kineticOf(simulation);
      },
      potentialJ: () => {
        refreshEnergies(simulation);
        return potentialOf(simulation);
      },
    };
  }

  enable(): void {
    this.#followReference();
    this.#holdMeasured();
    this.#enabled = true;
  }

  disable(): void {
    this.#followReference();
    this.#enabled = false;
  }

  read(out: RobotState): DriverStatus {
    const simulation = this.#simulation;
    if (simulation === undefined) return 'lost';
    if (!this.#enabled) {
      // Torque off with gravity compensated: the reference follows, so the servos pull nowhere.
      this.#holdMeasured();
    }
    this.#driveServos();
    this.#torques!.start(this.#torqueNm === undefined ? 'servos' : 'motors');
    this.#trusted = simulation.step(this.#stepsPerTick, this.#afterStep) && this.#trusted;
    this.#timeS += this.#options.periodS;
    this.#measure(out);
    return this.#trusted ? 'ok' : 'lost';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    const simulation = this.#simulation;
    if (simulation === undefined || !this.#enabled) return 'lost';
    if (referenceRad.length !== this.#joints) return 'rejected';
    for (let i = 0; i < this.#joints; i++) {
      // MuJoCo would zero a NaN without a word. The negation also catches NaN.
      if (!(Math.abs(referenceRad[i]!) <= ENCODER_RANGE_RAD)) return 'rejected';
    }
    this.#followReference();
    this.#reference.set(referenceRad);
    return 'ok';
  }

  /**
   * Lets the joints exert torques (on top of their weight's, N·m; limited to what the servos can) until the next `write`,
   * `enable` or `disable`, as a robot with an effort interface does. `rejected` when one is not finite.
   */
  exert(torqueNm: ArrayLike<number>): DriverStatus {
    const simulation = this.#simulation;
    if (simulation === undefined || !this.#enabled) return 'lost';
    if (torqueNm.length !== this.#joints || !allFinite(torqueNm)) return 'rejected';
    if (this.#torqueNm === undefined) simulation.driveAs('motors');
    this.#torqueNm ??= new Float64Array(this.#joints);
    this.#torqueNm.set(torqueNm);
    return 'ok';
  }

  async close(): Promise<void> {
    this.#simulation?.close();
    this.#simulation = undefined;
    this.#scene = undefined;
    this.#enabled = false;
  }

  /** Torques and forces are means over the period. */
  readonly #afterStep = (): void => {
    this.#torques!.addStep();
    this.#wrist!.addStep();
  };

  #measure(out: RobotState): void {
    const simulation = this.#open();
    const views = simulation.views;
    for (let i = 0; i < this.#joints; i++) {
      out.positionRad[i] = views.positionRad[i]!;
      out.velocityRadPerS[i] = views.velocityRadPerS[i]!;
    }
    this.#torques!.read(out.torqueNm);
    this.#wrist!.read(out.wrench);
    this.#wrist!.readMean(this.meanWrench);
    if (this.#depthSignal >= 0) this.#signals[this.#depthSignal] = this.#scene!.insertionDepthM();
    out.signals.set(this.#signals);
    out.measuredAtS = this.#timeS;
  }

  /** Back from torques to references, from where the arm is. */
  #followReference(): void {
    if (this.#torqueNm === undefined) return;
    this.#torqueNm = undefined;
    this.#simulation?.driveAs('servos');
    this.#holdMeasured();
  }

  #afterReset(layout: SceneLayout): void {
    this.#trusted = true;
    this.#followReference();
    this.#holdMeasured();
    for (const [index, name] of this.signalNames.entries()) this.#signals[index] = layout.signals[name] ?? 0;
    this.#wrist!.tare();
  }

  #holdMeasured(): void {
    const { positionRad } = this.#open().views;
    this.#reference.set(positionRad);
    this.#lastReference.set(positionRad);
  }

  /** Hands the servos the newest reference for the coming period. */
  #driveServos(): void {
    const { control } = this.#open().views;
    if (this.#torqueNm !== undefined) {
      control.set(this.#torqueNm);
      return;
    }
    for (let i = 0; i < this.#joints; i++) {
      // Velocity feed-forward, as industrial servos have it: without it the arm lags by damping/stiffness · velocity.
      // A reference that does not move on has no velocity: the push must not outlive its period.
      const velocityRadPerS = (this.#reference[i]! - this.#lastReference[i]!) / this.#options.periodS;
      control[i] = this.#reference[i]! + this.#feedForwardS[i]! * velocityRadPerS;
      this.#lastReference[i] = this.#reference[i]!;
    }
  }

  #open(): Simulation {
    if (this.#simulation === undefined) throw new TypeError('the driver is not open');
    return this.#simulation;
  }
}

/** Arranges the scene and shows it. */
class MujocoScene implements Scene {
  readonly geoms: readonly GeomShape[];
  readonly #shapes: DrawnShapes;
  readonly #simulation: Simulation;
  readonly #joints: number;
  readonly #mouthRadiusM: number;
  readonly #onReset: (layout: SceneLayout) => void;
  readonly #tcp: number;

  constructor(simulation: Simulation, joints: number, mouthRadiusM: number, onReset: (layout: SceneLayout) => void) {
    this.#simulation = simulation;
    this.#joints = joints;
    this.#mouthRadiusM = mouthRadiusM;
    this.#onReset = onReset;
    this.#tcp = simulation.id('site', 'tcp');
    this.#shapes = new DrawnShapes(simulation);
    this.geoms = this.#shapes.geoms;
  }

  reset(layout: SceneLayout): void {
    if (layout.jointsRad.length !== this.#joints)
      throw new RangeError(`a layout needs ${this.#joints} joint positions`);
    const pose = layout.objects[HOLE_OBJECT];
    // Checked before anything is changed: MuJoCo would silently put something else in the place of a bad number.
    if (!allFinite(layout.jointsRad)) throw new RangeError(`a layout's joint positions are ${layout.jointsRad}`);
    if (pose !== undefined && !allFinite(pose)) throw new RangeError(`a layout's pose of the hole is ${pose}`);
    this.#simulation.driveAs('servos');
    this.#simulation.reset();
    const views = this.#simulation.views;
    views.positionRad.set(layout.jointsRad);
    if (pose !== undefined) {
      const [x, y, z, yawRad] = pose;
      views.mocapPosition.set([x, y, z]);
      views.mocapQuaternion.set([Math.cos(yawRad / 2), 0, 0, Math.sin(yawRad / 2)]);
    }
    // The wrist sensor feels accelerations: the servos must already hold this pose when it is computed.
    for (let i = 0; i < this.#joints; i++) views.control[i] = views.positionRad[i]!;
    this.#simulation.forward();
    this.#onReset(layout);
  }

  /** How far the peg's tip is below the plate's top, m; 0 or less unless the tip is within the mouth of the hole. */
  insertionDepthM(): number {
    const { sitePosition, mocapPosition } = this.#simulation.views;
    const i = 3 * this.#tcp;
    const dx = sitePosition[i]! - mocapPosition[0]!;
    const dy = sitePosition[i + 1]! - mocapPosition[1]!;
    const depth = mocapPosition[2]! - sitePosition[i + 2]!;
    return Math.hypot(dx, dy) < this.#mouthRadiusM ? depth : Math.min(depth, 0);
  }

  geomPoses(out: Float64Array): void {
    this.#shapes.poses(out);
  }
}
