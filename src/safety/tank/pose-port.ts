/**
 * A Cartesian spring between the tool and the pose that is sent, for robots under impedance control. What is sent are joints;
 * their tool pose is the set-point. There is no torque limit in it: the leash must keep the controller out of saturation.
 */
import { ArmKinematics, type RobotModel, rotationError } from '../../core/index.ts';
import { BOOKED, BOOKED_WITH_BRAKE, COSTS, DISSIPATED, INJECTED, type SpringPort, WITH_BRAKE } from './port.ts';
import { STILL_RAD_PER_S } from './readings.ts';
import { poseSpringJ, type Six } from './set-point-port.ts';

/** A spring that holds less pulls at nothing, J. */
const RELAXED_J = 1e-4;
/** Places in `#storedJ`. */
const HELD = 0;
const ASKED = 1;

/** The spring of one tool. Costs are computed by forward kinematics, and are convex only as far as the tool goes straight. */
export class PosePort implements SpringPort {
  readonly sentRad: Float64Array;
  readonly costJ: Float64Array = new Float64Array(COSTS);
  isRelaxed = false;
  readonly #stiffness: Six;
  readonly #damping: Six;
  readonly #sent: ArmKinematics;
  readonly #tool: ArmKinematics;
  readonly #probe: ArmKinematics;
  readonly #joints: Float64Array;
  readonly #measured: Float64Array;
  readonly #error: Float64Array = new Float64Array(6);
  /** [2] what the spring holds; and what it would at the set-point that was asked for last, J. */
  readonly #storedJ: Float64Array = new Float64Array(2);
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
    this.#storedJ.fill(0);
    this.#isMeasured = false;
  }

  begin(positionRad: ArrayLike<number>, isMeasured: boolean, dtS: number): void {
    this.costJ[DISSIPATED] = 0;
    this.isRelaxed = false;
    if (isMeasured) this.#measure(positionRad, dtS);
    this.#isMeasured = isMeasured;
  }

  price(candidateRad: ArrayLike<number>): void {
    this.#probe.forward(candidateRad);
    this.#weigh(this.#probe, ASKED);
    this.costJ[INJECTED] = this.#storedJ[ASKED]! - this.#storedJ[HELD]!;
    this.#book(candidateRad);
  }

  priceWithBrake(candidateRad: ArrayLike<number>, velocity: ArrayLike<number>, brakeS: Float64Array): void {
    this.price(candidateRad);
    const onS = brakeS[0]!;
    for (let i = 0; i < this.#joints.length; i++) this.#joints[i] = candidateRad[i]! + velocity[i]! * onS;
    this.#probe.forward(this.#joints);
    this.#weigh(this.#probe, ASKED);
    const cost = this.costJ;
    cost[WITH_BRAKE] = Math.max(cost[INJECTED]!, this.#storedJ[ASKED]! - this.#storedJ[HELD]!);
    cost[BOOKED_WITH_BRAKE] = Math.max(cost[BOOKED]!, cost[WITH_BRAKE]!);
  }

  writeHold(out: Float64Array): void {
    out.set(this.sentRad);
  }

  send(candidateRad: ArrayLike<number>): void {
    this.price(candidateRad);
    for (let i = 0; i < this.sentRad.length; i++) this.sentRad[i] = candidateRad[i]!;
    this.#sent.forward(this.sentRad);
    this.#weigh(this.#sent, HELD);
  }

  /** What must be booked for a candidate whose price is known. */
  #book(candidateRad: ArrayLike<number>): void {
    this.costJ[BOOKED] = this.costJ[INJECTED]!;
    if (this.#isMeasured) return;
    // Where the tool is not known, nobody knows what a step costs.
    this.costJ[BOOKED] = 0;
    for (let i = 0; i < this.sentRad.length; i++) {
      if (candidateRad[i] !== this.sentRad[i]) this.costJ[BOOKED] = Number.POSITIVE_INFINITY;
    }
  }

  /** Writes into `#storedJ[at]` what the spring holds with its set-point there. */
  #weigh(setPoint: ArmKinematics, at: number): void {
    this.#writeError(setPoint, this.#tool);
    this.#storedJ[at] = poseSpringJ(this.#error, this.#stiffness);
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
      let dampedJ = 0;
      for (let k = 0; k < 3; k++) dampedJ += (d[k]! * e[k]! * e[k]!) / dtS;
      const turn = e[3]! * e[3]! + e[4]! * e[4]! + e[5]! * e[5]!;
      this.costJ[DISSIPATED] = dampedJ + (Math.min(d[3]!, d[4]!, d[5]!) * turn) / dtS;
    }
    let isStill = this.#isMeasured;
    for (let i = 0; i < this.#measured.length; i++) {
      if (!(Math.abs(positionRad[i]! - this.#measured[i]!) <= STILL_RAD_PER_S * dtS)) isStill = false;
      this.#measured[i] = positionRad[i]!;
    }
    this.#tool.forward(this.#measured);
    this.#weigh(this.#sent, HELD);
    this.isRelaxed = isStill && this.#storedJ[HELD]! <= RELAXED_J;
  }
}
