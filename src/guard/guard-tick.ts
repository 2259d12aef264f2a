/**
 * Implements the eight stages of a tick; `tick.ts` defines their order. `Measurement` reads the robot, `FaultWatch` detects
 * faults, `Protection` turns the chosen command into the driver's reference, `FrameRecorder` checks and publishes the result.
 * This class connects them: the safety state, the choice of the command, and requests between ticks.
 */

import type { Driver, DriverFacts } from '../drivers/index.ts';
import type { ActionSpec, Clock, RobotModel, Vec } from '../model/index.ts';
import type { ActionCommand, GuardFrame, SafetyStateName } from '../rows/index.ts';
import {
  admitCommand,
  DRIVER_LOST,
  deciderOf,
  ENCODER_JUMP,
  ENDED_BY_ENABLE,
  ExitRamp,
  FaultLatch,
  FIRST_MOTION,
  FROZEN_READING,
  hasTorque,
  isAtLeast,
  LETTING_DOWN,
  nextSafetyState,
  type RequestKind,
  RestDetector,
  type SafetyInput,
  STALLED,
  START_OUTSIDE,
  worstAction,
} from '../safety/index.ts';
import { EncoderNoise } from './encoder-noise.ts';
import { cappedModel, FaultWatch, isMoving, type TickTiming } from './fault-watch.ts';
import { FirstMotion } from './first-motion.ts';
import { FrameRecorder } from './frame-recorder.ts';
import { createActionCommand, createGuardFrame } from './link/frames.ts';
import type { GuardPort } from './link/link.ts';
import { Measurement } from './measurement.ts';
import { ObserverSight } from './observer-sight.ts';
import { PressureRelief } from './pressure-relief.ts';
import { Protection } from './protection.ts';
import { StillMoving } from './still-moving.ts';
import type { TickStages } from './tick.ts';

export interface GuardTickOptions {
  /** Must be open. The guard closes it. */
  readonly driver: Driver;
  /** Returned by the driver's `open`. */
  readonly facts: DriverFacts;
  readonly model: RobotModel;
  readonly action: ActionSpec;
  /** Duration of one action, s. */
  readonly policyPeriodS: number;
  /** See `GuardConfig`. */
  readonly speedRatioMax?: number | undefined;
  readonly clock: Clock;
  readonly port: GuardPort;
  /** Absent: lock-step. */
  readonly timing?: TickTiming;
}

const LOCK_STEP: TickTiming = { overruns: 0, lateS: 0 };

/** State of the ticks, allocated once. */
export class GuardTick implements TickStages {
  readonly frame: GuardFrame;
  readonly #driver: Driver;
  readonly #facts: DriverFacts;
  readonly #clock: Clock;
  readonly #port: GuardPort;
  readonly #measurement: Measurement;
  readonly #protection: Protection;
  readonly #watch: FaultWatch;
  readonly #recorder: FrameRecorder;
  readonly #faults: FaultLatch = new FaultLatch();
  readonly #rest: RestDetector;
  readonly #exit: ExitRamp;
  readonly firstMotion: FirstMotion;
  readonly sight: ObserverSight;
  readonly noise: EncoderNoise;
  readonly moving: StillMoving;
  readonly #relief: PressureRelief;
  readonly #command: ActionCommand;
  readonly #input: SafetyInput = {
    flags: 0,
    request: 'none',
    decider: 'hold',
    isConnected: true,
    isAtRest: true,
    isLetDown: true,
  };
  #state: SafetyStateName = 'standby';
  #newest: ActionCommand | null = null;
  #chosen: ActionCommand | null = null;
  /** Torque-off was requested: the arm is let down first. */
  #isDisabling = false;

  constructor(options: GuardTickOptions) {
    const { driver, facts, model, action, policyPeriodS, clock, port, timing = LOCK_STEP } = options;
    this.frame = createGuardFrame(model.joints.length, facts.signalNames.length, action.dimensions.length);
    this.#driver = driver;
    this.#facts = facts;
    this.#clock = clock;
    this.#port = port;
    const measurement = new Measurement(driver, clock, model, this.frame);
    const protection = new Protection(driver, facts, model, action, policyPeriodS, measurement);
    this.#measurement = measurement;
    this.#protection = protection;
    this.#watch = new FaultWatch(driver.report, facts, model, measurement, protection, timing, this.#faults);
    this.#watch.speedRatioMax = options.speedRatioMax ?? 1;
    this.#recorder = new FrameRecorder(port, model, measurement, protection, timing);
    this.#rest = new RestDetector(model);
    this.#exit = new ExitRamp(facts.keepsTorque === true ? {} : model);
    this.firstMotion = new FirstMotion(model, facts.unmeasuredJoints);
    this.sight = new ObserverSight(model, facts);
    this.noise = new EncoderNoise(model);
    this.moving = new StillMoving(model);
    this.#relief = new PressureRelief(cappedModel(model, facts));
    this.#input.isLetDown = this.#exit.isOver;
    this.#command = createActionCommand(action.dimensions.length);
  }

  get state(): SafetyStateName {
    return this.#state;
  }

  get referenceRad(): Vec<'rad'> {
    return this.#protection.chain.referenceRad;
  }

  /** True while commands may move the robot, and while it brakes. */
  get isMoving(): boolean {
    return isMoving(this.#state);
  }

  /** True if the joints were read in this tick and the reading is trusted: required for torque to come on. */
  get isMeasured(): boolean {
    return this.#measurement.isTrusted;
  }

  /** Duration of the torque ramp-down after braking, s; 0: immediate. */
  get exitRampS(): number {
    return this.#exit.rampS;
  }

  /** True if the driver has not answered for several ticks. */
  get isLost(): boolean {
    return this.#measurement.isLost;
  }

  /** True if no policy may move the robot from its last measured pose. */
  get isOutside(): boolean {
    return this.#protection.startFault !== 0;
  }

  read(): void {
    this.#measurement.read();
  }

  check(): void {
    const input = this.#input;
    input.flags = this.#faults.update(this.#watchFirstMotion(this.#presentFaults()));
    input.isConnected = this.#measurement.isConnected;
    input.isAtRest = this.#isAtRest();
    input.decider = deciderOf(this.#newest, this.#measurement.nowS);
    input.request = this.#isDisabling ? 'disable' : 'none';
    this.#letDown(input);
    this.enter(nextSafetyState(this.#state, input));
    if (this.#state === 'stopping' && this.#isTorqueToGo(input)) this.#protection.endCommands();
    this.#seeRest();
  }

  observe(): void {
    this.#watch.observe(this.#state);
  }

  decide(): void {
    if (this.#port.latestCommand(this.#command)) this.#newest = this.#command;
  }

  arbitrate(): void {
    this.#chosen = admitCommand(this.#state, this.#newest);
  }

  protect(): void {
    const first = this.firstMotion;
    if (first.isRunning && this.#measurement.isTrusted) {
      first.step(this.referenceRad, this.frame.robot.positionRad, this.#measurement.dtS);
      if (first.hasPassed) this.#driver.service('passFirstMotion');
    }
    // An untrusted reading shows nothing: the probe pauses until the next.
    const mayProbe = first.isRunning && this.#measurement.isTrusted;
    this.#protection.protect(this.#chosen, mayProbe ? first.wantedRadPerS : this.#relieve());
  }

  /** Returns the velocities that relieve an arm pressing at rest; null if none are needed. */
  #relieve(): Float64Array | null {
    const isReady = this.#state === 'ready' && !this.needsFirstMotion;
    // The arm can press against an object anew only by a requested motion.
    if (!hasTorque(this.#state) || (!isReady && !this.#protection.isReferenceAtRest)) this.#relief.restart();
    else if (isReady && this.#measurement.isTrusted) {
      const { sentRad } = this.#protection.chain;
      const { dtS } = this.#measurement;
      const isAsked = this.#relief.step(sentRad, this.frame.robot.positionRad, this.#watch.beyondRad, dtS);
      if (isAsked) return this.#relief.wantedRadPerS;
    }
    return null;
  }

  /** True if the joints have not been seen to move since power-up. */
  get needsFirstMotion(): boolean {
    return this.#driver.report.needsFirstMotion;
  }

  /** True within the limits and with torque: the chain moves the robot. */
  get isDriven(): boolean {
    return this.#protection.isDriven(this.#state);
  }

  /** Attributes faults under a joint's test to the first motion; any other fault ends it like any motion. */
  #watchFirstMotion(present: number): number {
    const first = this.firstMotion;
    const flags = first.isRolling ? present & ~FROZEN_READING : present;
    if (first.isRunning) {
      if ((flags & ENCODER_JUMP) !== 0) first.fail('jumped');
      else if ((flags & (FROZEN_READING | STALLED)) !== 0) first.stands(this.frame.robot.positionRad);
      else if (this.#state !== 'ready' || !this.isDriven || isAtLeast(worstAction(flags), 'cat2')) first.cancel();
    }
    return first.fault === undefined ? flags : flags | FIRST_MOTION;
  }

  write(): void {
    this.#protection.write(this.#state);
  }

  record(): void {
    this.#recordLease();
    this.#recorder.record(this.#state, this.#faults.flags);
  }

  #recordLease(): void {
    const newest = this.#newest;
    const leftS = newest === null ? 0 : newest.issuedAtS + newest.leaseS - this.#measurement.nowS;
    this.frame.leaseS = newest === null ? 0 : newest.leaseS;
    // Written so that a NaN lease has expired.
    this.frame.leaseLeftS = leftS > 0 ? leftS : 0;
  }

  /** Returns the fault flags of this tick after taking its measurement. */
  #presentFaults(): number {
    const measurement = this.#measurement;
    const protection = this.#protection;
    const reading = measurement.check();
    this.sight.see(measurement.dtS, measurement.isNew ? measurement.betweenS : 0);
    if (measurement.isTrusted) {
      if (measurement.isNew && protection.isSent(this.#state))
        this.noise.see(measurement.dtS, protection.chain.sentRad, this.frame.robot.positionRad);
      protection.checkPlace();
      // While the tick was held up, the reference stood still, and only the measurement shows what the arm did.
      const isReferenceOld = !protection.isSent(this.#state) || measurement.stalled !== 0;
      if (isReferenceOld) this.#seed(this.#standingRad);
    }
    const motion = this.#watch.check(this.#state) | protection.faults | this.#recorder.faults;
    const lettingDown = this.#exit.isRunning ? LETTING_DOWN : 0;
    return reading | motion | lettingDown | this.#driverFaults;
  }

  /** Current fault flags of the driver that matter in this state. */
  get #driverFaults(): number {
    const { driverFaults } = this.#measurement;
    return hasTorque(this.#state) ? driverFaults : driverFaults & ~ENDED_BY_ENABLE;
  }

  /** Without readings only the reference is known, and how long servos take to reach a resting one. */
  #isAtRest(): boolean {
    const { nowS, isNew, isTrusted } = this.#measurement;
    if (!isTrusted) this.#rest.miss();
    else if (isNew) this.#rest.see(this.frame.robot.velocityRadPerS);
    return this.#rest.check(this.#state, this.#protection.chain.referenceVelocityRadPerS, nowS);
  }

  /** Ramps the torque down, tick by tick, of an arm at rest that would fall without it. */
  #letDown(input: SafetyInput): void {
    const exit = this.#exit;
    const isAsked = this.#isTorqueToGo(input);
    if (this.#state !== 'stopping') exit.restart();
    else if (isAsked && (input.isAtRest || exit.isRunning)) exit.advance(this.#measurement.dtS);
    input.isLetDown = exit.isOver;
    if (exit.isRunning && this.#facts.limitsTorque === true) this.#driver.torque(exit.torqueRatio);
  }

  #isTorqueToGo({ isConnected, flags }: SafetyInput): boolean {
    return this.#isDisabling || !isConnected || isAtLeast(worstAction(flags), 'cat1');
  }

  /** Monitors a stop until rest was measured, as long as something holds the robot: without torque it may sink. */
  #seeRest(): void {
    const state = this.#state;
    const isLeft = state === 'fault' || state === 'standby';
    const isStopped = isLeft || state === 'stopped' || state === 'stopping';
    if (!hasTorque(state) && !(isLeft && this.#facts.keepsTorque === true)) this.moving.end();
    else if (!isStopped || !this.#protection.isReferenceAtRest) this.moving.restart();
    else if (this.#measurement.isTrusted) {
      const { positionRad, velocityRadPerS } = this.frame.robot;
      this.moving.see(positionRad, velocityRadPerS, this.#measurement.dtS);
    }
  }

  #seed(jointsRad: ArrayLike<number>): void {
    this.#protection.seed(jointsRad, this.#state);
    this.#followAnew();
  }

  /**
   * [n] pose from which the robot continues, rad: its reference if the servos' deviation is explained by load, as the reference
   * is within the limits although the servos may not be; otherwise the last measured pose.
   */
  get #standingRad(): ArrayLike<number> {
    const { referenceRad } = this.#protection.chain;
    const { positionRad } = this.frame.robot;
    return this.isDriven && this.#relief.isHolding(referenceRad, positionRad) ? referenceRad : positionRad;
  }

  #followAnew(): void {
    this.#recorder.restart();
    this.#watch.restart();
    this.#relief.restart();
  }

  /**
   * Changes the state and switches the torque accordingly, which comes on only at the last measured pose. Tick-safe if the driver's
   * `torque` is.
   */
  enter(state: SafetyStateName): void {
    const hadTorque = hasTorque(this.#state);
    if (!hadTorque) this.#protection.beginCommands();
    if (!hadTorque && hasTorque(state)) this.#seed(this.frame.robot.positionRad);
    this.#state = state;
    if (!hasTorque(state)) this.#isDisabling = false;
    if (hadTorque === hasTorque(state)) return;
    this.#driver.torque(hadTorque ? 0 : 1);
  }

  /** Inputs of the state transition, from the last tick and the newest measurement, with `request` and the newest decider filled in. */
  inputFor(request: RequestKind): SafetyInput {
    this.decide();
    this.#input.isConnected = this.#measurement.isConnected;
    this.#input.request = request;
    this.#input.decider = deciderOf(this.#newest, this.#clock.nowS());
    return this.#input;
  }

  /** Switches torque off as soon as the arm is let down. */
  disableWhenLetDown(): void {
    this.#isDisabling = hasTorque(this.#state);
  }

  /** Reads once more between ticks, after an operation so long that the tick's reading is outdated. */
  measureAnew(): void {
    this.#measurement.read();
    this.#measurement.check();
  }

  /** Discards all commands sent so far. */
  forgetCommands(): void {
    this.#port.latestCommand(this.#command);
    this.#newest = null;
    this.firstMotion.cancel();
  }

  /** Restarts at rest from `jointsRad`, where the robot was placed. */
  restartAt(jointsRad: ArrayLike<number>): void {
    this.#measurement.restart();
    this.#protection.place(jointsRad, this.#state);
    this.#recorder.putBack();
    this.#followAnew();
    // The previous pose no longer matters; other faults still have to be acknowledged.
    this.#forgive(this.#faults.flags & ~START_OUTSIDE);
  }

  /** True if there are faults to acknowledge, and the arm is stopped or has no torque. */
  get mayAcknowledge(): boolean {
    if (this.#state === 'standby' || this.#state === 'disconnected') return this.#faults.flags !== 0;
    return this.#state === 'stopped' || this.#state === 'fault';
  }

  /**
   * Returns the flags that an acknowledgement would leave. In `stopped` it re-seeds to find out and then restores the resting
   * reference; otherwise it changes nothing. Not for the tick.
   */
  causesLeft(): number {
    // A rejected reference counts from zero again; a robot that does not answer is still lost.
    const lost = (this.#measurement.isLost ? DRIVER_LOST : 0) | this.#driverFaults;
    const { chain, report } = this.#protection;
    if (this.#state !== 'stopped') return lost | this.#protection.startFault;
    // Only seeding shows whether the arm may continue from its pose. The resting reference is restored.
    const referenceRad = chain.referenceRad.slice();
    const { isStopLatched } = report;
    this.#seed(this.#standingRad);
    const causes = lost | this.#protection.startFault;
    this.#seed(referenceRad);
    report.isStopLatched = isStopLatched;
    return causes;
  }

  /** Acknowledges the faults: those whose cause is gone are cleared. Only if `mayAcknowledge`. */
  acknowledge(): void {
    // A stopped robot continues from its pose; one in fault has no torque and is measured anew. Elsewhere an
    // untrusted reading must not become the baseline of the next.
    if (this.#state === 'stopped') this.#seed(this.#standingRad);
    else if (this.#state === 'fault') this.#measurement.forget();
    this.#protection.acknowledge();
    this.#recorder.acknowledge();
    this.firstMotion.fault = undefined;
    this.#forgive(this.#driverFaults | this.#protection.startFault);
  }

  /** Clears all latched faults but `present`. */
  #forgive(present: number): void {
    this.#faults.acknowledge(present);
    this.#input.flags = this.#faults.flags;
  }
}
