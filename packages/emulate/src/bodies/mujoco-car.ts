/**
 * Car on the ground in MuJoCo: its own model, with rear wheels turned by the motor and front wheels by its steering servo. Mass, grip and
 * slip are the model's; losses of motor, gear and tyres are added to its driven wheels.
 */
import { ReinError } from '../../../../src/model/index.ts';
import type { CarWheels, Simulation, Wheel } from '../../../../src/plant/mujoco.ts';
import type { RollingBody } from './body.ts';
import { SimpleBody, type SimpleJoint } from './simple-body.ts';

/** Number of parameters that MuJoCo stores for each actuator's gain, and for its bias. */
const PARAMETERS = 10;
/** Index of the chassis among positions and velocities: x, y, z and an orientation. */
const CHASSIS = 0;

export interface MujocoCarOptions {
  /** MJCF of the car, without meshes; its first body is the chassis, with its origin at the middle of the rear axle. */
  readonly file: string;
  /** Steering servo; the front wheels are held at its angle. */
  readonly steering: SimpleJoint;
  /** Rolling resistance as a force at the driven wheels: constant part, N, and part proportional to speed, N·s/m. */
  readonly rollingN: number;
  readonly dragNSPerM: number;
}

/**
 * Axes: distance travelled by the driven wheels, m, driven by a force, N, and the angle of the steering servo, rad. `signals`: position of
 * the middle of the rear axle, and heading (`xM`, `yM`, `headingRad`).
 */
export class MujocoCar implements RollingBody {
  readonly positionRad: Float64Array = new Float64Array(2);
  readonly velocityRadPerS: Float64Array = new Float64Array(2);
  readonly torqueNm: Float64Array = new Float64Array(2);
  readonly signals: Map<string, number> = new Map();
  readonly stepS: number = 0.002;
  readonly #servo: SimpleBody;
  readonly #car: RollingSimulation;

  /** Rejects with `ReinError('config')` if the file cannot be read or is not such a car's. */
  static async open(options: MujocoCarOptions): Promise<MujocoCar> {
    // Imported only when needed: listing what can be emulated does without MuJoCo.
    const { CarWheels, readModelFile, Simulation, withIncludes } = await import('../../../../src/plant/mujoco.ts');
    const simulation = await Simulation.fromXml(withIncludes(readModelFile(options.file)).xml);
    try {
      return new MujocoCar(simulation, options, new CarWheels(simulation));
    } catch (error) {
      simulation.close();
      throw error;
    }
  }

  private constructor(simulation: Simulation, options: MujocoCarOptions, wheels: CarWheels) {
    this.#servo = new SimpleBody([options.steering], this.stepS);
    this.#car = new RollingSimulation(simulation, options, wheels, this.stepS);
    this.#see(this.#car.pose());
  }

  step(): void {
    this.#pass(this.torqueNm[0]!);
  }

  roll(wayM: number): void {
    this.#car.rollAt(wayM / this.stepS, this.positionRad[1]!);
    this.#pass(0);
    if (wayM === 0) this.#car.rollAt(0, 0);
  }

  close(): void {
    this.#car.close();
  }

  #pass(forceN: number): void {
    const car = this.#car;
    const servo = this.#servo;
    servo.torqueNm[0] = this.torqueNm[1]!;
    servo.step();
    this.positionRad[1] = servo.positionRad[0]!;
    this.velocityRadPerS[1] = servo.velocityRadPerS[0]!;
    car.step(forceN, servo.positionRad[0]!);
    this.positionRad[0] = car.wayM;
    this.velocityRadPerS[0] = car.speedMPerS;
    this.#see(car.pose());
  }

  #see([xM, yM, headingRad]: readonly [number, number, number]): void {
    this.signals.set('xM', xM).set('yM', yM).set('headingRad', headingRad);
  }
}

/** MuJoCo simulation of a car on its wheels. */
class RollingSimulation {
  readonly #simulation: Simulation;
  readonly #wheels: CarWheels;
  /** Degrees of freedom that turn as the car rolls. */
  readonly #rolling: readonly number[];
  readonly #stepS: number;

  constructor(simulation: Simulation, { rollingN, dragNSPerM }: MujocoCarOptions, wheels: CarWheels, stepS: number) {
    this.#simulation = simulation;
    this.#wheels = wheels;
    this.#stepS = stepS;
    const { model } = simulation;
    const { driven, steered, radiusM } = wheels;
    this.#rolling = [...driven.map(({ dof }) => dof), ...freeWheels(simulation, steered)];
    for (const { dof, actuator } of driven) {
      makeMotor(simulation, actuator);
      (model.dof_frictionloss as Float64Array)[dof] = (rollingN * radiusM) / driven.length;
      (model.dof_damping as Float64Array)[dof]! += (dragNSPerM * radiusM ** 2) / driven.length;
    }
    simulation.reset();
    simulation.forward();
  }

  /** Distance as counted by the motor, m: includes wheel slip. */
  get wayM(): number {
    return this.#mean(this.#simulation.views.positionRad, 'position');
  }

  get speedMPerS(): number {
    return this.#mean(this.#simulation.views.velocityRadPerS, 'dof');
  }

  /** Returns x and y of the middle of the rear axle, m, and the heading, rad, positive to the left. */
  pose(): readonly [number, number, number] {
    const q = this.#simulation.views.positionRad;
    const [w, x, y, z] = [q[CHASSIS + 3]!, q[CHASSIS + 4]!, q[CHASSIS + 5]!, q[CHASSIS + 6]!];
    return [q[CHASSIS]!, q[CHASSIS + 1]!, Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))];
  }

  /** Advances by one step with `forceN` at the driven wheels. Throws `ReinError('driver')` if MuJoCo cannot continue. */
  step(forceN: number, steeringRad: number): void {
    const { control } = this.#simulation.views;
    const { driven, steered, radiusM } = this.#wheels;
    for (const { actuator } of driven) control[actuator] = (forceN * radiusM) / driven.length;
    for (const [i, { actuator }] of steered.entries()) control[actuator] = this.#wheels.steeredRad(steeringRad, i);
    if (!this.#simulation.stepFor(this.#stepS))
      throw new ReinError('driver', 'MuJoCo lost the car: its model cannot be simulated');
  }

  /** Sets the velocities of a car that is rolled from outside at `speedMPerS`, without slip. */
  rollAt(speedMPerS: number, steeringRad: number): void {
    const v = this.#simulation.views.velocityRadPerS;
    const [, , headingRad] = this.pose();
    v.fill(0);
    v[CHASSIS] = speedMPerS * Math.cos(headingRad);
    v[CHASSIS + 1] = speedMPerS * Math.sin(headingRad);
    v[CHASSIS + 5] = (speedMPerS * Math.tan(steeringRad)) / this.#wheels.wheelbaseM;
    for (const dof of this.#rolling) v[dof] = speedMPerS / this.#wheels.radiusM;
  }

  close(): void {
    this.#simulation.close();
  }

  #mean(values: Float64Array, at: 'position' | 'dof'): number {
    let sum = 0;
    const { driven, radiusM } = this.#wheels;
    for (const wheel of driven) sum += values[wheel[at]]!;
    return (radiusM * sum) / driven.length;
  }
}

/** Returns the degrees of freedom of the wheels on the kingpins. */
function freeWheels({ model }: Simulation, kingpins: readonly Wheel[]): number[] {
  const parents = model.body_parentid as Int32Array;
  const bodies = new Set(kingpins.map(({ body }) => body));
  return [...(model.jnt_bodyid as Int32Array).entries()]
    .filter(([, body]) => bodies.has(parents[body]!))
    .map(([joint]) => (model.jnt_dofadr as Int32Array)[joint]!);
}

/** Makes the actuator a torque motor: its control is its torque, N·m, within its limits. */
function makeMotor({ model }: Simulation, actuator: number): void {
  (model.actuator_gainprm as Float64Array)[PARAMETERS * actuator] = 1;
  (model.actuator_biasprm as Float64Array).fill(0, PARAMETERS * actuator, PARAMETERS * (actuator + 1));
}
