/** A car's drive: driven wheels that hold a speed, and steered wheels, of which odometry makes the axes of an Ackermann base. */
import { type BaseModel, ReinError, type RobotModel } from '../../core/index.ts';
import type { Drive } from './joint-servos.ts';
import type { Simulation } from './mujoco-module.ts';

/** Names in the car's MJCF: joints, each with an actuator. */
const DRIVEN = ['drive_left', 'drive_right'] as const;
const STEERED = ['steer_left', 'steer_right'] as const;
/** Below this both wheels point ahead, rad. */
const STRAIGHT_RAD = 1e-9;

/** Where MuJoCo keeps a joint of the car, and what drives it. */
export interface Wheel {
  readonly position: number;
  readonly dof: number;
  readonly actuator: number;
  readonly body: number;
}

export class CarDrive implements Drive {
  readonly setPointRad: Float64Array = new Float64Array(2);
  readonly #simulation: Simulation;
  readonly #driven: readonly Wheel[];
  readonly #steered: readonly Wheel[];
  readonly #wheelRadiusM: number;
  readonly #wheelbaseM: number;
  /** Distance of the kingpins from the middle, to the left, m. */
  readonly #besideM: readonly number[];
  /** Odometry counts from here, m. */
  #fromM = 0;
  #lastSentM = 0;

  /** Throws `ReinError('config')` where the file is no such car. */
  constructor(simulation: Simulation, robot: RobotModel) {
    this.#simulation = simulation;
    this.#driven = DRIVEN.map((name) => wheelOf(simulation, name));
    this.#steered = STEERED.map((name) => wheelOf(simulation, name));
    const { model } = simulation;
    const rear = this.#driven[0]!.body;
    this.#wheelRadiusM = (model.geom_size as Float64Array)[3 * (model.body_geomadr as Int32Array)[rear]!]!;
    const bodies = model.body_pos as Float64Array;
    this.#wheelbaseM = bodies[3 * this.#steered[0]!.body]! - bodies[3 * rear]!;
    this.#besideM = this.#steered.map(({ body }) => bodies[3 * body + 1]!);
    checkWheelbase(robot.base!, this.#wheelbaseM);
  }

  restAt(positionRad: ArrayLike<number>): void {
    const { positionRad: positions, control } = this.#simulation.views;
    this.#fromM = positionRad[0]!;
    this.#lastSentM = positionRad[0]!;
    this.setPointRad[0] = positionRad[0]!;
    this.setPointRad[1] = positionRad[1]!;
    for (const { actuator } of this.#driven) control[actuator] = 0;
    for (const [i, { position, actuator }] of this.#steered.entries()) {
      positions[position] = this.#wheelAngleRad(positionRad[1]!, i);
      control[actuator] = positions[position]!;
    }
  }

  push(sentRad: ArrayLike<number>, dtS: number): void {
    const { control } = this.#simulation.views;
    const speedMPerS = dtS > 0 ? (sentRad[0]! - this.#lastSentM) / dtS : 0;
    this.#lastSentM = sentRad[0]!;
    this.setPointRad[0] = sentRad[0]!;
    this.setPointRad[1] = sentRad[1]!;
    for (let i = 0; i < 2; i++) {
      control[this.#driven[i]!.actuator] = speedMPerS / this.#wheelRadiusM;
      control[this.#steered[i]!.actuator] = this.#wheelAngleRad(sentRad[1]!, i);
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

  /** Odometry: the mean turn of the driven wheels, m, and the steering angle at the middle of the front axle, rad. */
  measure(positionRad: Float64Array, velocityRadPerS: Float64Array): void {
    const { positionRad: q, velocityRadPerS: v } = this.#simulation.views;
    const [left, right] = this.#driven as [Wheel, Wheel];
    const [steerLeft, steerRight] = this.#steered as [Wheel, Wheel];
    positionRad[0] = this.#fromM + (this.#wheelRadiusM * (q[left.position]! + q[right.position]!)) / 2;
    velocityRadPerS[0] = (this.#wheelRadiusM * (v[left.dof]! + v[right.dof]!)) / 2;
    positionRad[1] = steeringOf(q[steerLeft.position]!, q[steerRight.position]!);
    velocityRadPerS[1] = (v[steerLeft.dof]! + v[steerRight.dof]!) / 2;
  }

  /** Ackermann geometry: both front wheels about one centre. tan δ_i = L·tan δ/(L − y_i·tan δ), y_i to the left. */
  #wheelAngleRad(steeringRad: number, i: number): number {
    const slope = Math.tan(steeringRad);
    return Math.atan((this.#wheelbaseM * slope) / (this.#wheelbaseM - this.#besideM[i]! * slope));
  }
}

/** The inverse, of both wheels: cot δ = (cot δ_left + cot δ_right)/2. */
function steeringOf(leftRad: number, rightRad: number): number {
  const left = Math.tan(leftRad);
  const right = Math.tan(rightRad);
  if (!(Math.min(Math.abs(left), Math.abs(right)) > STRAIGHT_RAD) || left * right < 0) return (leftRad + rightRad) / 2;
  return Math.atan((2 * left * right) / (left + right));
}

/** The joint `name` and its actuator. Throws `ReinError` where the file has none. */
export function wheelOf(simulation: Simulation, name: string): Wheel {
  const { model } = simulation;
  const joint = simulation.id('joint', name);
  const targets = model.actuator_trnid as Int32Array;
  const count = model.nu as number;
  const actuator = Array.from({ length: count }, (_, i) => i).find(
    (i) => targets[(targets.length / count) * i] === joint,
  );
  if (actuator === undefined) throw new ReinError('config', `the car's file has no actuator for joint "${name}"`);
  return {
    position: (model.jnt_qposadr as Int32Array)[joint]!,
    dof: (model.jnt_dofadr as Int32Array)[joint]!,
    actuator,
    body: (model.jnt_bodyid as Int32Array)[joint]!,
  };
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
