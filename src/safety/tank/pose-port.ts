/**
 * A Cartesian spring between the tool and the pose that is sent, for robots under impedance control. What is sent are joints;
 * their tool pose is the set-point. There is no torque limit in it: the leash must keep the controller out of saturation.
 */
import { ArmKinematics, type RobotModel, rotationError } from '../../core/index.ts';
import type { SpringPort } from './port.ts';
import { poseSpringJ, type Six } from './set-point-port.ts';

const STILL_RAD_PER_S = 0.01;
/** A spring that holds less pulls at nothing, J. */
const RELAXED_J = 1e-4;

/** The spring of one tool. Costs are computed by forward kinematics, and are convex only as far as the tool goes straight. */
export class PosePort implements SpringPort {
  readonly sentRad: Float64Array;
  dissipatedJ = 0;
  readonly releasedJ = 0;
  isRelaxed = false;
  readonly #stiffness: Six;
  readonly #damping: Six;
  readonly #sent: ArmKinematics;
  readonly #tool: ArmKinematics;
  readonly #probe: ArmKinematics;
  readonly #joints: Float64Array;
  readonly #measured: Float64Array;
  readonly #error: Float64Array = new Float64Array(6);
  #springJ = 0;
  #isMeasured = false;

  /** Throws `RangeError` without six stiffnesses > 0 and dampings ≥ 0, or with feed-forward or delay, which it does not know. */
  constructor(model: RobotModel) {
    const { stiffness = [], damping = [], velocityFeedForward = false, delayTicks = 0 } = model.tank ?? {};
    if (!(stiffness.length === 6 && stiffness.every((k) => k > 0))) {
      throw new RangeError('the port setPoint needs six stiffnesses > 0');
    }
    if (!(damping.length === 6 && damping.every((d) => d >= 0))) {
      throw new RangeError('the port setPoint needs six dampings ≥ 0');
    }
    if (velocityFeedForward || delayTicks > 0) {
      throw new RangeError('the port setPoint knows neither velocityFeedForward nor delayTicks');
    }
    this.#stiffness = stiffness;
    this.#damping = damping;
    this.#sent = new ArmKinematics(model);
    this.#tool = new ArmKinematics(model);
    this.#probe = new ArmKinematics(model);
    this.sentRad = new Float64Array(model.joints.length);
    this.#joints = new Float64Array(model.joints.length);
    this.#measured = new Float64Array(model.joints.length);
  }

  restAt(jointsRad: ArrayLike<number>): void {
    for (let i = 0; i < this.sentRad.length; i++) this.sentRad[i] = jointsRad[i]!;
    this.#sent.forward(this.sentRad);
    this.#tool.forward(this.sentRad);
    this.#measured.set(this.sentRad);
    this.#springJ = 0;
    this.#isMeasured = false;
  }

  begin(positionRad: ArrayLike<number>, isMeasured: boolean, dtS: number): void {
    this.dissipatedJ = 0;
    this.isRelaxed = false;
    if (isMeasured) this.#measure(positionRad, dtS);
    this.#isMeasured = isMeasured;
  }

  injectedJ(candidateRad: ArrayLike<number>): number {
    return this.#storedAt(candidateRad) - this.#springJ;
  }

  bookedJ(candidateRad: ArrayLike<number>): number {
    if (this.#isMeasured) return this.injectedJ(candidateRad);
    // Where the tool is not known, nobody knows what a step costs.
    for (let i = 0; i < this.sentRad.length; i++) {
      if (candidateRad[i] !== this.sentRad[i]) return Number.POSITIVE_INFINITY;
    }
    return 0;
  }

  withBrakeJ(candidateRad: ArrayLike<number>, velocity: ArrayLike<number>, brakeS: number): number {
    const nowJ = this.#storedAt(candidateRad);
    for (let i = 0; i < this.#joints.length; i++) this.#joints[i] = candidateRad[i]! + velocity[i]! * brakeS;
    return Math.max(nowJ, this.#storedAt(this.#joints)) - this.#springJ;
  }

  bookedWithBrakeJ(candidateRad: ArrayLike<number>, velocity: ArrayLike<number>, brakeS: number): number {
    return Math.max(this.bookedJ(candidateRad), this.withBrakeJ(candidateRad, velocity, brakeS));
  }

  writeHold(out: Float64Array): void {
    out.set(this.sentRad);
  }

  send(candidateRad: ArrayLike<number>): number {
    const bookedJ = this.bookedJ(candidateRad);
    for (let i = 0; i < this.sentRad.length; i++) this.sentRad[i] = candidateRad[i]!;
    this.#sent.forward(this.sentRad);
    this.#springJ = this.#storedJ(this.#sent);
    return bookedJ;
  }

  #storedAt(jointsRad: ArrayLike<number>): number {
    this.#probe.forward(jointsRad);
    return this.#storedJ(this.#probe);
  }

  #storedJ(setPoint: ArmKinematics): number {
    this.#writeError(setPoint, this.#tool);
    return poseSpringJ(this.#error, this.#stiffness);
  }

  #writeError(target: ArmKinematics, from: ArmKinematics): void {
    for (let k = 0; k < 3; k++) this.#error[k] = target.tcpPositionM[k]! - from.tcpPositionM[k]!;
    rotationError(this.#error, target.tcpRotation, from.tcpRotation, 3);
  }

  #measure(positionRad: ArrayLike<number>, dtS: number): void {
    this.#probe.forward(positionRad);
    if (this.#isMeasured && dtS > 0) {
      // ∫ẋᵀDẋ dt ≥ Δxᵀ D Δx/dt; of a turn only its angle is sure, with the least of the three dampings.
      this.#writeError(this.#probe, this.#tool);
      const e = this.#error;
      const d = this.#damping;
      for (let k = 0; k < 3; k++) this.dissipatedJ += (d[k]! * e[k]! * e[k]!) / dtS;
      const turn = e[3]! * e[3]! + e[4]! * e[4]! + e[5]! * e[5]!;
      this.dissipatedJ += (Math.min(d[3]!, d[4]!, d[5]!) * turn) / dtS;
    }
    let isStill = this.#isMeasured;
    for (let i = 0; i < this.#measured.length; i++) {
      if (!(Math.abs(positionRad[i]! - this.#measured[i]!) <= STILL_RAD_PER_S * dtS)) isStill = false;
      this.#measured[i] = positionRad[i]!;
    }
    this.#tool.forward(this.#measured);
    this.#springJ = this.#storedJ(this.#sent);
    this.isRelaxed = isStill && this.#springJ <= RELAXED_J;
  }
}
