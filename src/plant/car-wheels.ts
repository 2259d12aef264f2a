/** Wheels of a car in its MJCF: their indices in MuJoCo, and the Ackermann geometry of the axles. */
import { ReinError } from '../model/index.ts';
import type { Simulation } from './mujoco-module.ts';

/** Names of joints in the car's MJCF, each with an actuator. */
const DRIVEN = ['drive_left', 'drive_right'] as const;
const STEERED = ['steer_left', 'steer_right'] as const;

/** Indices of a wheel joint in MuJoCo, and of its actuator. */
export interface Wheel {
  readonly position: number;
  readonly dof: number;
  readonly actuator: number;
  readonly body: number;
}

/** Driven rear wheels and steered front wheels, left before right. */
export class CarWheels {
  readonly driven: readonly Wheel[];
  readonly steered: readonly Wheel[];
  /** Radius of the driven wheels. */
  readonly radiusM: number;
  readonly wheelbaseM: number;
  /** Lateral offset of the kingpins from the middle, to the left, m. */
  readonly #besideM: readonly number[];

  /** Throws `ReinError('config')` if the file lacks such wheels. */
  constructor(simulation: Simulation) {
    this.driven = DRIVEN.map((name) => wheelOf(simulation, name));
    this.steered = STEERED.map((name) => wheelOf(simulation, name));
    const { model } = simulation;
    const rear = this.driven[0]!.body;
    this.radiusM = (model.geom_size as Float64Array)[3 * (model.body_geomadr as Int32Array)[rear]!]!;
    const bodies = model.body_pos as Float64Array;
    this.wheelbaseM = bodies[3 * this.steered[0]!.body]! - bodies[3 * rear]!;
    this.#besideM = this.steered.map(({ body }) => bodies[3 * body + 1]!);
  }

  /**
   * Returns the angle of steered wheel `i` if the middle of the front axle points `steeringRad` to the left, rad. Both
   * wheels turn about one centre: tan δ_i = L·tan δ/(L − y_i·tan δ), y_i to the left.
   */
  steeredRad(steeringRad: number, i: number): number {
    const slope = Math.tan(steeringRad);
    return Math.atan((this.wheelbaseM * slope) / (this.wheelbaseM - this.#besideM[i]! * slope));
  }
}

/** Returns the joint `name` and its actuator. Throws `ReinError` if the file lacks one. */
function wheelOf(simulation: Simulation, name: string): Wheel {
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
