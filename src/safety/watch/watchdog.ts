/** Watchdogs for commands, plausible measurements, ticks, and rest after a stop. Flags as in `faults.ts`. */
import { type RobotModel, servoLagS } from '../../model/index.ts';
import type { SafetyStateName } from '../../rows/index.ts';
import type { ChainReport } from '../chain-report.ts';
import { COMMAND_LATE, COMMAND_LOST, ENCODER_JUMP, READING_NOT_FINITE, TICK_STALLED } from '../fault-table/flags.ts';

/** Time without a command that could be followed after which the arm is stopped, s. */
const LOST_AFTER_S = 1;
/** Encoder noise and quantisation, rad. */
const JUMP_SLACK_RAD = 0.005;
const JUMP_RATIO = 1.5;
const STALL_PERIODS = 3;
const REST_RAD_PER_S = 0.01;
const REST_AFTER_S = 1;
/** Ticks without a reading that count as blind, and consecutive readings that then show rest. */
const REST_READINGS = 3;
const SETTLE_LAGS = 3;
/** Largest delay of switching torque off, whatever the robot's file, s. */
const MOST_SETTLE_S = 1;

/** Lease watchdog of the guard: late at once, lost after a second. Tick-safe. */
export class CommandWatchdog {
  #followedAtS = Number.NEGATIVE_INFINITY;
  #hasFollowed = false;

  /**
   * Checks the chain's `report` of a tick at `nowS` in `state`. Only the policy's silence counts: a human may let go.
   * Before its first command the robot stands, and no command is late yet.
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

/** Checks that measured joints are plausible. Tick-safe after construction. */
export class MeasurementWatchdog {
  /** True if the last reading was plausible; otherwise the caller continues with the one before. */
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

  /** Accepts any next reading, as after the scene was rearranged; until it has come none is trusted. */
  restart(): void {
    this.isTrusted = false;
    this.#hasReading = false;
    this.#jumps = 0;
    this.#sinceTrustedS = 0;
  }

  /** Checks the joints `positionRad` (n) measured `dtS` after the last ones: one jump is ignored, the second in a row is a fault. */
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

/** Returns `tickStalled` if `dtS` since the last tick is more than three periods, or NaN. Tick-safe. */
export function checkTick(dtS: number, periodS: number): number {
  return dtS <= STALL_PERIODS * periodS ? 0 : TICK_STALLED;
}

/** True if every joint is measured at no more than 0.01 rad/s; NaN is not at rest. Tick-safe. */
export function isMeasuredAtRest(velocityRadPerS: ArrayLike<number>): boolean {
  for (let i = 0; i < velocityRadPerS.length; i++) {
    if (!(Math.abs(velocityRadPerS[i]!) <= REST_RAD_PER_S)) return false;
  }
  return true;
}

/** True if no axis moves at all. Tick-safe. */
export function isStill(velocityRadPerS: ArrayLike<number>): boolean {
  for (let i = 0; i < velocityRadPerS.length; i++) if (velocityRadPerS[i] !== 0) return false;
  return true;
}

/**
 * Detects rest after a stop: the reference stands, and every joint is measured at no more than 0.01 rad/s. Without
 * readings, or if a second in `stopping` has not brought that, the servos get the time in which they follow a standing
 * reference: three times damping/stiffness, after which a twentieth of their lag is left. Tick-safe after construction.
 */
export class RestDetector {
  readonly #settleS: number;
  #stoppingSinceS: number = Number.NaN;
  #stillSinceS: number = Number.NaN;
  #isMeasuredAtRest = false;
  /** Consecutive ticks without a reading. */
  #missed = 0;
  /** Readings at rest still required before rest is confirmed: none while no reading was missed. */
  #wanted = 0;

  constructor({ joints }: Pick<RobotModel, 'joints'>) {
    this.#settleS = Math.min(MOST_SETTLE_S, SETTLE_LAGS * Math.max(0, ...joints.map(servoLagS)));
  }

  /** Takes a trusted reading, of joints that move at `velocityRadPerS` (n). */
  see(velocityRadPerS: ArrayLike<number>): void {
    this.#missed = 0;
    this.#isMeasuredAtRest = isMeasuredAtRest(velocityRadPerS);
    if (this.#wanted > 0) this.#wanted = this.#isMeasuredAtRest ? this.#wanted - 1 : REST_READINGS;
  }

  /** Counts a tick without a trusted reading. */
  miss(): void {
    this.#missed++;
    this.#wanted = REST_READINGS;
  }

  /** True if the robot counts as standing at `nowS`, in `state` and with the reference moving at `referenceRadPerS` (n). */
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
