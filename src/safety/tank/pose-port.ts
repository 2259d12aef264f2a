/**
 * A Cartesian spring between the tool and the pose that is sent, for robots under impedance control. What is sent are joints;
 * their tool pose is the set-point. There is no torque limit in it: the leash must keep the controller out of saturation.
 */
import { ArmKinematics, LinkTopology, type RobotModel, rotationError } from '../../core/index.ts';
import { BOOKED, BOOKED_WITH_BRAKE, COSTS, DISSIPATED, INJECTED, type SpringPort, tankOf, WITH_BRAKE } from './port.ts';
import { noiseOf, STILL_RAD_PER_S, SURE_NOISES, WINDOW_S } from './readings.ts';

/** Six numbers: x, y, z (m), then a rotation vector (rad), base frame. */
type Six = ArrayLike<number>;

/** A spring that holds less pulls at nothing, J. */
const RELAXED_J = 1e-4;
/** Places in `#storedJ` and `#errors`. */
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
  /** Where the tool was read at the begin of the dampers' window. */
  readonly #windowFrom: ArmKinematics;
  /** [1] since then, s. */
  readonly #windowS: Float64Array = new Float64Array(1);
  /** [2] most by which the noise of readings moves the tool, m, and turns it, rad. */
  readonly #noise: Float64Array;
  readonly #jointNoise: Float64Array;
  readonly #joints: Float64Array;
  readonly #measured: Float64Array;
  /** [2][6] from the tool to the set-point that is held, and to the one asked for last. */
  readonly #errors: readonly [Float64Array, Float64Array] = [new Float64Array(6), new Float64Array(6)];
  readonly #way: Float64Array = new Float64Array(6);
  /** [1] what the noise of readings can add to the cost of the step between the two, J. */
  readonly #noiseJ: Float64Array = new Float64Array(1);
  /** [2] what the spring holds; and what it would at the set-point that was asked for last, J. */
  readonly #storedJ: Float64Array = new Float64Array(2);
  #isMeasured = false;

  /** Throws `RangeError` without six stiffnesses > 0 and dampings ≥ 0, or with feed-forward or delay, which it does not know. */
  constructor(model: RobotModel) {
    const { stiffness = [], damping = [], velocityFeedForward, delayTicks } = tankOf(model);
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
    this.#windowFrom = new ArmKinematics(model);
    this.#noise = noiseOfTool(model);
    this.#jointNoise = noiseOf(model);
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
    this.#errors[HELD].fill(0);
    this.#isMeasured = false;
  }

  begin(positionRad: ArrayLike<number>, isMeasured: boolean, passedS: Float64Array): void {
    this.costJ[DISSIPATED] = 0;
    this.isRelaxed = false;
    if (isMeasured) this.#measure(positionRad, passedS);
    this.#isMeasured = isMeasured;
  }

  price(candidateRad: ArrayLike<number>): void {
    this.#probe.forward(candidateRad);
    this.#weigh(this.#probe, ASKED);
    this.#weighNoise();
    this.costJ[INJECTED] = this.#storedJ[ASKED]! - this.#storedJ[HELD]! + this.#noiseJ[0]!;
    this.#book(candidateRad);
  }

  priceWithBrake(candidateRad: ArrayLike<number>, velocity: ArrayLike<number>, brakeS: Float64Array): void {
    this.price(candidateRad);
    const stepNoiseJ = this.#noiseJ[0]!;
    const onS = brakeS[0]!;
    for (let i = 0; i < this.#joints.length; i++) this.#joints[i] = candidateRad[i]! + velocity[i]! * onS;
    this.#probe.forward(this.#joints);
    this.#weigh(this.#probe, ASKED);
    this.#weighNoise();
    const cost = this.costJ;
    // Each reading on the way may be off anew: a tool that stands seems to be up to three times as far off.
    const noiseJ = 3 * (stepNoiseJ + this.#noiseJ[0]!);
    cost[WITH_BRAKE] = Math.max(cost[INJECTED]!, this.#storedJ[ASKED]! - this.#storedJ[HELD]! + noiseJ);
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
  #weigh(setPoint: ArmKinematics, at: typeof HELD | typeof ASKED): void {
    this.#writeError(this.#errors[at], setPoint, this.#tool);
    this.#storedJ[at] = poseSpringJ(this.#errors[at], this.#stiffness);
  }

  /** A step from the one error to the other costs eᵀKΔ: so much more where the tool is beside its reading. */
  #weighNoise(): void {
    const held = this.#errors[HELD];
    const asked = this.#errors[ASKED];
    let sumJ = 0;
    for (let k = 0; k < 6; k++)
      sumJ += this.#noise[k < 3 ? 0 : 1]! * this.#stiffness[k]! * Math.abs(asked[k]! - held[k]!);
    this.#noiseJ[0] = sumJ;
  }

  #writeError(error: Float64Array, target: ArmKinematics, from: ArmKinematics): void {
    for (let k = 0; k < 3; k++) error[k] = target.tcpPositionM[k]! - from.tcpPositionM[k]!;
    rotationError(error, target.tcpRotation, from.tcpRotation, 3);
  }

  #measure(positionRad: ArrayLike<number>, passedS: Float64Array): void {
    const dtS = passedS[0]!;
    this.#probe.forward(positionRad);
    if (this.#isMeasured && dtS > 0) {
      this.#windowS[0] = this.#windowS[0]! + dtS;
      this.#look(positionRad);
    } else this.#beginWindow(positionRad);
    let isStill = this.#isMeasured;
    for (let i = 0; i < this.#measured.length; i++) {
      const movedRad = Math.abs(positionRad[i]! - this.#measured[i]!);
      if (!(movedRad <= STILL_RAD_PER_S * dtS + 2 * this.#jointNoise[i]!)) isStill = false;
      this.#measured[i] = positionRad[i]!;
    }
    this.#tool.forward(this.#measured);
    this.#weigh(this.#sent, HELD);
    this.isRelaxed = isStill && this.#storedJ[HELD]! <= RELAXED_J;
  }

  /** What the tool's dampers took out in the window, where it ends with the tool in `#probe`. */
  #look(positionRad: ArrayLike<number>): void {
    const way = this.#way;
    const noiseM = this.#noise[0]!;
    const noiseRad = this.#noise[1]!;
    this.#writeError(way, this.#probe, this.#windowFrom);
    const pathM = Math.sqrt(way[0]! * way[0]! + way[1]! * way[1]! + way[2]! * way[2]!);
    const turnRad = Math.sqrt(way[3]! * way[3]! + way[4]! * way[4]! + way[5]! * way[5]!);
    const isSure = pathM >= SURE_NOISES * noiseM || turnRad >= SURE_NOISES * noiseRad;
    if (!isSure && this.#windowS[0]! < WINDOW_S) return;
    // ∫ẋᵀDẋ dt ≥ Δxᵀ D Δx/dt; of a turn only its angle is sure, with the least of the three dampings.
    const d = this.#damping;
    const sureRad = Math.max(0, turnRad - 2 * noiseRad);
    let sum = Math.min(d[3]!, d[4]!, d[5]!) * sureRad * sureRad;
    for (let k = 0; k < 3; k++) {
      const sureM = Math.max(0, Math.abs(way[k]!) - 2 * noiseM);
      sum += d[k]! * sureM * sureM;
    }
    this.costJ[DISSIPATED] = sum / this.#windowS[0]!;
    this.#beginWindow(positionRad);
  }

  #beginWindow(positionRad: ArrayLike<number>): void {
    this.#windowFrom.forward(positionRad);
    this.#windowS[0] = 0;
  }
}

/** [2] most by which the noise of all joints moves the tool point, m, and turns the tool, rad. */
function noiseOfTool(model: RobotModel): Float64Array {
  const topology = new LinkTopology(model);
  const reach = topology.reach(topology.toolLink, model.tool.originXyzM);
  const out = new Float64Array(2);
  for (const [i, noise] of noiseOf(model).entries()) {
    out[0] = out[0]! + reach[i]! * noise;
    if (!topology.slides(i) && topology.carriesTool(i)) out[1] = out[1]! + noise;
  }
  return out;
}

/** ½·eᵀKe, J, for the stiffnesses `k` (N/m, N·m/rad). Tick-safe. */
function poseSpringJ(error: Six, k: Six): number {
  let sum = 0;
  for (let i = 0; i < 6; i++) sum += 0.5 * k[i]! * error[i]! * error[i]!;
  return sum;
}
