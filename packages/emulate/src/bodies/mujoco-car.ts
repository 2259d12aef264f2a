/**
 * A car on the ground in MuJoCo: its own model, whose rear wheels the motor turns and whose front wheels its steering servo does. Mass, grip
 * and slip are the model's; what motor, gear and tyres lose is added to its driven wheels.
 */
import { ReinError } from '../../../../src/core/index.ts';
import type { CarWheels, Simulation, Wheel } from '../../../../src/plant/mujoco.ts';
import type { RollingBody } from './body.ts';
import { SimpleBody, type SimpleJoint } from './simple-body.ts';

/** Numbers that MuJoCo keeps of each actuator's gain, and of its bias. */
const PARAMETERS = 10;
/** Its place among positions and velocities: x, y, z and a turn. */
const CHASSIS = 0;

export interface MujocoCarOptions {
  /** The car's MJCF, without meshes, its chassis the first body, whose origin is in the middle of the rear axle. */
  readonly file: string;
  /** The steering servo: where it points is where the front wheels are held. */
  readonly steering: SimpleJoint;
  /** What resists rolling, as a force at the driven wheels: N, and N·s/m. */
  readonly rollingN: number;
  readonly dragNSPerM: number;
}

/**
 * Axes: the way of the driven wheels, m, driven by a force, N, and the angle of the steering servo, rad. `signals`: where the middle of the
 * rear axle is, and where the car heads (`xM`, `yM`, `headingRad`).
 */
export class MujocoCar implements RollingBody {
  readonly positionRad: Float64Array = new Float64Array(2);
  readonly velocityRadPerS: Float64Array = new Float64Array(2);
  readonly torqueNm: Float64Array = new Float64Array(2);
  readonly signals: Map<string, number> = new Map();
  readonly stepS: number = 0.002;
  readonly #servo: SimpleBody;
  readonly #car: RollingSimulation;

  /** Rejects with `ReinError('config')` where the file cannot be read, or is no such car's. */
  static async open(options: MujocoCarOptions): Promise<MujocoCar> {
    // Not before it is needed: a list of what can be emulated does without.
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

/** A car on its wheels in a simulation of its own. */
class RollingSimulation {
  readonly #simulation: Simulation;
  readonly #wheels: CarWheels;
  /** What turns as the car rolls: degrees of freedom. */
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

  /** As the motor counts it: a wheel that slips counts too. */
  get wayM(): number {
    return this.#mean(this.#simulation.views.positionRad, 'position');
  }

  get speedMPerS(): number {
    return this.#mean(this.#simulation.views.velocityRadPerS, 'dof');
  }

  /** x and y of the middle of the rear axle, m, and where it heads, rad, to the left. */
  pose(): readonly [number, number, number] {
    const q = this.#simulation.views.positionRad;
    const [w, x, y, z] = [q[CHASSIS + 3]!, q[CHASSIS + 4]!, q[CHASSIS + 5]!, q[CHASSIS + 6]!];
    return [q[CHASSIS]!, q[CHASSIS + 1]!, Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))];
  }

  /** A step with `forceN` at the driven wheels. Throws `ReinError('driver')` where MuJoCo cannot go on. */
  step(forceN: number, steeringRad: number): void {
    const { control } = this.#simulation.views;
    const { driven, steered, radiusM } = this.#wheels;
    for (const { actuator } of driven) control[actuator] = (forceN * radiusM) / driven.length;
    for (const [i, { actuator }] of steered.entries()) control[actuator] = this.#wheels.steeredRad(steeringRad, i);
    if (!this.#simulation.stepFor(this.#stepS))
      throw new ReinError('driver', 'MuJoCo lost the car: its model cannot be simulated');
  }

  /** Something makes it roll, without slip, at `speedMPerS`. */
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

/** Degrees of freedom of the wheels that the kingpins carry. */
function freeWheels({ model }: Simulation, kingpins: readonly Wheel[]): number[] {
  const parents = model.body_parentid as Int32Array;
  const bodies = new Set(kingpins.map(({ body }) => body));
  return [...(model.jnt_bodyid as Int32Array).entries()]
    .filter(([, body]) => bodies.has(parents[body]!))
    .map(([joint]) => (model.jnt_dofadr as Int32Array)[joint]!);
}

/** The actuator's control is its torque from now on, N·m, within its limits. */
function makeMotor({ model }: Simulation, actuator: number): void {
  (model.actuator_gainprm as Float64Array)[PARAMETERS * actuator] = 1;
  (model.actuator_biasprm as Float64Array).fill(0, PARAMETERS * actuator, PARAMETERS * (actuator + 1));
}
