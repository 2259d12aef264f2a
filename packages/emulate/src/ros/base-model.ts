/**
 * Motion of a wheeled base: it approaches the commanded velocity as fast as its motors permit, and stops by itself after
 * a time without commands, as base controllers do. Pure: time is a parameter.
 */
import { clamp, wrapAngleRad } from '../../../../src/model/index.ts';

export type BaseKind = 'differential' | 'omni' | 'ackermann';

export interface BaseOptions {
  readonly kind: BaseKind;
  readonly speedMaxMPerS: number;
  readonly accelMaxMPerS2: number;
  readonly turnMaxRadPerS: number;
  readonly turnAccelMaxRadPerS2: number;
  /** Distance between the axles; `ackermann` only. */
  readonly wheelBaseM: number;
  readonly steerMaxRad: number;
  readonly steerRateMaxRadPerS: number;
  /** Time without a command after which it comes to a stop. */
  readonly commandTimeoutS: number;
  /** Share of the wheels' travel that is lost on the floor, [0, 1): odometry does not see it. */
  readonly slipRatio: number;
}

/** Pose in the plane. */
export interface PlanarPose {
  xM: number;
  yM: number;
  yawRad: number;
}

export class BaseModel {
  /** Pose from the wheels. */
  readonly odometry: PlanarPose = { xM: 0, yM: 0, yawRad: 0 };
  /** True pose. */
  readonly truth: PlanarPose = { xM: 0, yM: 0, yawRad: 0 };
  /** From the wheels, in the base's own frame. */
  forwardMPerS = 0;
  sidewaysMPerS = 0;
  turnRadPerS = 0;
  /** `ackermann` only. */
  steerRad = 0;
  readonly #options: BaseOptions;
  #wantedForwardMPerS = 0;
  #wantedSidewaysMPerS = 0;
  #wantedTurnRadPerS = 0;
  #wantedSteerRad = 0;
  #commandedAtS = Number.NEGATIVE_INFINITY;

  constructor(options: BaseOptions) {
    this.#options = options;
  }

  /** Takes velocities in the base's own frame. A car converts them to a steering angle; only `omni` moves sideways. */
  drive(forwardMPerS: number, sidewaysMPerS: number, turnRadPerS: number, nowS: number): string | undefined {
    if (!Number.isFinite(forwardMPerS + sidewaysMPerS + turnRadPerS)) return 'a velocity that is not finite';
    const { kind, wheelBaseM } = this.#options;
    if (kind === 'ackermann') {
      const steerRad = Math.abs(forwardMPerS) < 1e-6 ? 0 : Math.atan((wheelBaseM * turnRadPerS) / forwardMPerS);
      return this.steer(forwardMPerS, steerRad, nowS);
    }
    this.#commandedAtS = nowS;
    this.#wantedForwardMPerS = this.#limited(forwardMPerS);
    this.#wantedSidewaysMPerS = kind === 'omni' ? this.#limited(sidewaysMPerS) : 0;
    this.#wantedTurnRadPerS = clamp(turnRadPerS, -this.#options.turnMaxRadPerS, this.#options.turnMaxRadPerS);
    return undefined;
  }

  /** Takes speed and steering angle; for `ackermann` only. */
  steer(speedMPerS: number, steerRad: number, nowS: number): string | undefined {
    if (!Number.isFinite(speedMPerS + steerRad)) return 'a speed or steering angle that is not finite';
    this.#commandedAtS = nowS;
    this.#wantedForwardMPerS = this.#limited(speedMPerS);
    this.#wantedSteerRad = clamp(steerRad, -this.#options.steerMaxRad, this.#options.steerMaxRad);
    return undefined;
  }

  /** Requests standstill. */
  halt(): void {
    this.#commandedAtS = Number.NEGATIVE_INFINITY;
  }

  /** Advances by `dtS` > 0, to `nowS`. */
  step(nowS: number, dtS: number): void {
    const o = this.#options;
    if (nowS - this.#commandedAtS > o.commandTimeoutS) {
      this.#wantedForwardMPerS = this.#wantedSidewaysMPerS = this.#wantedTurnRadPerS = 0;
    }
    this.forwardMPerS = approach(this.forwardMPerS, this.#wantedForwardMPerS, o.accelMaxMPerS2 * dtS);
    this.sidewaysMPerS = approach(this.sidewaysMPerS, this.#wantedSidewaysMPerS, o.accelMaxMPerS2 * dtS);
    if (o.kind === 'ackermann') {
      this.steerRad = approach(this.steerRad, this.#wantedSteerRad, o.steerRateMaxRadPerS * dtS);
      this.turnRadPerS = (this.forwardMPerS * Math.tan(this.steerRad)) / o.wheelBaseM;
    } else {
      this.turnRadPerS = approach(this.turnRadPerS, this.#wantedTurnRadPerS, o.turnAccelMaxRadPerS2 * dtS);
    }
    this.#move(this.odometry, dtS);
    this.#move(this.truth, dtS * (1 - o.slipRatio));
  }

  #limited(speedMPerS: number): number {
    return clamp(speedMPerS, -this.#options.speedMaxMPerS, this.#options.speedMaxMPerS);
  }

  #move(pose: PlanarPose, dtS: number): void {
    // The heading at mid-step makes the arc correct to second order.
    const headingRad = pose.yawRad + (this.turnRadPerS * dtS) / 2;
    const c = Math.cos(headingRad);
    const s = Math.sin(headingRad);
    pose.xM += (c * this.forwardMPerS - s * this.sidewaysMPerS) * dtS;
    pose.yM += (s * this.forwardMPerS + c * this.sidewaysMPerS) * dtS;
    pose.yawRad = wrapAngleRad(pose.yawRad + this.turnRadPerS * dtS);
  }
}

function approach(value: number, wanted: number, by: number): number {
  return value + clamp(wanted - value, -by, by);
}
