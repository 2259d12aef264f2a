/** Pose-independent bounds of the speed and curvature of a link's points while the joints move along a straight line. */
import type { ArmKinematics } from '../../model/index.ts';

/**
 * Bounds of the motion of some points of one link relative to a link that carries it (`seenFrom`). For constant joint
 * velocities u, with ρ_i the largest |∂p/∂q_i|:
 *
 *   |p′| ≤ Σ_i |u_i|ρ_i        |p″| ≤ Σ_j |u_j|ρ_j (2·Σ_{i before j} |u_i| + |u_j|)
 *
 * as ∂²p/∂q_i∂q_j = z_i × (z_j × (p − o_j)) for revolute joints i at or before j. Prismatic joints turn nothing: they
 * count in no sum of |u_i|, and not with themselves. (docs/safety-case.md, shield)
 */
export class Limb {
  /** [n] ρ_i, m/rad; 0 for joints that do not count. */
  readonly reachM: Float64Array;
  /** [2] |p′| (m/s) and |p″| (m/s²) of the last `bound`. */
  readonly bounds: Float64Array = new Float64Array(2);
  /** [n] 1 for a revolute joint that moves the points. */
  readonly #turns: Uint8Array;

  /** Points `pointsM` of link `link` (−1: base, which never moves). Joints that move link `seenFrom` (−1: base) do not count. */
  constructor(kinematics: ArmKinematics, link: number, pointsM: readonly ArrayLike<number>[], seenFrom: number) {
    const { topology, joints } = kinematics;
    this.reachM = new Float64Array(joints);
    this.#turns = new Uint8Array(joints);
    for (const pointM of pointsM) {
      const reach = topology.reach(link, pointM);
      for (let i = 0; i < joints; i++) {
        if (!topology.moves(i, link) || topology.moves(i, seenFrom)) continue;
        this.reachM[i] = Math.max(this.reachM[i]!, reach[i]!);
        this.#turns[i] = topology.slides(i) ? 0 : 1;
      }
    }
  }

  /** Fills `bounds` for joint velocities `velocity` (n, rad/s). Joints are ordered parents first. Tick-safe. */
  bound(velocity: Float64Array): void {
    let speed = 0;
    let bend = 0;
    let before = 0;
    for (let i = 0; i < this.reachM.length; i++) {
      const u = Math.abs(velocity[i]!);
      const turned = this.#turns[i]! * u;
      speed += u * this.reachM[i]!;
      bend += u * this.reachM[i]! * (2 * before + turned);
      before += turned;
    }
    this.bounds[0] = speed;
    this.bounds[1] = bend;
  }
}
