/** What the motors get: `protect` and `write` of a tick. The chain makes a reference of each action; here it starts and is sent. */
import type { ActionCommand, ActionSpec, RobotModel, RobotState, SafetyStateName } from '../core/index.ts';
import type { Driver, DriverFacts } from '../drivers/index.ts';
import { type ChainReport, createChainReport } from '../safety/chain-report.ts';
import {
  BROKEN_COMMANDS,
  createTickTimes,
  DRIVER_LOST,
  hasTorque,
  isMeasuredAtRest,
  isStill,
  NOW,
  PASSED,
  SafetyChain,
  type SeedResult,
  START_FAR,
  START_OUTSIDE,
  START_REFUSED,
  type TickTimes,
} from '../safety/index.ts';
import { type Measurement, MISSED_TICKS } from './measurement.ts';

/** A robot that was put somewhere may be measured so far from there, rad or m: encoders, and a period of settling. */
const PLACED_RAD = 0.005;

/** Holds the chain, knows where its reference started, and sends the driver what comes out. Tick-safe after construction. */
export class Protection {
  readonly chain: SafetyChain;
  /** What the chain did in the last tick. */
  readonly report: ChainReport = createChainReport();
  readonly #driver: Driver;
  readonly #measurement: Measurement;
  readonly #robot: RobotState;
  readonly #times: TickTimes = createTickTimes();
  #start: SeedResult = 'notFinite';
  /** The scene was put back: the next reading shows whether the robot is where it was to be put. */
  #isPlaced = false;
  #missedWrites = 0;
  /** What was sent last, and whether that was what had been sent before: the energy tank may let it close up behind a reference that stands. */
  readonly #lastRad: Float64Array;
  #isSentAtRest = true;
  #hasEnded = false;

  constructor(
    driver: Driver,
    facts: DriverFacts,
    model: RobotModel,
    action: ActionSpec,
    policyPeriodS: number,
    measurement: Measurement,
  ) {
    this.chain = new SafetyChain({ model, action, policyPeriodS, capNm: facts.torqueCapNm });
    this.#lastRad = new Float64Array(model.joints.length);
    this.#driver = driver;
    this.#measurement = measurement;
    this.#robot = measurement.frame.robot;
  }

  /** `probeRadPerS`: what the guard itself asks for where nobody commands: the first motion, or less pressure where it stands. */
  protect(command: ActionCommand | null, probeRadPerS: Float64Array | null = null): void {
    this.#times[NOW] = this.#measurement.nowS;
    this.#times[PASSED] = this.#measurement.dtS;
    this.chain.apply(command, this.#robot, this.#times, this.report, probeRadPerS);
  }

  write(state: SafetyStateName): void {
    if (!this.isSent(state)) return;
    this.#seeSent();
    if (this.#driver.write(this.chain.sentRad) === 'ok') {
      this.#missedWrites = 0;
      return;
    }
    this.#missedWrites++;
    this.#measurement.frame.refusedWrites++;
  }

  /** Before the first true measurement nobody knows where the arm is, and the driver holds it there by itself. */
  isSent(state: SafetyStateName): boolean {
    return hasTorque(state) && this.#start !== 'notFinite' && !this.#hasEnded;
  }

  /** The chain moves the robot; else it is outside its limits, where a person may bring it back, or has no torque. */
  isDriven(state: SafetyStateName): boolean {
    return this.isSent(state) && this.#start === 'ok';
  }

  /** A stop has braked the robot to where it is to stand: where its driver need not be commanded for that, it is not any more, until torque comes on. */
  endCommands(): void {
    if (this.#hasEnded || !this.#isSentAtRest || !this.isReferenceAtRest) return;
    this.#hasEnded = this.#driver.service('endCommands') === 'done';
  }

  /** Torque comes on: what is written is sent. */
  beginCommands(): void {
    this.#hasEnded = false;
  }

  #seeSent(): void {
    const { sentRad } = this.chain;
    this.#isSentAtRest = true;
    for (let i = 0; i < sentRad.length; i++) {
      if (sentRad[i] !== this.#lastRad[i]) this.#isSentAtRest = false;
      this.#lastRad[i] = sentRad[i]!;
    }
  }

  /** Of the start, and of what was asked and sent in the ticks before. */
  get faults(): number {
    let flags = this.startFault;
    if (this.report.isStopLatched) flags |= BROKEN_COMMANDS;
    if ((this.report.bits & START_REFUSED) !== 0) flags |= START_FAR;
    if (this.#missedWrites >= MISSED_TICKS) flags |= DRIVER_LOST;
    return flags;
  }

  get startFault(): number {
    return this.#start === 'ok' || this.#start === 'notFinite' ? 0 : START_OUTSIDE;
  }

  get isReferenceAtRest(): boolean {
    return isStill(this.chain.referenceVelocityRadPerS);
  }

  /** Starts the reference at `jointsRad`, at rest. */
  seed(jointsRad: ArrayLike<number>, state: SafetyStateName): void {
    // Where torque holds the robot, what was sent before pulls on it until the energy tank lets it follow.
    this.#start = this.chain.seed(jointsRad, this.isSent(state) ? 'on' : 'off');
    // What moves holds energy that the tank has not paid for.
    if (state === 'standby' && isMeasuredAtRest(this.#robot.velocityRadPerS)) this.chain.refillTank();
    this.report.isStopLatched = false;
  }

  /** As `seed`, where somebody has put the robot at rest, its set-points with it: what was sent pulls no more. */
  place(jointsRad: ArrayLike<number>, state: SafetyStateName): void {
    this.#start = 'notFinite';
    this.chain.putBack();
    this.seed(jointsRad, state);
    this.#isPlaced = true;
    this.chain.refillTank();
  }

  /** With a reading that is believed: a robot that was put elsewhere than asked is followed to where it is, as after any start. */
  checkPlace(): void {
    if (!this.#isPlaced) return;
    this.#isPlaced = false;
    const { positionRad } = this.#robot;
    for (let i = 0; i < positionRad.length; i++) {
      if (Math.abs(positionRad[i]! - this.chain.referenceRad[i]!) <= PLACED_RAD) continue;
      this.#start = 'notFinite';
      return;
    }
  }

  /** An operator has seen what went wrong. */
  acknowledge(): void {
    this.#missedWrites = 0;
    this.report.isStopLatched = false;
  }
}
