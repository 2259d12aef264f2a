/**
 * A controller that takes poses of the tool, as Cartesian impedance controllers do: the set-point follows the newest
 * pose as through a spring with a damper, and the joints' compliance gives way to contact.
 */
import { ArmKinematics, allFinite, type RobotModel } from '../../core/index.ts';
import type { ArmController, ArmReading } from './controller.ts';

/** A pose as the message has it. */
export interface Pose {
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  readonly orientation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
}

/** Frames that mean the robot's base. */
const BASE_FRAMES: readonly string[] = ['', 'base', 'base_link'];
/** Time constant with which the set-point follows a new pose. */
const FOLLOW_S = 0.02;
/** How far a quaternion's length may be from 1. */
const QUATERNION_TOLERANCE = 1e-3;

export class CartesianPoseController implements ArmController {
  readonly name = 'cartesian_impedance_controller';
  readonly type = 'rein_sim/CartesianImpedanceController';
  readonly commandInterface = 'position';
  readonly #kinematics: ArmKinematics;
  readonly #periodS: number;
  readonly #targetRad: Float64Array;
  readonly #solution: Float64Array;
  readonly #pose: Float64Array = new Float64Array(7);

  /** `periodS`: time between two updates. */
  constructor(model: RobotModel, periodS: number) {
    this.#kinematics = new ArmKinematics(model);
    this.#periodS = periodS;
    this.#targetRad = new Float64Array(model.joints.length);
    this.#solution = new Float64Array(model.joints.length);
  }

  activate(arm: ArmReading): void {
    this.#targetRad.set(arm.setPointRad);
  }

  /** Takes a pose of the tool point in the base frame. Refuses with a sentence what is no pose or out of reach. */
  accept(pose: Pose, frameId: string): string | undefined {
    if (!BASE_FRAMES.includes(frameId)) return `a pose in the frame "${frameId}", only "base" is known`;
    const { position: p, orientation: q } = pose;
    this.#pose.set([p.x, p.y, p.z, q.w, q.x, q.y, q.z]);
    if (!allFinite(this.#pose)) return 'a pose that is not finite';
    if (Math.abs(Math.hypot(q.w, q.x, q.y, q.z) - 1) > QUATERNION_TOLERANCE)
      return 'a pose whose quaternion is no unit';
    if (!this.#kinematics.inverse(this.#pose, this.#targetRad, this.#solution)) return 'a pose that is out of reach';
    this.#targetRad.set(this.#solution);
    return undefined;
  }

  update(_nowS: number, arm: ArmReading, out: Float64Array): void {
    const share = 1 - Math.exp(-this.#periodS / FOLLOW_S);
    for (let i = 0; i < out.length; i++)
      out[i] = arm.setPointRad[i]! + share * (this.#targetRad[i]! - arm.setPointRad[i]!);
  }
}
