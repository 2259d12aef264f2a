/** Drive of a car: driven wheels that hold a speed, and steered wheels; odometry converts them to the axes of an Ackermann base. */
import { type BaseModel, ReinError, type RobotModel } from '../model/index.ts';
import { CarWheels, type Wheel } from './car-wheels.ts';
import type { Drive } from './joint-servos.ts';
import type { Simulation } from './mujoco-module.ts';

/** Below this, both wheels count as straight, rad. */
const STRAIGHT_RAD = 1e-9;

export class CarDrive implements Drive {
  readonly setPointRad: Float64Array = new Float64Array(2);
  readonly #simulation: Simulation;
  readonly #wheels: CarWheels;
  /** Start of odometry, m. */
  #fromM = 0;
  #lastSentM = 0;

  /** Throws `ReinError('config')` if the file is no such car. */
  constructor(simulation: Simulation, robot: RobotModel) {
    this.#simulation = simulation;
    this.#wheels = new CarWheels(simulation);
    checkWheelbase(robot.base!, this.#wheels.wheelbaseM);
  }

  restAt(positionRad: ArrayLike<number>): void {
    const { positionRad: positions, control } = this.#simulation.views;
    this.#fromM = positionRad[0]!;
    this.#lastSentM = positionRad[0]!;
    this.setPointRad[0] = positionRad[0]!;
    this.setPointRad[1] = positionRad[1]!;
    for (const { actuator } of this.#wheels.driven) control[actuator] = 0;
    for (const [i, { position, actuator }] of this.#wheels.steered.entries()) {
      positions[position] = this.#wheels.steeredRad(positionRad[1]!, i);
      control[actuator] = positions[position]!;
    }
  }

  push(sentRad: ArrayLike<number>, dtS: number): void {
    const { control } = this.#simulation.views;
    const speedMPerS = dtS > 0 ? (sentRad[0]! - this.#lastSentM) / dtS : 0;
    this.#lastSentM = sentRad[0]!;
    this.setPointRad[0] = sentRad[0]!;
    this.setPointRad[1] = sentRad[1]!;
    const { driven, steered, radiusM } = this.#wheels;
    for (let i = 0; i < 2; i++) {
      control[driven[i]!.actuator] = speedMPerS / radiusM;
      control[steered[i]!.actuator] = this.#wheels.steeredRad(sentRad[1]!, i);
    }
  }

  hold(positionRad: ArrayLike<number>): void {
    this.#lastSentM = positionRad[0]!;
    this.setPointRad[0] = positionRad[0]!;
    this.setPointRad[1] = positionRad[1]!;
  }

  exert(): boolean {
    return false;
  }

  /** Measures odometry: mean rotation of the driven wheels, m, and steering angle at the middle of the front axle, rad. */
  measure(positionRad: Float64Array, velocityRadPerS: Float64Array): void {
    const { positionRad: q, velocityRadPerS: v } = this.#simulation.views;
    const { driven, steered, radiusM } = this.#wheels;
    const [left, right] = driven as [Wheel, Wheel];
    const [steerLeft, steerRight] = steered as [Wheel, Wheel];
    positionRad[0] = this.#fromM + (radiusM * (q[left.position]! + q[right.position]!)) / 2;
    velocityRadPerS[0] = (radiusM * (v[left.dof]! + v[right.dof]!)) / 2;
    positionRad[1] = steeringOf(q[steerLeft.position]!, q[steerRight.position]!);
    velocityRadPerS[1] = (v[steerLeft.dof]! + v[steerRight.dof]!) / 2;
  }
}

/** Returns the steering angle from both wheels: cot δ = (cot δ_left + cot δ_right)/2. */
function steeringOf(leftRad: number, rightRad: number): number {
  const left = Math.tan(leftRad);
  const right = Math.tan(rightRad);
  if (!(Math.min(Math.abs(left), Math.abs(right)) > STRAIGHT_RAD) || left * right < 0) return (leftRad + rightRad) / 2;
  return Math.atan((2 * left * right) / (left + right));
}

function checkWheelbase(base: BaseModel, fileM: number): void {
  if (base.kind !== 'ackermann') {
    throw new ReinError('config', `MuJoCo drives bases of the kind ackermann only, and this one is ${base.kind}`);
  }
  if (base.wheelbaseM !== undefined && Math.abs(base.wheelbaseM - fileM) > 1e-3) {
    throw new ReinError(
      'config',
      `wheelbaseM is ${base.wheelbaseM}, but the axles of the car's file are ${fileM} m apart`,
    );
  }
}
