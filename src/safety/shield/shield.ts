/**
 * The trusted core: lets a velocity through only if one tick of it, followed by the brake manoeuvre, keeps every joint
 * inside its limits and the tool point inside the workspace box, all along the path and not only at samples.
 * Otherwise slower motions are tried, and at last the brake step that was verified a tick ago. (docs/safety-case.md)
 */
import { ArmKinematics, type RobotModel } from '../../core/index.ts';
import { SHIELD_BRAKE, SHIELD_SCALED } from '../bits.ts';
import { brakePathS, brakeStep } from '../limits/index.ts';

/** Shares of the way from the brake step to the wanted velocity that are tried, in order. */
const CANDIDATES = [1, 0.7, 0.4, 0.1] as const;
/** Into how many pieces the path is cut before it is given up. */
const PIECES = [1, 4, 16] as const;

/** Verifies brake paths of one robot. Keeps no state between ticks; tick-safe after construction. */
export class Shield {
  readonly #model: RobotModel;
  readonly #probe: ArmKinematics;
  readonly #brake: Float64Array;
  readonly #candidate: Float64Array;
  readonly #joints: Float64Array;
  readonly #begin: Float64Array = new Float64Array(3);
  /** [6] the walls in force: the box, never tighter than where the tool is now, m. */
  readonly #low: Float64Array = new Float64Array(3);
  readonly #high: Float64Array = new Float64Array(3);

  constructor(model: RobotModel) {
    this.#model = model;
    this.#probe = new ArmKinematics(model);
    this.#brake = new Float64Array(model.joints.length);
    this.#candidate = new Float64Array(model.joints.length);
    this.#joints = new Float64Array(model.joints.length);
  }

  /**
   * Changes `velocity` (n, rad/s) in place for a tick of `dtS` from the reference `referenceRad` (n), whose tool point is
   * `tcpM` (3), moving with `previous` (n) so far. `velocity` must already obey the velocity and acceleration limits;
   * then so does the result, as the brake step does and the limits are convex. Returns reason bits.
   */
  apply(
    velocity: Float64Array,
    referenceRad: Float64Array,
    tcpM: Float64Array,
    previous: Float64Array,
    dtS: number,
  ): number {
    const brake = this.#brake;
    const candidate = this.#candidate;
    this.#placeWalls(tcpM);
    brakeStep(brake, this.#model, previous, dtS);
    for (const share of CANDIDATES) {
      for (let i = 0; i < velocity.length; i++) {
        candidate[i] = share === 1 ? velocity[i]! : brake[i]! + share * (velocity[i]! - brake[i]!);
      }
      if (this.#isVerified(candidate, referenceRad, tcpM, dtS)) {
        velocity.set(candidate);
        return share === 1 ? 0 : SHIELD_SCALED;
      }
    }
    velocity.set(brake);
    return SHIELD_BRAKE;
  }

  #isVerified(u: Float64Array, referenceRad: Float64Array, tcpM: Float64Array, dtS: number): boolean {
    const lengthS = brakePathS(this.#model, u, dtS);
    if (!this.#keepsJointLimits(u, referenceRad, lengthS)) return false;
    // Tool speed and its change along the line are bounded for any pose: |p′| ≤ Σ|u_i|ρ_i, |p″| ≤ Σ|u_i||u_j|ρ_max(i,j).
    const reach = this.#probe.reachM;
    let travel = 0;
    let bend = 0;
    let before = 0;
    for (let i = 0; i < u.length; i++) {
      const speed = Math.abs(u[i]!);
      travel += speed * reach[i]!;
      bend += speed * reach[i]! * (2 * before + speed);
      before += speed;
    }
    if (travel * lengthS <= this.#clearanceM(tcpM)) return true;
    return this.#keepsTool(u, referenceRad, tcpM, lengthS, bend);
  }

  /** A straight line in joint space is inside the limits where both its ends are. */
  #keepsJointLimits(u: Float64Array, referenceRad: Float64Array, lengthS: number): boolean {
    const margin = this.#model.limitMarginRad;
    for (let i = 0; i < u.length; i++) {
      const joint = this.#model.joints[i]!;
      const end = referenceRad[i]! + u[i]! * lengthS;
      // A start inside the margin may only move out of it.
      if (end > Math.max(joint.positionMaxRad - margin, referenceRad[i]!)) return false;
      if (end < Math.min(joint.positionMinRad + margin, referenceRad[i]!)) return false;
    }
    return true;
  }

  /** Cuts the path into ever more pieces until each is proved to stay inside, or a point of it is not. */
  #keepsTool(u: Float64Array, referenceRad: Float64Array, tcpM: Float64Array, lengthS: number, bend: number): boolean {
    const end = this.#probe.tcpPositionM;
    for (const pieces of PIECES) {
      const pieceS = lengthS / pieces;
      this.#begin.set(tcpM);
      let least = Number.POSITIVE_INFINITY;
      for (let k = 1; k <= pieces && least >= 0; k++) {
        for (let i = 0; i < u.length; i++) this.#joints[i] = referenceRad[i]! + u[i]! * pieceS * k;
        this.#probe.forward(this.#joints);
        if (this.#clearanceM(end) < 0) return false;
        least = Math.min(least, this.#pieceClearanceM(this.#begin, end, pieceS, bend));
        this.#begin.set(end);
      }
      if (least >= 0) return true;
    }
    return false;
  }

  /** The least distance to any wall that the tool can have on a piece of `pieceS` between two points, m. */
  #pieceClearanceM(a: Float64Array, b: Float64Array, pieceS: number, bend: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (let k = 0; k < 3; k++) {
      least = Math.min(least, dip(a[k]! - this.#low[k]!, b[k]! - this.#low[k]!, pieceS, bend));
      least = Math.min(least, dip(this.#high[k]! - a[k]!, this.#high[k]! - b[k]!, pieceS, bend));
    }
    return least;
  }

  #placeWalls(tcpM: Float64Array): void {
    const { minM, maxM } = this.#model.workspace;
    for (let k = 0; k < 3; k++) {
      this.#low[k] = Math.min(minM[k]!, tcpM[k]!);
      this.#high[k] = Math.max(maxM[k]!, tcpM[k]!);
    }
  }

  /** Distance to the nearest wall, m; negative outside. */
  #clearanceM(p: Float64Array): number {
    let least = Number.POSITIVE_INFINITY;
    for (let k = 0; k < 3; k++) least = Math.min(least, p[k]! - this.#low[k]!, this.#high[k]! - p[k]!);
    return least;
  }
}

/**
 * The least value on [0, `length`] of any function that is `a` and `b` at the ends and whose second derivative is at most
 * `bend` > 0: of the parabola a + g·s − bend·s(length − s)/2 with g = (b − a)/length.
 */
function dip(a: number, b: number, length: number, bend: number): number {
  const lowest = length / 2 - (b - a) / (length * bend);
  if (lowest <= 0) return a;
  return lowest >= length ? b : a - (bend * lowest * lowest) / 2;
}
