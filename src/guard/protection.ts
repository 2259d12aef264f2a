/** Stages `protect` and `write` of a tick: starts the chain's reference, turns actions into references, and sends them to the driver. */

import type { Driver, DriverFacts } from '../drivers/index.ts';
import type { ActionSpec, RobotModel } from '../model/index.ts';
import type { ActionCommand, RobotState, SafetyStateName } from '../rows/index.ts';
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

/** Tolerance of the measured pose after a robot was placed, rad or m: encoder noise, and a period of settling. */
const PLACED_RAD = 0.005;

/** Owns the chain and the start of its reference, and sends its output to the driver. Tick-safe after construction. */
export class Protection {
  readonly chain: SafetyChain;
  /** The chain's report of the last tick. */
  readonly report: ChainReport = createChainReport();
  readonly #driver: Driver;
  readonly #measurement: Measurement;
  readonly #robot: RobotState;
  readonly #times: TickTimes = createTickTimes();
  #start: SeedResult = 'notFinite';
  /** The scene was reset: the next reading shows whether the robot is at the requested pose. */
  #isPlaced = false;
  #missedWrites = 0;
  /** The last set-point sent, and whether it repeated the previous one: the energy tank may let it lag behind a resting reference. */
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

  /** `probeRadPerS`: velocities requested by the guard itself without a command: the first motion, or pressure relief at rest. */
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

  /** True if references are sent. Before the first trusted measurement the pose is unknown, and the driver holds the arm by itself. */
  isSent(state: SafetyStateName): boolean {
    return hasTorque(state) && this.#start !== 'notFinite' && !this.#hasEnded;
  }

  /** True if the chain moves the robot; otherwise it has no torque, or is outside its limits, where the operator may bring it back. */
  isDriven(state: SafetyStateName): boolean {
    return this.isSent(state) && this.#start === 'ok';
  }

  /** Ends commands after a stop has braked to rest: if its driver needs none to stand, nothing is sent until torque comes on again. */
  endCommands(): void {
    if (this.#hasEnded || !this.#isSentAtRest || !this.isReferenceAtRest) return;
    this.#hasEnded = this.#driver.service('endCommands') === 'done';
  }

  /** Enables sending as torque comes on. */
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

  /** Fault flags of the start, and of the commands and writes of previous ticks. */
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
    // With torque on, the previous set-point keeps pulling until the energy tank lets it follow.
    this.#start = this.chain.seed(jointsRad, this.isSent(state) ? 'on' : 'off');
    // Motion holds energy that the tank has not paid for.
    if (state === 'standby' && isMeasuredAtRest(this.#robot.velocityRadPerS)) this.chain.refillTank();
    this.report.isStopLatched = false;
  }

  /** Like `seed`, after the robot was placed at rest together with its set-points: the previous set-point no longer pulls. */
  place(jointsRad: ArrayLike<number>, state: SafetyStateName): void {
    this.#start = 'notFinite';
    this.chain.putBack();
    this.seed(jointsRad, state);
    this.#isPlaced = true;
    this.chain.refillTank();
  }

  /** Called with a trusted reading: if the robot was placed elsewhere than requested, the reference restarts at its measured pose. */
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

  /** Clears the faults after an operator's acknowledgement. */
  acknowledge(): void {
    this.#missedWrites = 0;
    this.report.isStopLatched = false;
  }
}
