/** Start configuration of an arm: joint positions that bring its tool to a given place. */
import { ArmKinematics, ReinError, type RobotModel } from '../model/index.ts';

/** Inverse kinematics from the home pose; not for the tick. */
export class StartPose {
  readonly #homeRad: readonly number[];
  readonly #kinematics: ArmKinematics;
  readonly #remedy: string;

  /** `remedy`: advice for the task's file if a place cannot be reached. */
  constructor(model: RobotModel, remedy: string) {
    this.#homeRad = model.homeRad;
    this.#kinematics = new ArmKinematics(model);
    this.#remedy = remedy;
  }

  /** [n] rad, with the tool at `toolM` (base frame), oriented as at home and turned about z by `yawRad`. Throws `ReinError('task')`. */
  at(toolM: readonly [number, number, number], yawRad: number): number[] {
    const joints = this.find(toolM, yawRad);
    if (joints !== undefined) return joints;
    const place = toolM.map((v) => v.toFixed(3)).join(', ');
    throw new ReinError('task', `the arm cannot reach a start pose at ${place} m`, { remedy: this.#remedy });
  }

  /** Like `at`, but `undefined` if the arm cannot reach it. */
  find(toolM: readonly [number, number, number], yawRad: number): number[] | undefined {
    const kinematics = this.#kinematics;
    kinematics.forward(this.#homeRad);
    const target = Float64Array.of(...toolM, ...turnAboutZ(kinematics.tcpQuaternion, yawRad));
    const joints = Float64Array.from(this.#homeRad);
    return kinematics.inverse(target, this.#homeRad, joints) ? [...joints] : undefined;
  }

  /** [3] m, tool position at `jointsRad`; the buffer is reused. */
  toolAtM(jointsRad: readonly number[]): Float64Array {
    this.#kinematics.forward(jointsRad);
    return this.#kinematics.tcpPositionM;
  }
}

/** Quaternion `q` (w, x, y, z) rotated about the base's z axis. */
function turnAboutZ(q: ArrayLike<number>, yawRad: number): [number, number, number, number] {
  const c = Math.cos(yawRad / 2);
  const s = Math.sin(yawRad / 2);
  const [w, x, y, z] = [q[0]!, q[1]!, q[2]!, q[3]!];
  return [c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w];
}
