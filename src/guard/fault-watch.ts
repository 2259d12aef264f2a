/** Fault detection for the motion: commands, timing, and whether the robot follows its reference, freely and clear of obstacles. */

import type { DriverFacts, DriverReport } from '../drivers/index.ts';
import { ArmKinematics, type RobotModel } from '../model/index.ts';
import type { GuardFrame, SafetyStateName } from '../rows/index.ts';
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

/** Deadline statistics of the ticks; in lock-step nothing is late. */
export interface TickTiming {
  /** Number of ticks so far that began or ended too late. */
  readonly overruns: number;
  /** Lateness of the present tick, s. */
  readonly lateS: number;
}

/** Lateness, as a fraction of the period, from which the torque observer treats a tick as late. */
const LATE_SHARE = 0.25;

/** True while commands may move the robot, and while it brakes. */
export function isMoving(state: SafetyStateName): boolean {
  return state === 'active.policy' || state === 'active.human' || state === 'stopping';
}

/** Checks each tick once, after its measurement. Reduces the chain's speed if that suffices. Tick-safe after construction. */
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
  /** Lateness from which the torque observer treats a tick as late, s. */
  readonly #lateS: number;
  readonly #nearness: MeasuredClearance;
  readonly #separation: SeparationWatch;
  readonly #toolSpeedMPerS: number;
  /** Upper bound of the speed ratio of all joints, combined with further reductions. */
  speedRatioMax = 1;
  /** Contact flags of the measured arm, reported in the next tick. */
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
    // No person stands beside a simulated arm.
    this.#separation = new SeparationWatch(facts.isSimulated === true ? { ...model, separation: undefined } : model);
    this.#toolSpeedMPerS = model.toolSpeedMaxMPerS ?? Number.POSITIVE_INFINITY;
    // Silence counts from now, not from time zero.
    this.#commands.check('standby', protection.report, measurement.nowS);
  }

  /** Returns the fault flags of this tick in `state`. A late tick is a fault only while the robot moves. */
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
    // A person beside an arm that is not moving is no fault: work there may continue.
    if (isMoving(state)) flags |= near;
    return flags | this.#checkFollowing(state);
  }

  /** [n] see `FollowingWatchdog`. */
  get beyondRad(): Float64Array {
    return this.#following.beyondRad;
  }

  /** Writes the measured tool pose, and checks the measured arm, which may be closer to an obstacle than its reference. */
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

  /** Restarts after the reference was re-seeded: earlier references are not to be followed. */
  restart(): void {
    this.#following.restart();
    this.#torques.restart();
  }

  /** Reduces the speed while the machine is overloaded, the battery is low, or an obstacle is near. */
  #slowDown(flags: number): void {
    const ratio = (flags & SLOWING) === 0 ? 1 : OVERLOAD_SPEED_RATIO;
    this.#protection.chain.speedRatio = Math.min(this.speedRatioMax, ratio);
  }

  /** Checks that the robot follows the reference of the previous tick. An untrusted reading is skipped. */
  #checkFollowing(state: SafetyStateName): number {
    // Outside its limits, where the operator moves it, the robot is monitored too.
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
    // A joint that its driver reports as stalled does not move, and its constant reading is genuine.
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
    // The figures of a torque fault stay readable until it is acknowledged.
    if ((this.#faults.flags & TORQUE_FAULTS) === 0) {
      this.#frame.residualJoint = torques.worstJoint;
      this.#frame.residualNm = torques.worstNm;
    }
    return flags;
  }
}

/** `model` with torque limits reduced to the driver's caps. */
export function cappedModel(model: RobotModel, { torqueCapNm }: Pick<DriverFacts, 'torqueCapNm'>): RobotModel {
  if (torqueCapNm === undefined) return model;
  const joints = model.joints.map((joint, i) => {
    const capNm = torqueCapNm[i]!;
    return { ...joint, torqueMaxNm: capNm > 0 ? Math.min(joint.torqueMaxNm, capNm) : joint.torqueMaxNm };
  });
  return { ...model, joints };
}
