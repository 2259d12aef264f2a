/** What the check needs of a simulated robot. MuJoCo's `RobotPlant` is one; a plant that follows with a lag another. */
import type { RobotModel } from '../core/index.ts';

export interface CheckedPlant {
  /** [n] measured, rad. */
  readonly positionRad: Float64Array;
  /** [n] rad/s. */
  readonly velocityRadPerS: Float64Array;
  /** [n] the set-point in force, rad. */
  readonly setPointRad: Float64Array;
  reset(jointsRad: ArrayLike<number>): void;
  /** A period of any length passes; false when the simulation can no longer be trusted. */
  step(sentRad: ArrayLike<number>, dtS: number): boolean;
  kineticJ(): number;
  potentialJ(): number;
  contactForceN(): number;
  /** Between monitored bodies of the simulated robot, m; negative where they overlap. */
  smallestDistanceM(): number;
  /** The same of its own shapes at the pose `jointsRad` ([n], rad), wherever the simulated robot is. */
  distanceAtM(jointsRad: ArrayLike<number>): number;
  close(): void;
}

/** Share of the way to its reference that the joint goes in a nominal period. */
const FOLLOW = 0.4;

/** Joints that follow with a lag and weigh nothing: for robots without a model of their masses, and for quick tests. */
export class LagPlant implements CheckedPlant {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  readonly setPointRad: Float64Array;
  readonly #periodS: number;

  constructor(model: RobotModel) {
    const n = model.joints.length;
    this.positionRad = Float64Array.from(model.homeRad);
    this.velocityRadPerS = new Float64Array(n);
    this.setPointRad = Float64Array.from(model.homeRad);
    this.#periodS = 1 / model.controlHz;
  }

  reset(jointsRad: ArrayLike<number>): void {
    this.positionRad.set(jointsRad);
    this.setPointRad.set(jointsRad);
    this.velocityRadPerS.fill(0);
  }

  step(sentRad: ArrayLike<number>, dtS: number): boolean {
    this.setPointRad.set(sentRad);
    if (!(dtS > 0)) return true;
    const share = 1 - (1 - FOLLOW) ** (dtS / this.#periodS);
    let isTrusted = true;
    for (let i = 0; i < this.positionRad.length; i++) {
      const change = share * (sentRad[i]! - this.positionRad[i]!);
      this.positionRad[i] = this.positionRad[i]! + change;
      this.velocityRadPerS[i] = change / dtS;
      isTrusted &&= Number.isFinite(change);
    }
    return isTrusted;
  }

  kineticJ(): number {
    return 0;
  }

  potentialJ(): number {
    return 0;
  }

  contactForceN(): number {
    return 0;
  }

  smallestDistanceM(): number {
    return Number.POSITIVE_INFINITY;
  }

  distanceAtM(): number {
    return Number.POSITIVE_INFINITY;
  }

  close(): void {}
}
