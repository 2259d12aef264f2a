/**
 * Joint springs: each servo holds a set-point by τ = clip(K·(s − q) − d·q̇, ±τ_max). While s is constant it only
 * dissipates energy; moving s at the position q puts in exactly U(s⁺ − q) − U(s − q) (`docs/safety-case.md`, energy
 * tank).
 */
import { isGravityCompensated, type RobotModel, servoLagS } from '../../model/index.ts';
import { DelayWindow, LONGEST_GAP } from './delay-window.ts';
import { BOOKED, BOOKED_WITH_BRAKE, COSTS, DISSIPATED, INJECTED, RELEASED, tankOf, WITH_BRAKE } from './port.ts';
import { noiseOf, STILL_RAD_PER_S, SURE_NOISES, WINDOW_S } from './readings.ts';
import { DAMPING, HEADROOM, MOVED, SURE, toDissipatedJ, WITHIN } from './spring.ts';

/**
 * Where readings may be late, a window lasts at least this multiple of their delay: all of its time but one delay is
 * certain. Reduced by a millionth for the rounding of summed ticks.
 */
const LATE_SHARE = 5 - 1e-6;
/** A spring counts as relaxed below this share of its torque limit. */
const RELAXED_SHARE = 0.02;
/** The same where springs hold the arm's weight up: a torque does not imply contact there, and counts as weight below this share. */
const WEIGHT_SHARE = 0.5;

/**
 * The springs of position- or impedance-commanded joints, with velocity feed-forward, delay and torque limits. Sent are
 * joint positions (n, rad); they pull on the robot by a set-point derived from them. All methods are tick-safe and
 * total; arrays are read, not kept.
 */
export class JointPort {
  /** [n] joint positions sent last. */
  readonly sentRad: Float64Array;
  /**
   * [`COSTS`] result of the last query, J. Of `begin`: energy certainly dissipated by the dampers since the last tick
   * (`DISSIPATED`), and the overestimate of earlier bookings, ≥ 0 (`RELEASED`).
   */
  readonly costJ: Float64Array = new Float64Array(COSTS);
  /** True if the robot was measured at rest with all springs relaxed. Set by `begin`. */
  isRelaxed = false;
  /** [n] the newest set-point: the sent position plus the feed-forward's lead. */
  readonly #setPoint: Float64Array;
  readonly #lastSent: Float64Array;
  readonly #position: Float64Array;
  readonly #newSetPoint: Float64Array;
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  /** [n] each joint's window: reading at its begin, rad; time since then, s; set-points in force since then, rad. */
  readonly #windowFrom: Float64Array;
  readonly #windowS: Float64Array;
  readonly #windowLow: Float64Array;
  readonly #windowHigh: Float64Array;
  /** [n] φ·d/(K·T): lead of the set-point per step. */
  readonly #lead: Float64Array;
  /** [n] per joint, N·m/rad, N·m and rad: in arrays, as V8 allocates for numbers passed in from code outside this loop. */
  readonly #stiffness: Float64Array;
  readonly #torque: Float64Array;
  /** Share of its torque limit with which the spring of a relaxed joint may pull. */
  readonly #relaxedShare: number;
  readonly #knee: Float64Array;
  /** [n] largest error of a reading, rad, and its effect on the cost of a step, N·m. */
  readonly #noise: Float64Array;
  readonly #noiseNm: Float64Array;
  /** [1] an error, rad, that `#toSpringJ` replaces by the energy in the spring, J. */
  readonly #work: Float64Array = new Float64Array(1);
  /** Argument and result of `toDissipatedJ`. */
  readonly #damper: Float64Array = new Float64Array(5);
  readonly #model: RobotModel;
  readonly #delay: DelayWindow;
  /** [delay] the last periods, s; and the larger of their sum and the delay itself: the largest age of a reading at its tick. */
  readonly #periodsS: Float64Array;
  readonly #backS: Float64Array = new Float64Array(1);
  readonly #delayS: number;
  #nextPeriod = 0;
  readonly #hasDelay: boolean;
  #isMeasured = false;
  /** Time since the last reading; the tick count exceeds any permitted gap if there was none. */
  readonly #sinceS: Float64Array = new Float64Array(1);
  #sinceTicks: number = LONGEST_GAP + 1;

  /**
   * Throws `RangeError` for a model without a tank, a joint without stiffness or torque, negative damping, an unknown
   * encoder noise, or a delay that is no whole number ≥ 0.
   */
  constructor(model: RobotModel) {
    const { velocityFeedForward, delayTicks } = tankOf(model);
    if (!(Number.isInteger(delayTicks) && delayTicks >= 0)) {
      throw new RangeError(`delayTicks of a tank must be a whole number ≥ 0, got ${delayTicks}`);
    }
    for (const { name, stiffnessNmPerRad: k, dampingNmSPerRad: d, torqueMaxNm } of model.joints) {
      if (!(k > 0 && d >= 0 && torqueMaxNm > 0)) {
        throw new RangeError(`a tank needs stiffness > 0, damping ≥ 0 and torque > 0 of ${name}`);
      }
    }
    const n = model.joints.length;
    this.#model = model;
    this.#hasDelay = delayTicks > 0;
    this.#delay = new DelayWindow(model, delayTicks);
    this.#periodsS = new Float64Array(delayTicks);
    this.#delayS = delayTicks / model.controlHz;
    this.sentRad = new Float64Array(n);
    this.#setPoint = new Float64Array(n);
    this.#lastSent = new Float64Array(n);
    this.#position = new Float64Array(n);
    this.#newSetPoint = new Float64Array(n);
    this.#stiffness = Float64Array.from(model.joints, (joint) => joint.stiffnessNmPerRad);
    this.#torque = Float64Array.from(model.joints, (joint) => joint.torqueMaxNm);
    this.#relaxedShare = isGravityCompensated(model) ? RELAXED_SHARE : WEIGHT_SHARE;
    this.#knee = this.#torque.map((torqueNm, i) => torqueNm / this.#stiffness[i]!);
    this.#noise = noiseOf(model);
    this.#noiseNm = this.#noise.map((noiseRad, i) => noiseRad * this.#stiffness[i]!);
    this.#low = new Float64Array(n);
    this.#high = new Float64Array(n);
    this.#windowFrom = new Float64Array(n);
    this.#windowS = new Float64Array(n);
    this.#windowLow = new Float64Array(n);
    this.#windowHigh = new Float64Array(n);
    this.#lead = Float64Array.from(model.joints, (joint) =>
      velocityFeedForward ? servoLagS(joint) * model.controlHz : 0,
    );
  }

  /** Sets the set-points to `jointsRad` (finite): the robot stands still there, or has no torque. */
  restAt(jointsRad: ArrayLike<number>): void {
    for (let i = 0; i < this.sentRad.length; i++) {
      this.sentRad[i] = this.#lastSent[i] = this.#setPoint[i] = this.#position[i] = jointsRad[i]!;
    }
    this.#isMeasured = false;
    this.#sinceTicks = LONGEST_GAP + 1;
    this.#delay.clear();
  }

  /** Begins a tick: the robot is at `positionRad`, `passedS[0]` after the last tick; its position is unknown if `isMeasured` is false. */
  begin(positionRad: ArrayLike<number>, isMeasured: boolean, passedS: Float64Array): void {
    const dtS = passedS[0]!;
    this.costJ[DISSIPATED] = 0;
    this.isRelaxed = false;
    this.#sinceS[0] = this.#sinceS[0]! + dtS;
    this.#remember(passedS);
    const isKnown = this.#sinceTicks <= LONGEST_GAP && !this.#delay.isBlind && dtS > 0;
    if (isKnown) {
      this.#widenWindows(passedS);
      if (isMeasured) this.#look(positionRad);
    } else if (isMeasured) {
      for (let i = 0; i < this.#position.length; i++) this.#beginWindow(i, positionRad);
    }
    this.#isMeasured = isMeasured;
    if (!isMeasured) this.#sinceTicks = isKnown ? this.#sinceTicks + 1 : LONGEST_GAP + 1;
    else {
      for (let i = 0; i < this.#position.length; i++) this.#position[i] = positionRad[i]!;
      this.#sinceTicks = 0;
      this.#sinceS[0] = 0;
    }
    this.#delay.advance(this.#position, isMeasured, passedS);
    this.costJ[RELEASED] = this.#delay.releasedJ[0]!;
  }

  /**
   * Fills `INJECTED`, the energy that sending `candidateRad` puts into the springs with the robot where it was last
   * measured, and `BOOKED`, the amount to book for it: the most that it can turn out to inject. Both are convex in it.
   */
  price(candidateRad: ArrayLike<number>): void {
    let injectedJ = 0;
    let worstJ = 0;
    for (let i = 0; i < this.#setPoint.length; i++) {
      const q = this.#position[i]!;
      const to = candidateRad[i]!;
      const next = to + this.#lead[i]! * (to - this.sentRad[i]!);
      this.#work[0] = next - q;
      this.#toSpringJ(i);
      injectedJ += this.#work[0]!;
      this.#work[0] = this.#setPoint[i]! - q;
      this.#toSpringJ(i);
      injectedJ -= this.#work[0]!;
      // U″ ≤ K: bounds the additional energy if the joint is off its reading.
      injectedJ += this.#noiseNm[i]! * Math.abs(next - this.#setPoint[i]!);
      // |U′| ≤ τ_max: holds wherever the joint is when the step comes into force.
      worstJ += this.#torque[i]! * Math.abs(next - this.#setPoint[i]!);
    }
    this.costJ[INJECTED] = injectedJ;
    this.costJ[BOOKED] = this.#isExact ? injectedJ : worstJ;
  }

  /**
   * Fills `WITH_BRAKE`, the energy injected by a candidate that moves with `velocity` (n, rad/s) and by the brake after
   * it, which continues along it for at most `brakeS[0]` seconds (1/(2κ), as in `writeBrakePath`); and
   * `BOOKED_WITH_BRAKE`, the amount to book for both. Convex in candidate and velocity.
   */
  priceWithBrake(candidateRad: ArrayLike<number>, velocity: ArrayLike<number>, brakeS: Float64Array): void {
    const onS = brakeS[0]!;
    let nominalJ = 0;
    let worstJ = 0;
    for (let i = 0; i < this.#setPoint.length; i++) {
      const q = this.#position[i]!;
      const to = candidateRad[i]!;
      const next = to + this.#lead[i]! * (to - this.sentRad[i]!);
      const speed = Math.abs(velocity[i]!);
      // The brake ends at rest, at most speed·onS farther. On the way the set-point, whose lead speed·leadS shrinks,
      // gets at most speed·(2·onS − leadS)²/(4·onS) ahead of where this tick leaves it.
      const rest = Math.abs(to - q) + speed * onS;
      const leadS = this.#lead[i]! / this.#model.controlHz;
      const runS = 2 * onS - leadS;
      const ahead = runS > 0 ? (speed * runS * runS) / (4 * onS) : 0;
      this.#work[0] = Math.max(rest, Math.abs(next - q) + ahead);
      this.#toSpringJ(i);
      nominalJ += this.#work[0]!;
      this.#work[0] = this.#setPoint[i]! - q;
      this.#toSpringJ(i);
      nominalJ -= this.#work[0]!;
      const travel = Math.abs(next - this.#setPoint[i]!) + speed * Math.max(onS, leadS);
      // Each reading on the way has a new error: a standing joint may seem up to three times as far off.
      nominalJ += 3 * this.#noiseNm[i]! * travel;
      worstJ += this.#torque[i]! * travel;
    }
    this.costJ[WITH_BRAKE] = nominalJ;
    this.costJ[BOOKED_WITH_BRAKE] = this.#isExact ? nominalJ : Math.max(nominalJ, worstJ);
  }

  /** Writes a position that costs nothing to send into `out` (n): it leaves every set-point where it is, or lets it move back. */
  writeHold(out: Float64Array): void {
    for (let i = 0; i < out.length; i++) {
      const sent = this.sentRad[i]!;
      const lead = this.#lead[i]!;
      out[i] = sent;
      if (lead === 0) continue;
      const q = this.#position[i]!;
      this.#work[0] = sent - q;
      this.#toSpringJ(i);
      const thereJ = this.#work[0]!;
      this.#work[0] = this.#setPoint[i]! - q;
      this.#toSpringJ(i);
      const backJ = thereJ - this.#work[0]! + this.#noiseNm[i]! * Math.abs(sent - this.#setPoint[i]!);
      // Standing still removes the lead and pulls the set-point back. If that would cost energy, the sent position
      // continues into its own lead, and the set-point stays.
      if (!this.#isExact || backJ > 0) out[i] = sent + (lead / (1 + lead)) * (sent - this.#lastSent[i]!);
    }
  }

  /** Sends `candidateRad`. Fills `BOOKED` with its cost. */
  send(candidateRad: ArrayLike<number>): void {
    this.price(candidateRad);
    let isMoved = false;
    for (let i = 0; i < this.#setPoint.length; i++) {
      const to = candidateRad[i]!;
      this.#newSetPoint[i] = to + this.#lead[i]! * (to - this.sentRad[i]!);
      if (this.#newSetPoint[i] !== this.#setPoint[i]) isMoved = true;
      this.#lastSent[i] = this.sentRad[i]!;
      this.sentRad[i] = candidateRad[i]!;
    }
    // An exact cost is settled at once.
    if (isMoved && !this.#isExact) this.#delay.push(this.#setPoint, this.#newSetPoint, this.#position, this.costJ);
    this.#setPoint.set(this.#newSetPoint);
  }

  /** True if the joints are at their measured positions when the set-point moves. */
  get #isExact(): boolean {
    return this.#isMeasured && !this.#hasDelay;
  }

  /** Replaces the error in `#work` by `springJ` of joint `i`. */
  #toSpringJ(i: number): void {
    const error = Math.abs(this.#work[0]!);
    const knee = this.#knee[i]!;
    this.#work[0] = error <= knee ? 0.5 * this.#stiffness[i]! * error * error : this.#torque[i]! * (error - 0.5 * knee);
  }

  /** Credits the dampers up to `positionRad` for the windows that end with it, and updates `isRelaxed`. */
  #look(positionRad: ArrayLike<number>): void {
    const stillRad = STILL_RAD_PER_S * this.#sinceS[0]!;
    let isRelaxed = this.#delay.isEmpty;
    for (let i = 0; i < this.#position.length; i++) {
      const now = positionRad[i]!;
      const before = this.#position[i]!;
      const noise = this.#noise[i]!;
      const farthest = Math.max(this.#high[i]! - Math.min(before, now), Math.max(before, now) - this.#low[i]!);
      const isStill = Math.abs(now - before) <= stillRad + 2 * noise;
      if (!isStill || this.#stiffness[i]! * (farthest + noise) > this.#relaxedShare * this.#torque[i]!)
        isRelaxed = false;
      const pathRad = Math.abs(now - this.#windowFrom[i]!);
      const isSure = pathRad >= SURE_NOISES * noise && this.#windowS[i]! >= LATE_SHARE * this.#backS[0]!;
      if (!isSure && this.#windowS[i]! < WINDOW_S + this.#backS[0]!) continue;
      this.#creditWindow(i, positionRad);
      this.#beginWindow(i, positionRad);
    }
    this.isRelaxed = isRelaxed;
  }

  /** Adds the energy dissipated by the damper of joint `i` in its window, which ends at `positionRad`. */
  #creditWindow(i: number, positionRad: ArrayLike<number>): void {
    const { dampingNmSPerRad } = this.#model.joints[i]!;
    const noise = this.#noise[i]!;
    const from = this.#windowFrom[i]!;
    const now = positionRad[i]!;
    const sureRad = Math.abs(now - from) - 2 * noise;
    if (!(sureRad > 0)) return;
    const nearest = Math.min(from, now) - noise;
    const farthest = Math.max(from, now) + noise;
    const errorRad = Math.max(this.#windowHigh[i]! - nearest, farthest - this.#windowLow[i]!);
    const damper = this.#damper;
    damper[DAMPING] = dampingNmSPerRad;
    damper[HEADROOM] = this.#torque[i]! - this.#stiffness[i]! * errorRad;
    damper[MOVED] = sureRad;
    damper[WITHIN] = this.#windowS[i]!;
    toDissipatedJ(damper);
    this.costJ[DISSIPATED] = this.costJ[DISSIPATED]! + damper[SURE]!;
  }

  /** Records a period: a window between readings that may be late can have lasted longer than between their ticks. */
  #remember(passedS: Float64Array): void {
    const dtS = passedS[0]!;
    if (this.#periodsS.length === 0) return;
    this.#periodsS[this.#nextPeriod] = dtS > 0 ? dtS : 0;
    this.#nextPeriod = (this.#nextPeriod + 1) % this.#periodsS.length;
    let sumS = 0;
    for (let k = 0; k < this.#periodsS.length; k++) sumS += this.#periodsS[k]!;
    this.#backS[0] = Math.max(sumS, this.#delayS);
  }

  #beginWindow(i: number, positionRad: ArrayLike<number>): void {
    this.#windowFrom[i] = positionRad[i]!;
    this.#windowS[i] = this.#backS[0]!;
    this.#windowLow[i] = Number.POSITIVE_INFINITY;
    this.#windowHigh[i] = Number.NEGATIVE_INFINITY;
  }

  /**
   * Sets `#low` and `#high` to the set-points that may have been in force since the last tick, `passedS[0]` ago, and
   * widens the windows by them.
   */
  #widenWindows(passedS: Float64Array): void {
    this.#low.set(this.#setPoint);
    this.#high.set(this.#setPoint);
    this.#delay.widen(this.#low, this.#high);
    for (let i = 0; i < this.#low.length; i++) {
      this.#windowS[i] = this.#windowS[i]! + passedS[0]!;
      this.#windowLow[i] = Math.min(this.#windowLow[i]!, this.#low[i]!);
      this.#windowHigh[i] = Math.max(this.#windowHigh[i]!, this.#high[i]!);
    }
  }
}
