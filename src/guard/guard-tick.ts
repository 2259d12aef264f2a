/**
 * What the eight parts of a tick do; `tick.ts` says in which order. `Measurement` reads the robot, `FaultWatch` looks for what
 * is wrong, `Protection` turns the chosen command into what the driver gets, `FrameRecorder` checks and publishes the result.
 * What holds them together is here: the safety state, who decides, and what is asked for between ticks.
 */
import type { ActionCommand, ActionSpec, Clock, GuardFrame, RobotModel, SafetyStateName, Vec } from '../core/index.ts';
import type { Driver, DriverFacts } from '../drivers/index.ts';
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
  /** Open. The guard closes it. */
  readonly driver: Driver;
  /** What its `open` gave. */
  readonly facts: DriverFacts;
  readonly model: RobotModel;
  readonly action: ActionSpec;
  /** Time that one action is meant to take, s. */
  readonly policyPeriodS: number;
  /** See `GuardConfig`. */
  readonly speedRatioMax?: number | undefined;
  readonly clock: Clock;
  readonly port: GuardPort;
  /** Absent: lock-step. */
  readonly timing?: TickTiming;
}

const LOCK_STEP: TickTiming = { overruns: 0, lateS: 0 };

/** All that a tick reads and writes, allocated once. */
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
  /** Somebody wants torque off: the arm is let down for it. */
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

  /** The joints were read in this tick, and the reading is believed: what torque needs to come on. */
  get isMeasured(): boolean {
    return this.#measurement.isTrusted;
  }

  /** How long torque takes to go off at the end of a brake, s; 0: at once. */
  get exitRampS(): number {
    return this.#exit.rampS;
  }

  /** The driver has not answered for some ticks. */
  get isLost(): boolean {
    return this.#measurement.isLost;
  }

  /** Where it was measured last no policy may move it. */
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
    // A reading that is not believed shows nothing: it stands until the next.
    const mayProbe = first.isRunning && this.#measurement.isTrusted;
    this.#protection.protect(this.#chosen, mayProbe ? first.wantedRadPerS : this.#relieve());
  }

  /** What an arm that stands and presses is to ask for by itself; null for nothing. */
  #relieve(): Float64Array | null {
    const isReady = this.#state === 'ready' && !this.needsFirstMotion;
    // Only a motion that somebody asked for may bring it against something anew.
    if (!hasTorque(this.#state) || (!isReady && !this.#protection.isReferenceAtRest)) this.#relief.restart();
    else if (isReady && this.#measurement.isTrusted) {
      const { sentRad } = this.#protection.chain;
      const { dtS } = this.#measurement;
      const isAsked = this.#relief.step(sentRad, this.frame.robot.positionRad, this.#watch.beyondRad, dtS);
      if (isAsked) return this.#relief.wantedRadPerS;
    }
    return null;
  }

  /** Nobody has seen this robot's joints move since power came on. */
  get needsFirstMotion(): boolean {
    return this.#driver.report.needsFirstMotion;
  }

  /** Within its limits with torque: the chain moves it. */
  get isDriven(): boolean {
    return this.#protection.isDriven(this.#state);
  }

  /** What went wrong while a joint was tried is what its first motion shows; all else ends it as it ends any motion. */
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
    // Written so that a lease that is no number is over.
    this.frame.leaseLeftS = leftS > 0 ? leftS : 0;
  }

  /** Flags of this tick, with its measurement taken over. */
  #presentFaults(): number {
    const measurement = this.#measurement;
    const protection = this.#protection;
    const reading = measurement.check();
    this.sight.see(measurement.dtS, measurement.isNew ? measurement.betweenS : 0);
    if (measurement.isTrusted) {
      if (measurement.isNew && protection.isSent(this.#state))
        this.noise.see(measurement.dtS, protection.chain.sentRad, this.frame.robot.positionRad);
      protection.checkPlace();
      // While the tick was held up, the reference stood still, and only the measurement says what the arm did.
      const isReferenceOld = !protection.isSent(this.#state) || measurement.stalled !== 0;
      if (isReferenceOld) this.#seed(this.#standingRad);
    }
    const motion = this.#watch.check(this.#state) | protection.faults | this.#recorder.faults;
    const lettingDown = this.#exit.isRunning ? LETTING_DOWN : 0;
    return reading | motion | lettingDown | this.#driverFaults;
  }

  /** Of the driver, as of now, as far as it matters in this state. */
  get #driverFaults(): number {
    const { driverFaults } = this.#measurement;
    return hasTorque(this.#state) ? driverFaults : driverFaults & ~ENDED_BY_ENABLE;
  }

  /** Without readings only the reference is known, and how long servos take to follow one that stands. */
  #isAtRest(): boolean {
    const { nowS, isNew, isTrusted } = this.#measurement;
    if (!isTrusted) this.#rest.miss();
    else if (isNew) this.#rest.see(this.frame.robot.velocityRadPerS);
    return this.#rest.check(this.#state, this.#protection.chain.referenceVelocityRadPerS, nowS);
  }

  /** Takes the torque back, tick by tick, from an arm at rest that would fall without it. */
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

  /** A stop is watched until it was seen at rest, while something holds the robot: one without torque may sink. */
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
   * [n] where the robot goes on from, rad: its reference, where its servos stand off that by no more than they must, and which then is
   * inside its limits though they may not be; else where it was last measured.
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
   * Changes the state, and the torque with it, which comes on where the robot was last measured and nowhere else. Tick-safe
   * where the driver's `torque` is.
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

  /** What the next state depends on, as of the last tick and the newest measurement; `request` and the newest decider filled in. */
  inputFor(request: RequestKind): SafetyInput {
    this.decide();
    this.#input.isConnected = this.#measurement.isConnected;
    this.#input.request = request;
    this.#input.decider = deciderOf(this.#newest, this.#clock.nowS());
    return this.#input;
  }

  /** Torque is to go off, as soon as the arm is let down. */
  disableWhenLetDown(): void {
    this.#isDisabling = hasTorque(this.#state);
  }

  /** Reads once more between ticks, where something took so long that the tick's reading is old. */
  measureAnew(): void {
    this.#measurement.read();
    this.#measurement.check();
  }

  /** The commands that were sent so far mean nothing any more. */
  forgetCommands(): void {
    this.#port.latestCommand(this.#command);
    this.#newest = null;
    this.firstMotion.cancel();
  }

  /** Goes on at rest from `jointsRad`, where somebody has put the robot. */
  restartAt(jointsRad: ArrayLike<number>): void {
    this.#measurement.restart();
    this.#protection.place(jointsRad, this.#state);
    this.#recorder.putBack();
    this.#followAnew();
    // Where it stood before does not matter any more; other faults still want to be acknowledged.
    this.#forgive(this.#faults.flags & ~START_OUTSIDE);
  }

  /** Whether there are faults to acknowledge, and the arm stands or has no torque. */
  get mayAcknowledge(): boolean {
    if (this.#state === 'standby' || this.#state === 'disconnected') return this.#faults.flags !== 0;
    return this.#state === 'stopped' || this.#state === 'fault';
  }

  /**
   * The flags that an acknowledgement would leave. In `stopped` it seeds for that and puts the standing reference back, at
   * rest; else it changes nothing. Not for the tick.
   */
  causesLeft(): number {
    // A reference that nothing takes counts again from zero; a robot that is not heard of is still away.
    const lost = (this.#measurement.isLost ? DRIVER_LOST : 0) | this.#driverFaults;
    const { chain, report } = this.#protection;
    if (this.#state !== 'stopped') return lost | this.#protection.startFault;
    // Only a seed shows whether the arm may go on from where it is. The standing reference is put back.
    const referenceRad = chain.referenceRad.slice();
    const { isStopLatched } = report;
    this.#seed(this.#standingRad);
    const causes = lost | this.#protection.startFault;
    this.#seed(referenceRad);
    report.isStopLatched = isStopLatched;
    return causes;
  }

  /** An operator has seen the faults: those whose cause is gone are forgotten. Only where `mayAcknowledge`. */
  acknowledge(): void {
    // A standing robot goes on from where it stands; one in fault has no torque and is measured anew. Elsewhere a
    // reading that is not believed yet must not become the measure of the next.
    if (this.#state === 'stopped') this.#seed(this.#standingRad);
    else if (this.#state === 'fault') this.#measurement.forget();
    this.#protection.acknowledge();
    this.#recorder.acknowledge();
    this.firstMotion.fault = undefined;
    this.#forgive(this.#driverFaults | this.#protection.startFault);
  }

  /** Of the faults that were seen, only `present` are left. */
  #forgive(present: number): void {
    this.#faults.acknowledge(present);
    this.#input.flags = this.#faults.flags;
  }
}
