/** Force–torque sensor readings, rotated into the base frame and tared. */
import { ArmKinematics, type RobotModel } from '../../model/index.ts';
import type { RobotState } from '../../rows/index.ts';
import type { RosDriverOptions } from './options.ts';

export class WristWrench {
  readonly #kinematics: ArmKinematics;
  readonly #isInTool: boolean;
  readonly #taresAtEnable: boolean;
  readonly #offset: Float64Array = new Float64Array(6);
  #mustTare = false;

  constructor(model: RobotModel, options: NonNullable<RosDriverOptions['wrench']>) {
    this.#kinematics = new ArmKinematics(model);
    this.#isInTool = options.frame === 'tool';
    this.#taresAtEnable = options.tareAtEnable;
  }

  /** Takes the next measurement as zero, if the robot file asks for that. Tick-safe. */
  tare(): void {
    this.#mustTare = this.#taresAtEnable;
  }

  /** Writes `measured.wrench` (sensor frame), rotated into the base frame, to `out` (6). Tick-safe. */
  write(measured: RobotState, out: Float64Array): void {
    const { wrench } = measured;
    if (this.#mustTare) this.#offset.set(wrench);
    this.#mustTare = false;
    for (let i = 0; i < 6; i++) out[i] = wrench[i]! - this.#offset[i]!;
    if (!this.#isInTool) return;
    this.#kinematics.forward(measured.positionRad);
    turn(this.#kinematics.tcpRotation, out, 0);
    turn(this.#kinematics.tcpRotation, out, 3);
  }
}

function turn(rotation: Float64Array, vector: Float64Array, at: number): void {
  const x = vector[at]!;
  const y = vector[at + 1]!;
  const z = vector[at + 2]!;
  for (let row = 0; row < 3; row++) {
    vector[at + row] = rotation[3 * row]! * x + rotation[3 * row + 1]! * y + rotation[3 * row + 2]! * z;
  }
}
