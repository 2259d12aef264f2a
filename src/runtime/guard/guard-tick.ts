/** What the eight parts of a tick do. `tick.ts` says in which order. */
import {
  type ActionCommand,
  type ActionSpec,
  ArmKinematics,
  type Clock,
  createRobotState,
  type GuardFrame,
  type RobotModel,
  type RobotState,
  type SafetyStateName,
} from '../../core/index.ts';
import type { Driver, DriverStatus } from '../../drivers/driver.ts';
import { type ChainReport, createChainReport, LimitMonitor, SafetyChain, type SeedResult } from '../../safety/index.ts';
import { createActionCommand, createGuardFrame, type GuardPort } from '../guard-link/index.ts';
import type { TickStages } from '../tick.ts';
import { CommandLease } from './command-lease.ts';
import { Plausibility } from './plausibility.ts';

/** A tick that comes this many periods after the last one was held up: what the node wants is out of date. */
const STALLED_PERIODS = 3;
/** Slower than this the robot stands, rad/s. */
const STANDSTILL_RAD_PER_S = 0.01;
/** A robot that still trembles this long after its reference stands is taken to stand, s. */
const SETTLE_LIMIT_S = 1;

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

/** Where a stop leads once the robot stands. */
export type StopEnd = 'ready' | 'stopped' | 'fault';

/** All that a tick reads and writes, allocated once. `Guard` changes the state between ticks, the stages inside. */
export class GuardTick implements TickStages {
  readonly frame: GuardFrame;
  readonly lease: CommandLease = new CommandLease();
  readonly plausibility: Plausibility;
  /** How the reference was last taken from a measurement; nothing moves unless `ok`. */
  seedResult: SeedResult = 'notFinite';
  state: SafetyStateName = 'standby';
  isTorqueOn = false;

  readonly #driver: Driver;
  readonly #clock: Clock;
  readonly #port: GuardPort;
  readonly #overruns: { readonly overruns: number };
  readonly #periodS: number;
  readonly #measured: RobotState;
  readonly #kinematics: ArmKinematics;
  readonly #chain: SafetyChain;
  readonly #monitor: LimitMonitor;
  readonly #report: ChainReport = createChainReport();
  readonly #command: ActionCommand;
  #hasCommand = false;
  #chosen: ActionCommand | null = null;
  #readStatus: DriverStatus = 'ok';
  #isWriteRefused = false;
  #nowS: number;
  #dtS: number;
  #stopEnd: StopEnd = 'ready';
  #restingSinceS = Number.NaN;

  constructor(options: GuardTickOptions) {
    const { driver, model, action, policyPeriodS, clock, port } = options;
    this.#driver = driver;
    this.#clock = clock;
    this.#port = port;
    this.#overruns = options.overruns ?? { overruns: 0 };
    this.#periodS = 1 / model.controlHz;
    this.#measured = createRobotState(model.joints.length, driver.signalNames.length);
    this.frame = createGuardFrame(model.joints.length, driver.signalNames.length);
    this.plausibility = new Plausibility(model);
    this.#kinematics = new ArmKinematics(model);
    this.#chain = new SafetyChain({ model, action, policyPeriodS });
    this.#monitor = new LimitMonitor(model);
    this.#command = createActionCommand(action.dimensions.length);
    this.#nowS = clock.nowS();
    this.#dtS = this.#periodS;
  }

  get isActive(): boolean {
    return this.state === 'active.policy' || this.state === 'active.human';
  }

  read(): void {
    const nowS = this.#clock.nowS();
    this.#dtS = nowS - this.#nowS;
    this.#nowS = nowS;
    this.#readStatus = this.#driver.read(this.#measured);
    this.#measured.measuredAtS = nowS;
  }

  check(): void {
    const isTrue = this.plausibility.check(this.#measured, this.#readStatus, this.#dtS);
    if (isTrue) copyRobotState(this.frame.robot, this.#measured);
    const isStalled = this.#dtS > STALLED_PERIODS * this.#periodS;
    const { busLost, encoderWrong } = this.plausibility;
    if (busLost || encoderWrong || this.#isWriteRefused) this.#fail();
    else if (this.#report.isStopLatched) this.beginStop('stopped');
    else if (this.isActive && isStalled) this.beginStop('ready');
    // The reference stood still while the tick was held up, and only the measurement says what the arm did meanwhile.
    const isReferenceOld = !this.isTorqueOn || isStalled || this.seedResult === 'notFinite';
    if (isTrue && isReferenceOld) this.seed(this.frame.robot.positionRad);
    if (this.state === 'stopping' && this.#isStanding()) this.state = this.#stopEnd;
  }

  observe(): void {
    this.#kinematics.forward(this.frame.robot.positionRad);
    this.#kinematics.writeTcp(this.frame.measuredTcp);
  }

  decide(): void {
    if (!this.#port.latestCommand(this.#command)) return;
    this.#hasCommand = true;
    this.lease.renew(this.#command, this.#nowS);
  }

  arbitrate(): void {
    const mayMove = this.isActive && this.#hasCommand && this.#command.decider !== 'hold';
    this.#chosen = mayMove ? this.#command : null;
    // The chain refuses a command whose lease is over, too, and says so in this tick's bits.
    if (this.isActive && this.lease.isOver(this.#nowS)) this.beginStop('ready');
    else if (mayMove) this.state = this.#command.decider === 'human' ? 'active.human' : 'active.policy';
  }

  protect(): void {
    this.#chain.apply(this.#chosen, this.frame.robot, this.#nowS, this.#dtS, this.#report);
  }

  write(): void {
    // Before the first measurement nobody knows where the arm is, and the driver holds it there by itself.
    const isKnown = this.seedResult !== 'notFinite';
    this.#isWriteRefused = this.isTorqueOn && isKnown && this.#driver.write(this.#chain.referenceRad) !== 'ok';
  }

  record(): void {
    const { frame } = this;
    frame.tick++;
    frame.ticks++;
    frame.state = this.state;
    frame.decider = this.#report.decider;
    frame.commandSeq = this.#report.commandSeq;
    frame.filterBits = this.isTorqueOn ? this.#report.bits : 0;
    if (frame.filterBits !== 0) frame.changedTicks++;
    frame.referenceRad.set(this.#chain.referenceRad);
    frame.referenceTcp.set(this.#chain.referenceTcp);
    // With torque off, or from a pose outside the limits, the reference is where the arm was put, not where we sent it.
    if (this.isTorqueOn && this.seedResult === 'ok') this.#monitor.check(this.#chain.referenceRad, this.#dtS);
    frame.violations = this.#monitor.violations;
    frame.overruns = this.#overruns.overruns;
    this.#port.publish(frame);
  }

  /** Takes `jointsRad` as the pose from which the reference goes on, at rest. */
  seed(jointsRad: ArrayLike<number>): void {
    this.seedResult = this.#chain.seed(jointsRad);
    this.#monitor.restart(this.#chain.referenceRad);
    this.#report.isStopLatched = false;
  }

  /** The next true measurement is where the reference goes on from; until then nothing is written. */
  forgetPose(): void {
    this.seedResult = 'notFinite';
    this.plausibility.restart();
  }

  /** Commands that were sent before now mean nothing any more. */
  forgetCommand(): void {
    this.#port.latestCommand(this.#command);
    this.#hasCommand = false;
  }

  /** Brakes now; once the robot stands, the state becomes `end`. A worse end that is under way stays. */
  beginStop(end: StopEnd): void {
    if (this.state === 'stopping') {
      if (severity(end) > severity(this.#stopEnd)) this.#stopEnd = end;
      return;
    }
    if (this.state === end || this.state === 'fault' || (this.state === 'stopped' && end === 'ready')) return;
    this.state = 'stopping';
    this.#stopEnd = end;
    this.#restingSinceS = Number.NaN;
  }

  /** Where the stop that is under way leads. */
  get stopEnd(): StopEnd {
    return this.#stopEnd;
  }

  #fail(): void {
    if (this.isTorqueOn) this.beginStop('fault');
    else this.state = 'fault';
  }

  /** The reference rests, and the robot too or it never will. */
  #isStanding(): boolean {
    if (maxAbs(this.#chain.referenceVelocityRadPerS) > 0) {
      this.#restingSinceS = Number.NaN;
      return false;
    }
    if (Number.isNaN(this.#restingSinceS)) this.#restingSinceS = this.#nowS;
    const isStill = maxAbs(this.frame.robot.velocityRadPerS) <= STANDSTILL_RAD_PER_S;
    return isStill || this.#nowS - this.#restingSinceS >= SETTLE_LIMIT_S;
  }
}

function severity(end: StopEnd): number {
  if (end === 'ready') return 0;
  return end === 'stopped' ? 1 : 2;
}

function maxAbs(values: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]!));
  return largest;
}

function copyRobotState(into: RobotState, from: RobotState): void {
  into.positionRad.set(from.positionRad);
  into.velocityRadPerS.set(from.velocityRadPerS);
  into.torqueNm.set(from.torqueNm);
  into.wrench.set(from.wrench);
  into.signals.set(from.signals);
  into.measuredAtS = from.measuredAtS;
}
