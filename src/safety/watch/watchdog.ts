/** Watches what should keep coming: commands, plausible measurements, ticks, and rest after a stop. Flags as in `faults.ts`. */
import { type RobotModel, type SafetyStateName, servoLagS } from '../../core/index.ts';
import type { ChainReport } from '../chain-report.ts';
import { COMMAND_LATE, COMMAND_LOST, ENCODER_JUMP, READING_NOT_FINITE, TICK_STALLED } from '../fault-table/flags.ts';

/** Without a command that could be followed for so long, the arm is stopped, s. */
const LOST_AFTER_S = 1;
/** Encoder noise and quantisation, rad. */
const JUMP_SLACK_RAD = 0.005;
const JUMP_RATIO = 1.5;
const STALL_PERIODS = 3;
const REST_RAD_PER_S = 0.01;
const REST_AFTER_S = 1;
/** So many ticks without a reading are blind, and so many readings in a row then show rest. */
const REST_READINGS = 3;
const SETTLE_LAGS = 3;
/** Whatever a robot's file says: torque that is to go off does not stay for longer, s. */
const MOST_SETTLE_S = 1;

/** The lease, seen from the guard: late at once, lost after a second. Tick-safe. */
export class CommandWatchdog {
  #followedAtS = Number.NEGATIVE_INFINITY;
  #hasFollowed = false;

  /**
   * Judges the chain's `report` of a tick at `nowS` in `state`. Only the policy's silence counts: a person may let go. Before
   * its first command the robot stands, and nothing is late yet.
   */
  check(state: SafetyStateName, report: ChainReport, nowS: number): number {
    if (state !== 'active.policy' || report.isFollowing) {
      this.#followedAtS = nowS;
      this.#hasFollowed = state === 'active.policy';
      return 0;
    }
    if (!this.#hasFollowed && nowS - this.#followedAtS <= LOST_AFTER_S) return 0;
    return nowS - this.#followedAtS > LOST_AFTER_S ? COMMAND_LATE | COMMAND_LOST : COMMAND_LATE;
  }
}

/** Whether measured joints can be believed. Tick-safe after construction. */
export class MeasurementWatchdog {
  /** The last reading was plausible; otherwise go on with the one before. */
  isTrusted = false;

  readonly #model: RobotModel;
  readonly #trusted: Float64Array;
  #sinceTrustedS = 0;
  #jumps = 0;
  #hasReading = false;

  constructor(model: RobotModel) {
    this.#model = model;
    this.#trusted = new Float64Array(model.joints.length);
  }

  /** The next reading may be anywhere, as after the scene was rearranged; until it has come none is believed. */
  restart(): void {
    this.isTrusted = false;
    this.#hasReading = false;
    this.#jumps = 0;
    this.#sinceTrustedS = 0;
  }

  /** Judges the joints `positionRad` (n) measured `dtS` after the last ones: one jump is ignored, the second in a row is a fault. */
  check(positionRad: ArrayLike<number>, dtS: number): number {
    this.isTrusted = false;
    for (let i = 0; i < this.#trusted.length; i++) {
      if (!Number.isFinite(positionRad[i])) return READING_NOT_FINITE;
    }
    // A NaN or negative period allows no motion beyond the slack.
    this.#sinceTrustedS += dtS > 0 ? dtS : 0;
    if (this.#hasReading && this.#hasJumped(positionRad)) {
      this.#jumps++;
      return this.#jumps >= 2 ? ENCODER_JUMP : 0;
    }
    for (let i = 0; i < this.#trusted.length; i++) this.#trusted[i] = positionRad[i]!;
    this.#hasReading = true;
    this.#jumps = 0;
    this.#sinceTrustedS = 0;
    this.isTrusted = true;
    return 0;
  }

  #hasJumped(positionRad: ArrayLike<number>): boolean {
    for (let i = 0; i < this.#trusted.length; i++) {
      const most = JUMP_RATIO * this.#model.joints[i]!.velocityMaxRadPerS * this.#sinceTrustedS + JUMP_SLACK_RAD;
      if (Math.abs(positionRad[i]! - this.#trusted[i]!) > most) return true;
    }
    return false;
  }
}

/** `tickStalled` when `dtS` since the last tick is more than three periods, or not a number. Tick-safe. */
export function checkTick(dtS: number, periodS: number): number {
  return dtS <= STALL_PERIODS * periodS ? 0 : TICK_STALLED;
}

/** Whether every joint is measured at no more than 0.01 rad/s; NaN is not at rest. Tick-safe. */
export function isMeasuredAtRest(velocityRadPerS: ArrayLike<number>): boolean {
  for (let i = 0; i < velocityRadPerS.length; i++) {
    if (!(Math.abs(velocityRadPerS[i]!) <= REST_RAD_PER_S)) return false;
  }
  return true;
}

/** No axis moves at all. Tick-safe. */
export function isStill(velocityRadPerS: ArrayLike<number>): boolean {
  for (let i = 0; i < velocityRadPerS.length; i++) if (velocityRadPerS[i] !== 0) return false;
  return true;
}

/**
 * Detects when a stop has come to rest: the reference stands, and every joint is measured at no more than 0.01 rad/s. Without readings, or
 * where a second in `stopping` has not brought that, the servos get the time in which they follow a reference that stands: three times
 * damping/stiffness, after which a twentieth of their lag is left. Tick-safe after construction.
 */
export class RestDetector {
  readonly #settleS: number;
  #stoppingSinceS: number = Number.NaN;
  #stillSinceS: number = Number.NaN;
  #isMeasuredAtRest = false;
  /** Ticks in a row without a reading. */
  #missed = 0;
  /** Readings at rest that are wanted before rest is believed: none while no reading was missed. */
  #wanted = 0;

  constructor({ joints }: Pick<RobotModel, 'joints'>) {
    this.#settleS = Math.min(MOST_SETTLE_S, SETTLE_LAGS * Math.max(0, ...joints.map(servoLagS)));
  }

  /** A reading that is believed, of joints that move at `velocityRadPerS` (n). */
  see(velocityRadPerS: ArrayLike<number>): void {
    this.#missed = 0;
    this.#isMeasuredAtRest = isMeasuredAtRest(velocityRadPerS);
    if (this.#wanted > 0) this.#wanted = this.#isMeasuredAtRest ? this.#wanted - 1 : REST_READINGS;
  }

  /** A tick without a reading that is believed. */
  miss(): void {
    this.#missed++;
    this.#wanted = REST_READINGS;
  }

  /** True when the robot counts as standing at `nowS`, in `state` and with the reference moving at `referenceRadPerS` (n). */
  check(state: SafetyStateName, referenceRadPerS: ArrayLike<number>, nowS: number): boolean {
    if (state !== 'stopping') this.#stoppingSinceS = Number.NaN;
    else if (Number.isNaN(this.#stoppingSinceS)) this.#stoppingSinceS = nowS;
    if (!isStill(referenceRadPerS)) {
      this.#stillSinceS = Number.NaN;
      return false;
    }
    if (Number.isNaN(this.#stillSinceS)) this.#stillSinceS = nowS;
    if (this.#wanted === 0 && this.#isMeasuredAtRest) return true;
    const hasSettled = nowS - this.#stillSinceS >= this.#settleS;
    return hasSettled && (this.#missed >= REST_READINGS || nowS - this.#stoppingSinceS >= REST_AFTER_S);
  }
}
