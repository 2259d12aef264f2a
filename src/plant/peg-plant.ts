/** Plant of the arm in the peg insertion scene: servos, wrist sensor, and depth of the peg in the hole. */
import { allFinite, ReinError } from '../model/index.ts';
import type { RobotState, SceneLayout } from '../rows/index.ts';
import { DrawnShapes } from './drawn-shapes.ts';
import { Simulation } from './mujoco-module.ts';
import type { MujocoDriverOptions } from './options.ts';
import { HOLE_OBJECT, pegSceneXml } from './peg-scene.ts';
import { ServoTorques } from './servo-torques.ts';
import { WristSensor } from './wrist-sensor.ts';

/** The plant owns its arrays; each step and `arrange` write them, torques and forces only each step. */
export class PegPlant {
  /** [n] measured, rad. */
  readonly positionRad: Float64Array;
  /** [n] measured, rad/s. */
  readonly velocityRadPerS: Float64Array;
  /** [n] servo torques, N·m, mean of the last period. */
  readonly torqueNm: Float64Array;
  /** [6] contact wrench on the tool, N and N·m, base frame, filtered like a force sensor's. */
  readonly wrench: Float64Array = new Float64Array(6);
  /** [6] its mean over the last period. */
  readonly meanWrench: Float64Array = new Float64Array(6);
  readonly #simulation: Simulation;
  readonly #periodS: number;
  readonly #stepsPerPeriod: number;
  readonly #mouthRadiusM: number;
  readonly #tcp: number;
  readonly #torques: ServoTorques;
  readonly #wrist: WristSensor;
  readonly #lastSentRad: Float64Array;
  readonly #feedForwardS: Float64Array;
  readonly #signalNames: readonly string[];
  readonly #signals: Float64Array;
  readonly #depthSignal: number;
  #drives: 'servos' | 'motors' = 'servos';

  /** Throws `ReinError('driver')` if the scene is another robot's, or the control period is no multiple of its timestep. */
  static async open(options: MujocoDriverOptions): Promise<PegPlant> {
    const simulation = await Simulation.fromXml(pegSceneXml(options.scene));
    try {
      return new PegPlant(simulation, options);
    } catch (error) {
      simulation.close();
      throw error;
    }
  }

  private constructor(
    simulation: Simulation,
    { jointNames, signalNames, periodS, scene: { mouthRadiusM } }: MujocoDriverOptions,
  ) {
    checkJoints(simulation, jointNames);
    const joints = jointNames.length;
    this.#simulation = simulation;
    this.#periodS = periodS;
    this.#stepsPerPeriod = stepsIn(periodS, simulation.timestepS);
    this.#mouthRadiusM = mouthRadiusM;
    this.#tcp = simulation.id('site', 'tcp');
    this.#feedForwardS = Float64Array.from(jointNames, (_, i) => simulation.servoDampingPerStiffnessS(i));
    this.#torques = new ServoTorques(
      simulation,
      jointNames.map((_, i) => i),
    );
    this.#wrist = new WristSensor(simulation, periodS);
    this.#lastSentRad = new Float64Array(joints);
    this.#signalNames = signalNames;
    this.#signals = new Float64Array(signalNames.length);
    this.#depthSignal = signalNames.indexOf('depthM');
    this.positionRad = new Float64Array(joints);
    this.velocityRadPerS = new Float64Array(joints);
    this.torqueNm = new Float64Array(joints);
    simulation.reset();
    simulation.forward();
    this.#measureJoints();
  }

  /** Returns the shapes to draw. */
  shapes(): DrawnShapes {
    return new DrawnShapes(this.#simulation);
  }

  /**
   * Places arm and hole, at rest, with the servos holding. Throws `RangeError` for a layout with a missing or
   * non-finite number, and changes nothing then.
   */
  arrange({ jointsRad, objects, signals }: SceneLayout): void {
    const joints = this.positionRad.length;
    const pose = objects[HOLE_OBJECT];
    if (jointsRad.length !== joints) throw new RangeError(`a layout needs ${joints} joint positions`);
    // MuJoCo would silently replace a bad number.
    if (!allFinite(jointsRad)) throw new RangeError(`a layout's joint positions are ${jointsRad}`);
    if (pose !== undefined && !allFinite(pose)) throw new RangeError(`a layout's pose of the hole is ${pose}`);
    this.#be('servos');
    this.#simulation.reset();
    const { positionRad, control, mocapPosition, mocapQuaternion } = this.#simulation.views;
    positionRad.set(jointsRad);
    if (pose !== undefined) {
      const [x, y, z, yawRad] = pose;
      mocapPosition.set([x, y, z]);
      mocapQuaternion.set([Math.cos(yawRad / 2), 0, 0, Math.sin(yawRad / 2)]);
    }
    // The wrist sensor measures accelerations: the servos must already hold this pose when it is computed.
    for (let i = 0; i < joints; i++) control[i] = positionRad[i]!;
    this.#simulation.forward();
    this.#measureJoints();
    this.hold();
    for (const [i, name] of this.#signalNames.entries()) this.#signals[i] = signals[name] ?? 0;
    this.#wrist.tare();
  }

  /** Sets the references to the present pose, as if they had always been there. */
  hold(): void {
    this.#be('servos');
    this.#lastSentRad.set(this.positionRad);
  }

  /** Sends `sentRad` ([n]) and advances by one period. Returns false if the simulation can no longer be trusted. */
  step(sentRad: ArrayLike<number>): boolean {
    this.#be('servos');
    const { control } = this.#simulation.views;
    for (let i = 0; i < this.positionRad.length; i++) {
      // Velocity feed-forward, as in industrial servos: without it the arm lags by damping/stiffness · velocity.
      // A reference that stops has no velocity: the feed-forward must not outlast its period.
      const velocityRadPerS = (sentRad[i]! - this.#lastSentRad[i]!) / this.#periodS;
      control[i] = sentRad[i]! + this.#feedForwardS[i]! * velocityRadPerS;
      this.#lastSentRad[i] = sentRad[i]!;
    }
    return this.#pass();
  }

  /** Like `step`, with torques instead of references, N·m, added to the gravity compensation. */
  exert(torqueNm: ArrayLike<number>): boolean {
    this.#be('motors');
    this.#simulation.views.control.set(torqueNm);
    return this.#pass();
  }

  /** Writes the signals, [k]: depth of the peg, and the others from the layout. */
  readSignals(out: RobotState['signals']): void {
    if (this.#depthSignal >= 0) this.#signals[this.#depthSignal] = this.#insertionDepthM();
    out.set(this.#signals);
  }

  /** Frees the memory. Idempotent; must not be used afterwards. */
  close(): void {
    this.#simulation.close();
  }

  #be(drives: 'servos' | 'motors'): void {
    if (this.#drives === drives) return;
    this.#drives = drives;
    this.#simulation.driveAs(drives);
    if (drives === 'servos') this.#lastSentRad.set(this.positionRad);
  }

  #pass(): boolean {
    this.#torques.start(this.#drives);
    const isTrusted = this.#simulation.step(this.#stepsPerPeriod, this.#afterStep);
    this.#measureJoints();
    this.#torques.read(this.torqueNm);
    this.#wrist.read(this.wrench);
    this.#wrist.readMean(this.meanWrench);
    return isTrusted;
  }

  /** Torques and forces are means over the period. */
  readonly #afterStep = (): void => {
    this.#torques.addStep();
    this.#wrist.addStep();
  };

  #measureJoints(): void {
    const { positionRad, velocityRadPerS } = this.#simulation.views;
    for (let i = 0; i < this.positionRad.length; i++) {
      this.positionRad[i] = positionRad[i]!;
      this.velocityRadPerS[i] = velocityRadPerS[i]!;
    }
  }

  /** Returns the depth of the peg's tip below the plate's top, m; 0 or less unless the tip is within the mouth of the hole. */
  #insertionDepthM(): number {
    const { sitePosition, mocapPosition } = this.#simulation.views;
    const i = 3 * this.#tcp;
    const dx = sitePosition[i]! - mocapPosition[0]!;
    const dy = sitePosition[i + 1]! - mocapPosition[1]!;
    const depth = mocapPosition[2]! - sitePosition[i + 2]!;
    return Math.hypot(dx, dy) < this.#mouthRadiusM ? depth : Math.min(depth, 0);
  }
}

function checkJoints(simulation: Simulation, names: readonly string[]): void {
  const wrong = names.findIndex((name, i) => simulation.id('joint', name) !== i);
  if (wrong < 0) return;
  throw new ReinError(
    'driver',
    `joint ${wrong} of the robot is "${names[wrong]}", but the scene has another one there`,
  );
}

function stepsIn(periodS: number, timestepS: number): number {
  const steps = periodS / timestepS;
  if (Math.abs(steps - Math.round(steps)) <= 1e-6) return Math.round(steps);
  throw new ReinError('driver', `a control period of ${periodS} s is not a whole number of physics steps`, {
    remedy: `choose controlHz so that the period is a multiple of ${timestepS} s`,
  });
}
