/** Uncoupled joints: inertia, weight on a lever, viscous and dry friction, end stops. Needs no MuJoCo. */
import { GRAVITY_M_PER_S2 } from '../../../../src/model/index.ts';
import type { EmulatedBody } from './body.ts';

export interface SimpleJoint {
  /** Inertia of rotor and load, kg·m². Default 0.01. */
  readonly inertiaKgM2?: number | undefined;
  /** Mass × lever arm of the load, kg·m, straight down at 0 rad; 0 (default): a joint with a vertical axis. */
  readonly unbalanceKgM?: number | undefined;
  /** Viscous friction, N·m·s/rad. Default 0.02. */
  readonly dampingNmSPerRad?: number | undefined;
  /** Dry friction, N·m. Default 0.02. */
  readonly frictionNm?: number | undefined;
  /** End stops, rad. Default none. */
  readonly minRad?: number | undefined;
  readonly maxRad?: number | undefined;
  /** Initial angle, rad. Default 0. */
  readonly startRad?: number | undefined;
}

/** For tests: one step costs a few multiplications. */
export class SimpleBody implements EmulatedBody {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  readonly torqueNm: Float64Array;
  readonly signals: Map<string, number> = new Map();
  readonly stepS: number;
  readonly #joints: readonly SimpleJoint[];

  constructor(joints: readonly SimpleJoint[], stepS = 0.001) {
    this.#joints = joints;
    this.stepS = stepS;
    this.positionRad = Float64Array.from(joints, ({ startRad = 0 }) => startRad);
    this.velocityRadPerS = new Float64Array(joints.length);
    this.torqueNm = new Float64Array(joints.length);
  }

  step(): void {
    const dtS = this.stepS;
    for (const [i, joint] of this.#joints.entries()) {
      const { inertiaKgM2 = 0.01, unbalanceKgM = 0, dampingNmSPerRad = 0.02, frictionNm = 0.02 } = joint;
      const weightNm = -unbalanceKgM * GRAVITY_M_PER_S2 * Math.sin(this.positionRad[i]!);
      // Implicit damping, so that it never reverses the velocity; friction takes at most what is left.
      const driven =
        (this.velocityRadPerS[i]! + ((this.torqueNm[i]! + weightNm) * dtS) / inertiaKgM2) /
        (1 + (dampingNmSPerRad * dtS) / inertiaKgM2);
      const held = (frictionNm * dtS) / inertiaKgM2;
      const velocity = Math.sign(driven) * Math.max(0, Math.abs(driven) - held);
      const { minRad = Number.NEGATIVE_INFINITY, maxRad = Number.POSITIVE_INFINITY } = joint;
      const position = this.positionRad[i]! + velocity * dtS;
      this.positionRad[i] = Math.min(maxRad, Math.max(minRad, position));
      this.velocityRadPerS[i] = this.positionRad[i] === position ? velocity : 0;
    }
  }

  close(): void {}
}
