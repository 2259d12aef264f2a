/** What the eight parts of a tick do. `tick.ts` says in which order. */
import {
  type ActionCommand,
  type ActionSpec,
  ArmKinematics,
  allFinite,
  type Clock,
  copyRobotState,
  createRobotState,
  type GuardFrame,
  type RobotModel,
  type RobotState,
  type SafetyStateName,
  type Vec,
} from '../core/index.ts';
import type { Driver, DriverStatus } from '../drivers/index.ts';
import {
  admitCommand,
  BROKEN_COMMANDS,
  type ChainReport,
  CommandWatchdog,
  ContactMonitor,
  checkTick,
  createChainReport,
  createTickTimes,
  DRIVER_LOST,
  deciderOf,
  EMERGENCY_STOP,
  ExitRamp,
  FaultLatch,
  FollowingWatchdog,
  hasTorque,
  isAtLeast,
  isMeasuredAtRest,
  LETTING_DOWN,
  LIMIT_BROKEN,
  LimitMonitor,
  MeasuredClearance,
  MeasurementWatchdog,
  NOW,
  nextSafetyState,
  OVERLOAD_SPEED_RATIO,
  OVERRUN,
  OverloadWatchdog,
  PASSED,
  READING_NOT_FINITE,
  type RequestKind,
  RestDetector,
  SafetyChain,
  type SafetyInput,
  type SeedResult,
  START_FAR,
  START_OUTSIDE,
  START_REFUSED,
  TankWatch,
  type TickTimes,
  TORQUE_FAULTS,
  TorqueObserver,
  worstAction,
} from '../safety/index.ts';
import { createActionCommand, createGuardFrame } from './link/frames.ts';
import type { GuardPort } from './link/link.ts';
import type { TickStages } from './tick.ts';

/** A driver that gives no measurement, or takes no reference, this many ticks in a row is lost. */
const MISSED_TICKS = 3;
/** A robot that was put somewhere may be measured so far from there, rad or m: encoders, and a period of settling. */
const PLACED_RAD = 0.005;

export interface GuardTickOptions {
  /** Open. The guard closes it. */
  readonly driver: Driver;
  readonly model: RobotModel;
  readonly action: ActionSpec;
  /** Time that one action is meant to take, s. */
  readonly policyPeriodS: number;
  readonly clock: Clock;
  readonly port: GuardPort;
  /** Counts ticks that began too late; none in lock-step time. */
  readonly overruns?: { readonly overruns: number };
}

/** All that a tick reads and writes, allocated once. */
export class GuardTick implements TickStages {
  readonly frame: GuardFrame;
  readonly #driver: Driver;
  readonly #clock: Clock;
  readonly #port: GuardPort;
  readonly #overruns: { readonly overruns: number };
  readonly #periodS: number;
  /** Infinite without a tank: its level is 0 then. */
  readonly #tankMaxJ: number;
  readonly #measured: RobotState;
  readonly #kinematics: ArmKinematics;
  readonly #measurement: MeasurementWatchdog;
  readonly #commands: CommandWatchdog = new CommandWatchdog();
  readonly #following: FollowingWatchdog;
  readonly #contact: ContactMonitor;
  readonly #nearness: MeasuredClearance;
  readonly #torques: TorqueObserver;
  readonly #tank: TankWatch;
  readonly #hasTank: boolean;
  readonly #overload: OverloadWatchdog = new OverloadWatchdog();
  readonly #rest: RestDetector = new RestDetector();
  readonly #exit: ExitRamp;
  readonly #faults: FaultLatch = new FaultLatch();
  readonly #chain: SafetyChain;
  readonly #monitor: LimitMonitor;
  readonly #report: ChainReport = createChainReport();
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
  #readStatus: DriverStatus = 'ok';
  #missedReads = 0;
  #missedWrites = 0;
  /** Somebody wants torque off: the arm is let down for it. */
  #isDisabling = false;
  #hasAnswered = false;
  #seedResult: SeedResult = 'notFinite';
  /** The scene was put back: the next reading shows whether the robot is where it was to be put. */
  #isPlaced = false;
  #brokenLimits = 0;
  /** What the measured arm touched, reported in the next tick. */
  #touching = 0;
  #nowS: number;
  #dtS: number;
  readonly #times: TickTimes = createTickTimes();
  #sinceReadS = 0;
  /** The driver's own stamp of the newest reading; it stays NaN with a driver that stamps nothing, and each reading is new. */
  #stampS: number = Number.NaN;
  /** When the newest reading came, on the guard's clock, s. */
  #readAtS: number = Number.NaN;
  #isNewReading = false;
  /** Since the torques were last looked at, by the driver's own stamps: of a simulator, a tick that is late is no longer a period. */
  #sinceTorquesS = 0;

  constructor(options: GuardTickOptions) {
    const { driver, model, action, policyPeriodS, clock, port } = options;
    this.#driver = driver;
    this.#clock = clock;
    this.#port = port;
    this.#overruns = options.overruns ?? { overruns: 0 };
    this.#periodS = 1 / model.controlHz;
    this.#tankMaxJ = model.tank?.maxJ ?? Number.POSITIVE_INFINITY;
    this.#measured = createRobotState(model.joints.length, driver.signalNames.length);
    this.frame = createGuardFrame(model.joints.length, driver.signalNames.length, action.dimensions.length);
    this.#kinematics = new ArmKinematics(model);
    this.#measurement = new MeasurementWatchdog(model);
    this.#following = new FollowingWatchdog(model);
    this.#contact = new ContactMonitor(model);
    this.#nearness = new MeasuredClearance(model);
    this.#torques = new TorqueObserver(
      driver.measuresTorque === false ? { ...model, torqueObserver: undefined } : model,
    );
    this.#tank = new TankWatch(model);
    this.#exit = new ExitRamp(model);
    this.#input.isLetDown = this.#exit.isOver;
    this.#hasTank = model.tank !== undefined;
    this.#chain = new SafetyChain({ model, action, policyPeriodS });
    this.#monitor = new LimitMonitor(model);
    this.#command = createActionCommand(action.dimensions.length);
    this.#nowS = clock.nowS();
    this.#dtS = this.#periodS;
    // Silence counts from now on, not from the beginning of time.
    this.#commands.check(this.#state, this.#report, this.#nowS);
  }

  get state(): SafetyStateName {
    return this.#state;
  }

  get referenceRad(): Vec<'rad'> {
    return this.#chain.referenceRad;
  }

  /** What the next state depends on, as of the last tick; `request` and the newest decider filled in. */
  inputFor(request: RequestKind): SafetyInput {
    this.decide();
    this.#input.request = request;
    this.#input.decider = deciderOf(this.#newest, this.#clock.nowS());
    return this.#input;
  }

  read(): void {
    const nowS = this.#clock.nowS();
    this.#dtS = nowS - this.#nowS;
    this.#nowS = nowS;
    // A driver that hands out the same reading again shows it by its stamp.
    this.#measured.measuredAtS = this.#stampS;
    this.#readStatus = this.#driver.read(this.#measured);
    this.#isNewReading = this.#readStatus === 'ok' && this.#measured.measuredAtS !== this.#stampS;
    if (this.#isNewReading) {
      const passedS = this.#measured.measuredAtS - this.#stampS;
      if (passedS > 0) this.#sinceTorquesS += passedS;
      this.#stampS = this.#measured.measuredAtS;
      this.#readAtS = nowS;
    }
    this.#measured.measuredAtS = this.#readAtS;
  }

  check(): void {
    const input = this.#input;
    input.flags = this.#faults.update(this.#presentFaults());
    input.isConnected = this.#readStatus !== 'lost' || this.#missedReads < MISSED_TICKS;
    input.isAtRest = this.#isAtRest();
    input.decider = deciderOf(this.#newest, this.#nowS);
    input.request = this.#isDisabling ? 'disable' : 'none';
    this.#letDown(input);
    this.enter(nextSafetyState(this.#state, input));
  }

  /** Takes the torque back, tick by tick, from an arm at rest that would fall without it. */
  #letDown(input: SafetyInput): void {
    const exit = this.#exit;
    const isAsked = this.#isDisabling || !input.isConnected || isAtLeast(worstAction(input.flags), 'cat1');
    if (this.#state !== 'stopping') exit.restart();
    else if (isAsked && (input.isAtRest || exit.isRunning)) exit.advance(this.#dtS);
    input.isLetDown = exit.isOver;
    if (exit.isRunning) this.#driver.limitTorque?.(exit.torqueRatio);
  }

  observe(): void {
    this.#kinematics.forward(this.frame.robot.positionRad);
    this.#kinematics.writeTcp(this.frame.measuredTcp);
    this.#watchNearness();
  }

  decide(): void {
    if (this.#port.latestCommand(this.#command)) this.#newest = this.#command;
  }

  arbitrate(): void {
    this.#chosen = admitCommand(this.#state, this.#newest);
  }

  protect(): void {
    this.#times[NOW] = this.#nowS;
    this.#times[PASSED] = this.#dtS;
    this.#chain.apply(this.#chosen, this.frame.robot, this.#times, this.#report);
  }

  write(): void {
    // Before the first true measurement nobody knows where the arm is, and the driver holds it there by itself.
    if (!hasTorque(this.#state) || this.#seedResult === 'notFinite') return;
    if (this.#driver.write(this.#chain.sentRad) === 'ok') this.#missedWrites = 0;
    else this.#missedWrites++;
  }

  record(): void {
    const { frame } = this;
    const report = this.#report;
    const isDriven = hasTorque(this.#state) && this.#seedResult === 'ok';
    this.#brokenLimits = hasTorque(this.#state) ? this.#checkLimits() : 0;
    frame.tick++;
    frame.ticks++;
    frame.state = this.#state;
    frame.decider = report.decider;
    frame.commandSeq = report.commandSeq;
    frame.filterBits = isDriven ? report.bits : 0;
    if (frame.filterBits !== 0) frame.changedTicks++;
    this.#recordStages(isDriven);
    frame.faultFlags = this.#faults.flags;
    frame.referenceRad.set(this.#chain.referenceRad);
    frame.referenceTcp.set(this.#chain.referenceTcp);
    this.#chain.writeShortfall(frame.shortfall);
    frame.violations = this.#monitor.violations;
    frame.overruns = this.#overruns.overruns;
    this.#port.publish(frame);
  }

  /** Where torque is on. Before the first true measurement nothing is sent. */
  #checkLimits(): number {
    const { referenceRad, sentRad } = this.#chain;
    if (this.#seedResult === 'notFinite') return 0;
    if (this.#seedResult !== 'ok') return this.#monitor.checkRecovery(referenceRad, this.#dtS);
    return this.#monitor.check(referenceRad, this.#dtS, this.frame.robot.positionRad, sentRad);
  }

  /** What the stages reported, into the frame. Ticks and energy count while the robot is driven by the chain. */
  #recordStages(isDriven: boolean): void {
    const { frame } = this;
    const report = this.#report;
    for (let i = 0; i < report.stages.length; i++) {
      const stage = report.stages[i]!;
      frame.stageMargins[i] = stage.margin;
      if (isDriven && stage.changed) frame.stageTicks[i] = frame.stageTicks[i]! + 1;
    }
    frame.marginMin = report.marginMin;
    frame.clearanceM = report.clearanceM;
    frame.tankEnergyJ = report.tankEnergyJ;
    frame.tankLevel = report.tankEnergyJ / this.#tankMaxJ;
    frame.tankScale = report.tankScale;
    if (isDriven && report.tankInjectedJ > 0) frame.tankInjectedJ += report.tankInjectedJ;
  }

  /**
   * Changes the state, and the torque with it, which comes on where the robot was last measured and nowhere else. Tick-safe
   * where the driver's `enable` and `disable` are.
   */
  enter(state: SafetyStateName): void {
    const hadTorque = hasTorque(this.#state);
    if (!hadTorque && hasTorque(state)) this.#seed(this.frame.robot.positionRad);
    this.#state = state;
    if (!hasTorque(state)) this.#isDisabling = false;
    if (hadTorque === hasTorque(state)) return;
    if (hadTorque) this.#driver.disable();
    else this.#driver.enable();
  }

  /** The joints were read in this tick, and the reading is believed: what torque needs to come on. */
  get isMeasured(): boolean {
    return this.#measurement.isTrusted;
  }

  /** Torque is to go off, as soon as the arm is let down. */
  disableWhenLetDown(): void {
    this.#isDisabling = hasTorque(this.#state);
  }

  /** Reads once more between ticks, where something took so long that the tick's reading is old. */
  measureAnew(): void {
    this.read();
    this.#checkMeasurement();
  }

  /** The commands that were sent so far mean nothing any more. */
  forgetCommands(): void {
    this.#port.latestCommand(this.#command);
    this.#newest = null;
  }

  /** Goes on at rest from `jointsRad`, where somebody has put the robot. */
  restartAt(jointsRad: ArrayLike<number>): void {
    this.#measurement.restart();
    this.#sinceReadS = 0;
    this.#nowS = this.#clock.nowS();
    // What was sent pulls no more: the robot was put there at rest, its set-points with it, and that is a new start.
    this.#seedResult = 'notFinite';
    this.#seed(jointsRad);
    this.#isPlaced = true;
    this.#chain.refillTank();
    // Where it stood before does not matter any more; other faults still want to be acknowledged.
    this.#faults.acknowledge(this.#faults.flags & ~START_OUTSIDE);
    this.#input.flags = this.#faults.flags;
  }

  /** Whether there are faults to acknowledge, and the arm stands or has no torque. */
  get mayAcknowledge(): boolean {
    if (this.#state === 'standby') return this.#faults.flags !== 0;
    return this.#state === 'stopped' || this.#state === 'fault';
  }

  /**
   * The flags that an acknowledgement would leave. In `stopped` it seeds for that and puts the standing reference back, at
   * rest; else it changes nothing. Not for the tick.
   */
  causesLeft(): number {
    // A reference that nothing takes counts again from zero; a robot that is not heard of is still away.
    const lost = (this.#missedReads >= MISSED_TICKS ? DRIVER_LOST : 0) | this.#stopButton();
    if (this.#state !== 'stopped') return lost | this.#startFault();
    // Only a seed shows whether the arm may go on from where it is. The standing reference is put back.
    const referenceRad = this.#chain.referenceRad.slice();
    const { isStopLatched } = this.#report;
    this.#seed(this.frame.robot.positionRad);
    const causes = lost | this.#startFault();
    this.#seed(referenceRad);
    this.#report.isStopLatched = isStopLatched;
    return causes;
  }

  /** An operator has seen the faults: those whose cause is gone are forgotten. Only where `mayAcknowledge`. */
  acknowledge(): void {
    // A standing robot goes on from what it last measured; one in fault has no torque and is measured anew. Elsewhere a
    // reading that is not believed yet must not become the measure of the next.
    if (this.#state === 'stopped') this.#seed(this.frame.robot.positionRad);
    else if (this.#state === 'fault') this.#measurement.restart();
    this.#missedWrites = 0;
    this.#brokenLimits = 0;
    this.#report.isStopLatched = false;
    this.#faults.acknowledge(this.#driverFaults() | this.#stopButton() | this.#startFault());
    this.#input.flags = this.#faults.flags;
  }

  /** Flags of this tick. Also takes the measurement over into the frame, if it can be believed. */
  #presentFaults(): number {
    let flags = this.#commands.check(this.#state, this.#report, this.#nowS) | this.#checkMeasurement();
    const isStalled = checkTick(this.#dtS, this.#periodS);
    if (this.isMoving) flags |= isStalled;
    if (this.#isPlaced && this.#measurement.isTrusted) this.#checkPlace();
    const isReferenceOld = !hasTorque(this.#state) || isStalled !== 0 || this.#seedResult === 'notFinite';
    // While the tick was held up, the reference stood still, and only the measurement says what the arm did.
    if (isReferenceOld && this.#measurement.isTrusted) this.#seed(this.frame.robot.positionRad);
    if (this.#report.isStopLatched) flags |= BROKEN_COMMANDS;
    if (this.#brokenLimits !== 0) flags |= LIMIT_BROKEN;
    if ((this.#report.bits & START_REFUSED) !== 0) flags |= START_FAR;
    flags |= this.#stopButton();
    if (this.#hasTank && hasTorque(this.#state)) flags |= this.#tank.check(this.#report.tankEnergyJ);
    if (this.#exit.isRunning) flags |= LETTING_DOWN;
    flags |= this.#overloadFaults();
    return flags | this.#followingFaults() | this.#driverFaults() | this.#startFault();
  }

  #checkMeasurement(): number {
    this.#sinceReadS += this.#dtS;
    if (this.#readStatus !== 'ok') {
      this.#missedReads++;
      this.#measurement.isTrusted = false;
      return 0;
    }
    this.#missedReads = 0;
    this.#hasAnswered = true;
    const { positionRad, velocityRadPerS } = this.#measured;
    const flags = this.#measurement.check(positionRad, this.#sinceReadS);
    if (this.#isNewReading) this.#sinceReadS = 0;
    if (!this.#measurement.isTrusted) return flags;
    if (!allFinite(velocityRadPerS)) {
      this.#measurement.isTrusted = false;
      return flags | READING_NOT_FINITE;
    }
    copyRobotState(this.frame.robot, this.#measured);
    this.frame.stampS = this.#stampS;
    if (this.#driver.meanWrench !== undefined) this.frame.meanWrench.set(this.#driver.meanWrench);
    return flags;
  }

  #stopButton(): number {
    return this.#driver.isEmergencyStopPressed === true ? EMERGENCY_STOP : 0;
  }

  /** Half as fast while the machine does not keep up. Before it moves, nothing is held up by a tick that comes late. */
  #overloadFaults(): number {
    const flags = this.#overload.check(this.#overruns.overruns, this.#nowS);
    this.#chain.speedRatio = (flags & OVERRUN) === 0 ? 1 : OVERLOAD_SPEED_RATIO;
    return this.isMoving ? flags : 0;
  }

  /** Whether the robot goes where the reference of the tick before is. A reading that is not believed says nothing. */
  #followingFaults(): number {
    // Outside its limits, where a person moves it, the robot is watched as well.
    if (!hasTorque(this.#state) || this.#seedResult === 'notFinite') {
      this.#following.restart();
      this.#contact.restart();
      this.#torques.restart();
      return 0;
    }
    if (!this.#measurement.isTrusted) return 0;
    const { positionRad, wrench } = this.frame.robot;
    const pressing = this.#contact.check(wrench, this.#isNewReading) | this.#torqueFaults();
    return pressing | this.#touching | this.#following.check(this.#chain.sentRad, positionRad, this.#dtS);
  }

  /** Where the reference is followed: the arm itself may be nearer than it. */
  #watchNearness(): void {
    if (!hasTorque(this.#state) || this.#seedResult !== 'ok') {
      this.#nearness.restart();
      this.#touching = 0;
      return;
    }
    if (this.#measurement.isTrusted) this.#touching = this.#nearness.check(this.#kinematics, this.#isNewReading);
    this.#chain.speedRatio = Math.min(this.#chain.speedRatio, this.#nearness.speedRatio);
  }

  #torqueFaults(): number {
    const torques = this.#torques;
    const { robot } = this.frame;
    const flags = torques.check(
      robot,
      this.#chain.sentRad,
      this.#sinceTorquesS,
      this.#isNewReading,
      this.#driver.meanWrench,
    );
    this.#sinceTorquesS = 0;
    // What stopped the arm stays to be read until that is acknowledged.
    if ((this.#faults.flags & TORQUE_FAULTS) === 0) {
      this.frame.residualJoint = torques.worstJoint;
      this.frame.residualNm = torques.worstNm;
    }
    return flags;
  }

  #driverFaults(): number {
    // A robot that comes up after the guard is not lost: it is waited for in the state `disconnected`.
    const isLost = this.#missedReads >= MISSED_TICKS && this.#hasAnswered;
    return isLost || this.#missedWrites >= MISSED_TICKS ? DRIVER_LOST : 0;
  }

  #startFault(): number {
    return this.#seedResult === 'ok' || this.#seedResult === 'notFinite' ? 0 : START_OUTSIDE;
  }

  #seed(jointsRad: ArrayLike<number>): void {
    // Where torque holds the robot, what was sent before pulls on it until the energy tank lets it follow.
    const isPulled = hasTorque(this.#state) && this.#seedResult !== 'notFinite';
    this.#seedResult = this.#chain.seed(jointsRad, isPulled ? 'on' : 'off');
    // What moves holds energy that the tank has not paid for.
    if (this.#state === 'standby' && isMeasuredAtRest(this.frame.robot.velocityRadPerS)) this.#chain.refillTank();
    this.#monitor.restart(this.#chain.referenceRad);
    this.#following.restart();
    this.#torques.restart();
    this.#report.isStopLatched = false;
  }

  /** A robot that was put elsewhere than asked is followed to where it is, as after any start. */
  #checkPlace(): void {
    this.#isPlaced = false;
    const { positionRad } = this.frame.robot;
    for (let i = 0; i < positionRad.length; i++) {
      if (Math.abs(positionRad[i]! - this.#chain.referenceRad[i]!) <= PLACED_RAD) continue;
      this.#seedResult = 'notFinite';
      return;
    }
  }

  /** Of a robot that does not answer, or whose measurements have ceased, only the reference is known. */
  #isAtRest(): boolean {
    const isStanding = this.#rest.check(this.#state, this.frame.robot.velocityRadPerS, this.#nowS);
    return (isStanding || this.#missedReads >= MISSED_TICKS) && this.#isReferenceAtRest();
  }

  /** True while commands may move the robot, and while it brakes. */
  get isMoving(): boolean {
    return this.#state === 'active.policy' || this.#state === 'active.human' || this.#state === 'stopping';
  }

  #isReferenceAtRest(): boolean {
    const velocity = this.#chain.referenceVelocityRadPerS;
    for (let i = 0; i < velocity.length; i++) if (velocity[i] !== 0) return false;
    return true;
  }
}
