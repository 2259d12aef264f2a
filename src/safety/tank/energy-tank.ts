/**
 * The chain's energy stage: energy that commands put into the robot's springs is taken from a tank, which is refilled
 * by what the dampers certainly dissipate. So the robot with its surroundings is passive, whatever commands come
 * (`docs/safety-case.md`, energy tank). It must never let the tank fall below its floor, nor move the reference beyond
 * its limits.
 */
import { limitMarginOf, type RobotModel } from '../../model/index.ts';
import type { RobotState } from '../../rows/index.ts';
import { TANK_HELD, TANK_SLOWED } from '../bits.ts';
import { type ChainReport, STAGE } from '../chain-report.ts';
import { brakeStep, writeBrakeRate } from '../limits/brake.ts';
import { BrakeBound } from '../limits/brake-bound.ts';
import { PASSED, PERIOD, type TickTimes } from '../tick-times.ts';
import { JointPort } from './joint-port.ts';
import { CONTENT, EnergyLedger, SPARE, TAKEN } from './ledger.ts';
import { BOOKED, BOOKED_WITH_BRAKE, DISSIPATED, INJECTED, RELEASED, tankOf, WITH_BRAKE } from './port.ts';
import { isPlausible, isStill } from './readings.ts';
import { writeRejoin } from './rejoin.ts';

/** Bisection steps of a share: resolution of a billionth. */
const ROUNDS = 30;
/**
 * Shares of the tank's capacity. Below the first it counts as empty, and only motion that injects nothing is permitted;
 * from the second on it has recovered.
 */
export const EMPTY_SHARE = 0.02;
export const WELL_SHARE = 0.1;
/** A set-point this close to the reference counts as equal to it. */
const SAME_RAD = 1e-12;
/** Deficit permitted for closing that gap: the most by which this can bring the tank below its floor. */
const ROUNDING_J = 1e-9;

/** Indices into `#tickJ`: energy put in, credited, and topped up (part of credited) in this tick; and the budget. */
const PUT_IN = 0;
const CREDITED = 1;
const TOPPED_UP = 2;
const BUDGET = 3;

/** Energy tank of one robot. Tick-safe after construction; a tick is `begin`, optionally `limit`, `send`. */
export class EnergyTank {
  readonly #books: EnergyLedger;
  readonly #port: JointPort;
  readonly #model: RobotModel;
  readonly #powerMaxW: number;
  readonly #roomJ: number;
  readonly #bound: BrakeBound;
  readonly #brake: Float64Array;
  readonly #velocity: Float64Array;
  readonly #candidate: Float64Array;
  readonly #hold: Float64Array;
  readonly #target: Float64Array;
  /** Changing numbers are kept in arrays: see `TickTimes`. */
  readonly #tickJ: Float64Array = new Float64Array(4);
  /** [1] share under test; share paid for in this tick. */
  readonly #share: Float64Array = new Float64Array(1);
  readonly #scale: Float64Array = Float64Array.of(1);
  /** [1] longest run-on of the brake over all shares, s; and the lowest brake rate, 1/s. */
  readonly #brakeS: Float64Array = new Float64Array(1);
  readonly #brakeRate: Float64Array = new Float64Array(1);
  /** [n] joint limits less the margin, rad. */
  readonly #least: Float64Array;
  readonly #greatest: Float64Array;
  /** [1] time since the last tick, s: see `begin`. */
  readonly #passedS: Float64Array = new Float64Array(1);
  #measuredAtS = Number.NEGATIVE_INFINITY;
  /** True if only motion that injects nothing may be begun. */
  isEmpty = false;
  /** True if the sent set-point is behind the reference. */
  isHeld = false;

  /** Throws `RangeError` for a model without a tank, or one with inconsistent numbers. `shortestS`: the shortest tick. */
  constructor(model: RobotModel, shortestS: number) {
    const tank = tankOf(model);
    this.#books = new EnergyLedger(tank);
    this.#port = new JointPort(model);
    this.#model = model;
    this.#powerMaxW = tank.powerMaxW;
    this.#roomJ = tank.maxJ - tank.minJ;
    this.#bound = new BrakeBound(shortestS);
    const n = model.joints.length;
    this.#brake = new Float64Array(n);
    this.#velocity = new Float64Array(n);
    this.#candidate = new Float64Array(n);
    this.#hold = new Float64Array(n);
    this.#target = new Float64Array(n);
    this.#least = Float64Array.from(model.joints, (joint) => joint.positionMinRad + limitMarginOf(joint, model));
    this.#greatest = Float64Array.from(model.joints, (joint) => joint.positionMaxRad - limitMarginOf(joint, model));
  }

  /** Content, J. */
  get energyJ(): number {
    return this.#books.accountJ[CONTENT]!;
  }

  /** Share of the wanted motion paid for in this tick. */
  get scale(): number {
    return this.#scale[0]!;
  }

  /** Energy put in in this tick, J (net of releases from earlier bookings). */
  get injectedJ(): number {
    return this.#tickJ[PUT_IN]!;
  }

  /** Energy credited in this tick for the dampers and by topping up, J. */
  get creditedJ(): number {
    return this.#tickJ[CREDITED]!;
  }

  /** Energy topped up in this tick, J. */
  get toppedUpJ(): number {
    return this.#tickJ[TOPPED_UP]!;
  }

  /** Content above the floor, as a share of the capacity. */
  get margin(): number {
    return this.#books.accountJ[SPARE]! / this.#roomJ;
  }

  /** Fills the tank's part of `out`. */
  fill(out: ChainReport): void {
    const account = this.#books.accountJ;
    const tick = this.#tickJ;
    out.tankEnergyJ = account[CONTENT]!;
    out.tankScale = this.#scale[0]!;
    out.tankInjectedJ = tick[PUT_IN]!;
    out.tankCreditedJ = tick[CREDITED]!;
    out.tankToppedUpJ = tick[TOPPED_UP]!;
    out.stages[STAGE.tank]!.margin = account[SPARE]! / this.#roomJ;
  }

  /** Sets the set-points to the robot's position `jointsRad` (n, finite): it has no torque, or was placed there. The content stays. */
  restAt(jointsRad: ArrayLike<number>): void {
    this.#port.restAt(jointsRad);
    this.isHeld = false;
  }

  /** Called when the reference was set to `referenceRad`; the sent set-point stays until it can follow. */
  referencePut(referenceRad: Float64Array): void {
    this.isHeld = !this.#isSame(referenceRad);
  }

  /** Refills to the initial content. Only with the robot at rest, and on an explicit request. */
  refill(): void {
    this.#books.reset();
    this.isEmpty = false;
  }

  /** Begins a tick: credits energy dissipated and released since the last. */
  begin(robot: RobotState, times: TickTimes): void {
    this.#scale[0] = 1;
    this.#tickJ[TOPPED_UP] = 0;
    const { positionRad, measuredAtS } = robot;
    // A repeated reading does not count: the robot has moved since.
    const isMeasured = measuredAtS !== this.#measuredAtS && isPlausible(positionRad, this.#candidate.length);
    this.#measuredAtS = measuredAtS;
    // A period taken too short would credit too much.
    this.#passedS[0] = times[PASSED]! > times[PERIOD]! ? times[PASSED]! : times[PERIOD]!;
    this.#port.begin(positionRad, isMeasured, this.#passedS);
    const cost = this.#port.costJ;
    this.#tickJ[PUT_IN] = -cost[RELEASED]!;
    this.#books.debit(this.#tickJ, PUT_IN);
    this.#books.credit(cost, DISSIPATED);
    this.#tickJ[CREDITED] = this.#books.accountJ[TAKEN]!;
    this.#judge();
  }

  /**
   * Slows `velocity` (n, rad/s) towards the brake step for a tick of `times` from the reference `referenceRad` with the
   * last velocity `previous`: to the largest share that can be paid for together with the brake after it. Both ends
   * satisfy the velocity and acceleration limits, which are convex, so the result does. Returns reason bits.
   *
   * The shield's result lies between this one and the brake step: the cost is convex in the velocity, so if both can be
   * paid all between can. If the brake cannot, this returns the brake itself, and there is nothing between.
   */
  limit(velocity: Float64Array, referenceRad: Float64Array, previous: Float64Array, times: TickTimes): number {
    // The sent set-point does not follow now, and costs nothing.
    if (this.isHeld) return 0;
    brakeStep(this.#brake, this.#model, previous, times);
    this.#boundBrake(velocity);
    this.#share[0] = 1;
    if (this.#isPaid(velocity, referenceRad, times)) return 0;
    this.#share[0] = 0;
    if (this.#isPaid(velocity, referenceRad, times)) {
      for (let k = 0, step = 0.5; k < ROUNDS; k++, step /= 2) {
        this.#share[0] = this.#share[0]! + step;
        if (!this.#isPaid(velocity, referenceRad, times)) this.#share[0] = this.#share[0]! - step;
      }
    }
    this.#mix(velocity);
    let isChanged = false;
    for (let i = 0; i < velocity.length; i++) if (this.#velocity[i] !== velocity[i]) isChanged = true;
    velocity.set(this.#velocity);
    this.#scale[0] = isChanged ? this.#share[0]! : 1;
    return isChanged ? TANK_SLOWED : 0;
  }

  /** Writes the motion of the reference at `referenceRad` back to the held set-point into `velocity` (n, rad/s). */
  rejoin(velocity: Float64Array, referenceRad: Float64Array, times: TickTimes): void {
    writeRejoin(velocity, this.#model, referenceRad, this.#port.sentRad, times, this.#bound);
  }

  /**
   * Moves the sent set-point towards the reference `referenceRad` (n), which moves with `speeds` (n, rad/s), as far as
   * can be paid, books the cost, and writes it into `sentRad` (n). `isWanted` false: no command is followed, and
   * nothing is spent to catch up. Returns reason bits.
   */
  send(
    sentRad: Float64Array,
    referenceRad: Float64Array,
    speeds: Float64Array,
    times: TickTimes,
    isWanted: boolean,
  ): number {
    this.#chooseTarget(referenceRad, times, isWanted);
    const tick = this.#tickJ;
    // The last rounding of a rejoin is not worth waiting for.
    if (this.#isSame(referenceRad)) tick[BUDGET] = Math.max(tick[BUDGET]!, this.#books.accountJ[SPARE]! + ROUNDING_J);
    this.#candidate.set(this.#target);
    if (!this.#isInBudget()) this.#holdBack(referenceRad);
    this.#port.send(this.#candidate);
    this.#books.debit(this.#port.costJ, BOOKED);
    tick[PUT_IN] = tick[PUT_IN]! + this.#port.costJ[BOOKED]!;
    sentRad.set(this.#candidate);
    this.#settle(referenceRad);
    if (!isWanted && this.#port.isRelaxed && !this.isHeld && isStill(speeds)) this.#topUp(times);
    this.#judge();
    return this.isHeld ? TANK_HELD : 0;
  }

  /** Fills `#target` with the wanted set-point, and `BUDGET` with its permitted cost. */
  #chooseTarget(referenceRad: Float64Array, times: TickTimes, isWanted: boolean): void {
    const tickS = times[PERIOD]!;
    const spareJ = this.#books.accountJ[SPARE]!;
    this.#target.set(referenceRad);
    this.#tickJ[BUDGET] = spareJ;
    if (!this.isHeld) return;
    // It catches up along a straight line, and by no more than a joint's acceleration allows in one tick.
    let ratio = 1;
    for (let i = 0; i < this.#target.length; i++) {
      const most = this.#model.joints[i]!.accelMaxRadPerS2 * tickS * tickS;
      const way = Math.abs(referenceRad[i]! - this.#port.sentRad[i]!);
      if (way > most) ratio = Math.min(ratio, most / way);
    }
    for (let i = 0; ratio < 1 && i < this.#target.length; i++) {
      const from = this.#port.sentRad[i]!;
      this.#target[i] = from + ratio * (referenceRad[i]! - from);
    }
    this.#tickJ[BUDGET] = Math.min(spareJ, isWanted && !this.isEmpty ? this.#powerMaxW * tickS : 0);
  }

  /** Fills `#candidate` with the payable part of the way from holding to `#target`. */
  #holdBack(referenceRad: Float64Array): void {
    this.#port.writeHold(this.#hold);
    this.#keepHoldInside(referenceRad);
    this.#share[0] = 0;
    for (let k = 0, step = 0.5; k < ROUNDS; k++, step /= 2) {
      this.#share[0] = this.#share[0]! + step;
      this.#moveToShare();
      if (!this.#isInBudget()) this.#share[0] = this.#share[0]! - step;
    }
    this.#moveToShare();
  }

  /**
   * Clamps a hold that runs on into its lead to the joint limits less the margin, unless the reference, or the sent
   * set-point, is farther out. The cost of moving the set-point back there is booked, even below the floor.
   */
  #keepHoldInside(referenceRad: Float64Array): void {
    const { sentRad } = this.#port;
    for (let i = 0; i < this.#hold.length; i++) {
      const least = Math.min(this.#least[i]!, referenceRad[i]!, sentRad[i]!);
      const greatest = Math.max(this.#greatest[i]!, referenceRad[i]!, sentRad[i]!);
      this.#hold[i] = Math.min(Math.max(this.#hold[i]!, least), greatest);
    }
  }

  #isInBudget(): boolean {
    this.#port.price(this.#candidate);
    return this.#port.costJ[BOOKED]! <= this.#tickJ[BUDGET]!;
  }

  /** Bounds the brake's length for all shares, which keeps the cost convex: the rate is least at one of the ends. */
  #boundBrake(wanted: Float64Array): void {
    writeBrakeRate(this.#brakeRate, this.#model, wanted);
    const rate = this.#brakeRate[0]!;
    writeBrakeRate(this.#brakeRate, this.#model, this.#brake);
    this.#brakeS[0] = 0.5 / Math.min(rate, this.#brakeRate[0]!);
  }

  /** True if the share in `#share` can be paid for. */
  #isPaid(wanted: Float64Array, referenceRad: Float64Array, times: TickTimes): boolean {
    const tickS = times[PERIOD]!;
    this.#mix(wanted);
    for (let i = 0; i < wanted.length; i++) this.#candidate[i] = referenceRad[i]! + this.#velocity[i]! * tickS;
    const port = this.#port;
    port.priceWithBrake(this.#candidate, this.#velocity, this.#brakeS);
    if (!this.#books.canPay(port.costJ, BOOKED_WITH_BRAKE)) return false;
    if (this.isEmpty && !(port.costJ[WITH_BRAKE]! <= 0)) return false;
    port.price(this.#candidate);
    return port.costJ[INJECTED]! <= this.#powerMaxW * tickS;
  }

  /** Fills `#velocity` with the share in `#share` of the way from the brake step to `wanted`. */
  #mix(wanted: Float64Array): void {
    const share = this.#share[0]!;
    for (let i = 0; i < wanted.length; i++) {
      this.#velocity[i] = share === 1 ? wanted[i]! : this.#brake[i]! + share * (wanted[i]! - this.#brake[i]!);
    }
  }

  #moveToShare(): void {
    const share = this.#share[0]!;
    for (let i = 0; i < this.#candidate.length; i++) {
      this.#candidate[i] = this.#hold[i]! + share * (this.#target[i]! - this.#hold[i]!);
    }
  }

  #isSame(referenceRad: Float64Array): boolean {
    const { sentRad } = this.#port;
    for (let i = 0; i < sentRad.length; i++) {
      if (!(Math.abs(referenceRad[i]! - sentRad[i]!) <= SAME_RAD)) return false;
    }
    return true;
  }

  /** Updates `isHeld` and `#scale` after sending. */
  #settle(referenceRad: Float64Array): void {
    const wasHeld = this.isHeld;
    this.isHeld = !this.#isSame(referenceRad);
    if (!this.isHeld) return;
    // Newly held: it could not all be paid, so that `#share` is that of `#holdBack`.
    this.#scale[0] = wasHeld ? 0 : this.#share[0]!;
  }

  #topUp(times: TickTimes): void {
    this.#books.topUp(times);
    this.#tickJ[TOPPED_UP] = this.#books.accountJ[TAKEN]!;
    this.#tickJ[CREDITED] = this.#tickJ[CREDITED]! + this.#tickJ[TOPPED_UP]!;
  }

  /** Between the two shares the state is kept, so that a nearly empty tank does not make the robot stutter. */
  #judge(): void {
    const margin = this.#books.accountJ[SPARE]! / this.#roomJ;
    if (margin <= EMPTY_SHARE) this.isEmpty = true;
    else if (margin >= WELL_SHARE) this.isEmpty = false;
  }
}
