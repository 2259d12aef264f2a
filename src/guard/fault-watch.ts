/** What is wrong with the motion: commands, timing, and whether the robot goes where it was sent, freely and clear of obstacles. */
import { ArmKinematics, type GuardFrame, type RobotModel, type SafetyStateName } from '../core/index.ts';
import type { DriverFacts, DriverReport } from '../drivers/index.ts';
import {
  CommandWatchdog,
  ContactMonitor,
  type FaultLatch,
  FollowingWatchdog,
  FROZEN_READING,
  hasTorque,
  MeasuredClearance,
  OVERLOAD_SPEED_RATIO,
  OverloadWatchdog,
  SeparationWatch,
  SLOWING,
  STALLED,
  TankWatch,
  TORQUE_FAULTS,
  TorqueObserver,
} from '../safety/index.ts';
import type { Measurement } from './measurement.ts';
import type { Protection } from './protection.ts';

/** How ticks keep their deadlines; in lock-step time nothing is late. */
export interface TickTiming {
  /** Ticks that began or ended too late, so far. */
  readonly overruns: number;
  /** How long after its deadline the present tick began, s. */
  readonly lateS: number;
}

/** A tick that begins so much of its period late is late for what compares set-points with torques. */
const LATE_SHARE = 0.25;

/** True while commands may move the robot, and while it brakes. */
export function isMoving(state: SafetyStateName): boolean {
  return state === 'active.policy' || state === 'active.human' || state === 'stopping';
}

/** Looks at each tick once, after its measurement. Slows the chain where that is enough. Tick-safe after construction. */
export class FaultWatch {
  readonly #report: DriverReport;
  readonly #measuresTorque: boolean;
  readonly #measurement: Measurement;
  readonly #protection: Protection;
  readonly #timing: TickTiming;
  readonly #faults: FaultLatch;
  readonly #frame: GuardFrame;
  readonly #kinematics: ArmKinematics;
  readonly #commands: CommandWatchdog = new CommandWatchdog();
  readonly #overload: OverloadWatchdog = new OverloadWatchdog();
  readonly #tank: TankWatch;
  readonly #following: FollowingWatchdog;
  readonly #contact: ContactMonitor;
  readonly #torques: TorqueObserver;
  /** From which on a tick is late for what compares set-points with torques, s. */
  readonly #lateS: number;
  readonly #nearness: MeasuredClearance;
  readonly #separation: SeparationWatch;
  readonly #toolSpeedMPerS: number;
  /** No joint goes faster than this share of its highest speed, whatever else slows it. */
  speedRatioMax = 1;
  /** What the measured arm touched, reported in the next tick. */
  #touching = 0;

  constructor(
    report: DriverReport,
    facts: DriverFacts,
    model: RobotModel,
    measurement: Measurement,
    protection: Protection,
    timing: TickTiming,
    faults: FaultLatch,
  ) {
    this.#report = report;
    this.#measuresTorque = facts.measuresTorque !== false;
    this.#measurement = measurement;
    this.#protection = protection;
    this.#timing = timing;
    this.#faults = faults;
    this.#frame = measurement.frame;
    this.#kinematics = new ArmKinematics(model);
    this.#tank = new TankWatch(model);
    const capped = cappedModel(model, facts);
    this.#following = new FollowingWatchdog(
      model,
      capped.joints.map(({ torqueMaxNm }) => torqueMaxNm),
    );
    this.#contact = new ContactMonitor(model);
    this.#torques = new TorqueObserver(this.#measuresTorque ? model : { ...model, torqueObserver: undefined });
    this.#lateS = LATE_SHARE / model.controlHz;
    this.#nearness = new MeasuredClearance(model);
    // Nobody stands beside an arm that is simulated.
    this.#separation = new SeparationWatch(facts.isSimulated === true ? { ...model, separation: undefined } : model);
    this.#toolSpeedMPerS = model.toolSpeedMaxMPerS ?? Number.POSITIVE_INFINITY;
    // Silence counts from now on, not from the beginning of time.
    this.#commands.check('standby', protection.report, measurement.nowS);
  }

  /** Flags of this tick in `state`. Before the robot moves, nothing is held up by a tick that comes late. */
  check(state: SafetyStateName): number {
    const { report } = this.#protection;
    const { nowS } = this.#measurement;
    let flags = this.#commands.check(state, report, nowS);
    if (hasTorque(state)) flags |= this.#tank.check(report.tankEnergyJ);
    const overload = this.#overload.check(this.#timing.overruns, nowS);
    this.#slowDown(overload | this.#measurement.driverFaults);
    if (isMoving(state)) flags |= overload | this.#measurement.stalled;
    const near = this.#separation.check(this.#report.distance, nowS);
    this.#protection.chain.toolSpeedMPerS = Math.min(this.#toolSpeedMPerS, this.#separation.toolSpeedMPerS);
    // Whoever stands beside an arm that is not moved keeps nobody from working there.
    if (isMoving(state)) flags |= near;
    return flags | this.#checkFollowing(state);
  }

  /** [n] see `FollowingWatchdog`. */
  get beyondRad(): Float64Array {
    return this.#following.beyondRad;
  }

  /** Writes the tool's pose. Where the reference is followed, the arm itself may be nearer to something than it. */
  observe(state: SafetyStateName): void {
    this.#kinematics.forward(this.#frame.robot.positionRad);
    this.#kinematics.writeTcp(this.#frame.measuredTcp);
    if (!this.#protection.isDriven(state)) {
      this.#nearness.restart();
      this.#touching = 0;
      return;
    }
    const { chain } = this.#protection;
    const { isTrusted, isNew } = this.#measurement;
    if (isTrusted) this.#touching = this.#nearness.check(this.#kinematics, isNew);
    chain.speedRatio = Math.min(chain.speedRatio, this.#nearness.speedRatio);
  }

  /** The reference starts anew: what it was before is not to be followed. */
  restart(): void {
    this.#following.restart();
    this.#torques.restart();
  }

  /** Half as fast while the machine does not keep up, the battery is low, or something is near. */
  #slowDown(flags: number): void {
    const ratio = (flags & SLOWING) === 0 ? 1 : OVERLOAD_SPEED_RATIO;
    this.#protection.chain.speedRatio = Math.min(this.speedRatioMax, ratio);
  }

  /** Whether the robot goes where the reference of the tick before is. A reading that is not believed says nothing. */
  #checkFollowing(state: SafetyStateName): number {
    // Outside its limits, where a person moves it, the robot is watched as well.
    if (!this.#protection.isSent(state)) {
      this.restart();
      this.#contact.restart();
      return 0;
    }
    const { isTrusted, isNew, dtS } = this.#measurement;
    if (!isTrusted) return 0;
    const { positionRad, torqueNm, wrench } = this.#frame.robot;
    const { sentRad } = this.#protection.chain;
    const pressing = this.#contact.check(wrench, isNew) | this.#checkTorques();
    const torques = this.#measuresTorque ? torqueNm : undefined;
    const following = this.#following.check(sentRad, positionRad, dtS, torques);
    // What its driver calls stalled does not move, and is read as it is.
    const isStalled = (this.#measurement.driverFaults & STALLED) !== 0;
    return pressing | this.#touching | (isStalled ? following & ~FROZEN_READING : following);
  }

  #checkTorques(): number {
    const torques = this.#torques;
    const { robot } = this.#frame;
    const { sentRad } = this.#protection.chain;
    if (this.#timing.lateS > this.#lateS) torques.late();
    const stampedS = this.#measurement.takeStampedS();
    const flags = torques.check(robot, sentRad, stampedS, this.#measurement.isNew, this.#report.meanWrench);
    // What stopped the arm stays to be read until that is acknowledged.
    if ((this.#faults.flags & TORQUE_FAULTS) === 0) {
      this.#frame.residualJoint = torques.worstJoint;
      this.#frame.residualNm = torques.worstNm;
    }
    return flags;
  }
}

/** `model` with no more torque than its driver lets the joints give. */
export function cappedModel(model: RobotModel, { torqueCapNm }: Pick<DriverFacts, 'torqueCapNm'>): RobotModel {
  if (torqueCapNm === undefined) return model;
  const joints = model.joints.map((joint, i) => {
    const capNm = torqueCapNm[i]!;
    return { ...joint, torqueMaxNm: capNm > 0 ? Math.min(joint.torqueMaxNm, capNm) : joint.torqueMaxNm };
  });
  return { ...model, joints };
}
