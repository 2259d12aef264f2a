/**
 * Rigid-body dynamics of an arm in momentum form, without accelerations: ṗ = τ + c(q, q̇) + τ_ext with the generalized momentum
 * p = M(q)·q̇ and c = ∂T/∂q − g(q) − friction (Cᵀq̇ = ∂T/∂q if C holds Christoffel's symbols: De Luca and Mattone, "Actuator
 * failure detection and isolation using generalized momenta", ICRA 2003). Linear in all parameters, so that they can be
 * identified (Atkeson, An and Hollerbach 1986; momentum rows: Slotine and Li 1987), and O(n) for the whole arm: with h_i the
 * momentum of the composite body moved by joint i, S_i the joint's twist and v the twist of its parent link, p_i = h_i·S_i and
 * ∂T/∂q_i = h_i·(v × S_i).
 */
import { ArmKinematics } from './kinematics.ts';
import type { RobotModel } from './robot-model.ts';
import type { Numbers } from './rotation.ts';
import { GRAVITY_M_PER_S2 } from './units.ts';

/**
 * Number of parameters per joint and the link that it moves, in this order: mass (kg); mass × centre of mass, x y z (kg·m), in
 * the link frame; inertia about the frame's origin, xx xy xz yy yz zz (kg·m²); rotor inertia (kg·m²); viscous friction
 * (N·m·s/rad); dry friction (N·m); offset of the measured torque (N·m).
 */
export const LINK_PARAMETERS = 14;
const ROTOR = 10;
const VISCOUS = 11;
const DRY = 12;
const OFFSET = 13;
/** Velocity scale of the tanh that smooths dry friction through zero, rad/s: a joint at rest has no friction sign. */
const DRY_WITHIN_RAD_PER_S = 0.02;

/** Dynamics of one arm with a fixed base, z upwards. Keeps the last pose and velocity; nothing allocates after construction. */
export class ArmDynamics {
  /** Kinematics at the kept pose. */
  readonly kinematics: ArmKinematics;
  /** [n] p, N·m·s. Valid after `apply`. */
  readonly momentum: Float64Array;
  /** [n] c = ∂T/∂q − g − friction, N·m. Valid after `apply`. */
  readonly drift: Float64Array;
  readonly #joints: number;
  readonly #gravity: number;
  readonly #velocity: Float64Array;
  /** [3·(n+1)] angular velocity of each link's frame, base frame; the last entry is the base, 0. */
  readonly #turn: Float64Array;
  readonly #speed: Float64Array;
  /** [12·n] sums over all bodies moved by joint i, about the base origin: momentum, angular momentum, weight, moment of weight. */
  readonly #carried: Float64Array;
  readonly #local: Float64Array = new Float64Array(12);

  /** `weight`: `measured` if the torques carry the links' weight; `compensated` if a controller or counterweight does. */
  constructor(model: RobotModel, weight: 'measured' | 'compensated') {
    const n = model.joints.length;
    this.#joints = n;
    this.#gravity = weight === 'measured' ? GRAVITY_M_PER_S2 : 0;
    this.kinematics = new ArmKinematics(model);
    this.momentum = new Float64Array(n);
    this.drift = new Float64Array(n);
    this.#velocity = new Float64Array(n);
    this.#turn = new Float64Array(3 * n + 3);
    this.#speed = new Float64Array(3 * n + 3);
    this.#carried = new Float64Array(12 * n);
  }

  /** Sets the kept pose to `jointsRad` (n) and its velocity to `velocityRadPerS` (n). Tick-safe; NaN in, NaN out. */
  place(jointsRad: Numbers, velocityRadPerS: Numbers): void {
    const { linkFrames: f, axes, topology } = this.kinematics;
    this.kinematics.forward(jointsRad);
    for (let i = 0; i < this.#joints; i++) {
      const qd = velocityRadPerS[i]!;
      this.#velocity[i] = qd;
      const parent = topology.parents[i]!;
      const p = parent < 0 ? 3 * this.#joints : 3 * parent;
      const wx = this.#turn[p]!;
      const wy = this.#turn[p + 1]!;
      const wz = this.#turn[p + 2]!;
      const x = f[12 * i + 9]! - (parent < 0 ? 0 : f[12 * parent + 9]!);
      const y = f[12 * i + 10]! - (parent < 0 ? 0 : f[12 * parent + 10]!);
      const z = f[12 * i + 11]! - (parent < 0 ? 0 : f[12 * parent + 11]!);
      const turns = topology.slides(i) ? 0 : qd;
      const slides = topology.slides(i) ? qd : 0;
      const a = 3 * i;
      this.#turn[a] = wx + turns * axes[a]!;
      this.#turn[a + 1] = wy + turns * axes[a + 1]!;
      this.#turn[a + 2] = wz + turns * axes[a + 2]!;
      this.#speed[a] = this.#speed[p]! + wy * z - wz * y + slides * axes[a]!;
      this.#speed[a + 1] = this.#speed[p + 1]! + wz * x - wx * z + slides * axes[a + 1]!;
      this.#speed[a + 2] = this.#speed[p + 2]! + wx * y - wy * x + slides * axes[a + 2]!;
    }
  }

  /** Computes `momentum` and `drift` at the kept pose for `parameters` ([14·n], joint by joint). Tick-safe. */
  apply(parameters: Numbers): void {
    const { topology } = this.kinematics;
    this.#carried.fill(0);
    for (let i = this.#joints - 1; i >= 0; i--) {
      this.#addLink(i, parameters, LINK_PARAMETERS * i);
      this.#project(i, parameters, LINK_PARAMETERS * i);
      const parent = topology.parents[i]!;
      if (parent < 0) continue;
      for (let k = 0; k < 12; k++)
        this.#carried[12 * parent + k] = this.#carried[12 * parent + k]! + this.#carried[12 * i + k]!;
    }
  }

  /** Adds momentum and weight of link `i` itself, rotated from the link frame to the base frame. */
  #addLink(i: number, parameters: Numbers, at: number): void {
    const f = this.kinematics.linkFrames;
    const r = 12 * i;
    const local = this.#local;
    for (let k = 0; k < 3; k++) {
      local[k] = column(f, r + k, this.#turn, 3 * i);
      local[3 + k] = column(f, r + k, this.#speed, 3 * i);
    }
    const wx = local[0]!;
    const wy = local[1]!;
    const wz = local[2]!;
    const vx = local[3]!;
    const vy = local[4]!;
    const vz = local[5]!;
    const m = parameters[at]!;
    const hx = parameters[at + 1]!;
    const hy = parameters[at + 2]!;
    const hz = parameters[at + 3]!;
    const xy = parameters[at + 5]!;
    const xz = parameters[at + 6]!;
    const yz = parameters[at + 8]!;
    // l = m·v + ω×h, L = I·ω + h×v, about the link frame's origin.
    local[6] = m * vx + wy * hz - wz * hy;
    local[7] = m * vy + wz * hx - wx * hz;
    local[8] = m * vz + wx * hy - wy * hx;
    local[9] = parameters[at + 4]! * wx + xy * wy + xz * wz + hy * vz - hz * vy;
    local[10] = xy * wx + parameters[at + 7]! * wy + yz * wz + hz * vx - hx * vz;
    local[11] = xz * wx + yz * wy + parameters[at + 9]! * wz + hx * vy - hy * vx;
    const ox = f[r + 9]!;
    const oy = f[r + 10]!;
    const oz = f[r + 11]!;
    const px = f[r]! * local[6]! + f[r + 1]! * local[7]! + f[r + 2]! * local[8]!;
    const py = f[r + 3]! * local[6]! + f[r + 4]! * local[7]! + f[r + 5]! * local[8]!;
    const pz = f[r + 6]! * local[6]! + f[r + 7]! * local[7]! + f[r + 8]! * local[8]!;
    const c = this.#carried;
    c[r] = c[r]! + px;
    c[r + 1] = c[r + 1]! + py;
    c[r + 2] = c[r + 2]! + pz;
    c[r + 3] = c[r + 3]! + f[r]! * local[9]! + f[r + 1]! * local[10]! + f[r + 2]! * local[11]! + oy * pz - oz * py;
    c[r + 4] = c[r + 4]! + f[r + 3]! * local[9]! + f[r + 4]! * local[10]! + f[r + 5]! * local[11]! + oz * px - ox * pz;
    c[r + 5] = c[r + 5]! + f[r + 6]! * local[9]! + f[r + 7]! * local[10]! + f[r + 8]! * local[11]! + ox * py - oy * px;
    // Weight, (0, 0, −m·g), and its moment, (m·o + R·h) × it.
    const g = this.#gravity;
    c[r + 8] = c[r + 8]! - m * g;
    c[r + 9] = c[r + 9]! - g * (m * oy + f[r + 3]! * hx + f[r + 4]! * hy + f[r + 5]! * hz);
    c[r + 10] = c[r + 10]! + g * (m * ox + f[r]! * hx + f[r + 1]! * hy + f[r + 2]! * hz);
  }

  /** Projects the momentum and weight of all bodies moved by joint `i` onto the joint's twist. */
  #project(i: number, parameters: Numbers, at: number): void {
    const { axes, originsM, linkFrames, topology } = this.kinematics;
    const parent = topology.parents[i]!;
    const p = parent < 0 ? 3 * this.#joints : 3 * parent;
    const isTurning = topology.slides(i) ? 0 : 1;
    const ax = axes[3 * i]!;
    const ay = axes[3 * i + 1]!;
    const az = axes[3 * i + 2]!;
    const ox = originsM[3 * i]!;
    const oy = originsM[3 * i + 1]!;
    const oz = originsM[3 * i + 2]!;
    // The joint's twist (angular a, linear o×a) about the base origin; (0, a) for a prismatic joint.
    const tx = isTurning * ax;
    const ty = isTurning * ay;
    const tz = isTurning * az;
    const sx = isTurning === 1 ? oy * az - oz * ay : ax;
    const sy = isTurning === 1 ? oz * ax - ox * az : ay;
    const sz = isTurning === 1 ? ox * ay - oy * ax : az;
    const c = this.#carried;
    const r = 12 * i;
    const qd = this.#velocity[i]!;
    this.momentum[i] =
      c[r]! * sx +
      c[r + 1]! * sy +
      c[r + 2]! * sz +
      c[r + 3]! * tx +
      c[r + 4]! * ty +
      c[r + 5]! * tz +
      parameters[at + ROTOR]! * qd;
    const weight = c[r + 8]! * sz + c[r + 9]! * tx + c[r + 10]! * ty;
    // v × S, with v the twist of the parent link, about the base origin.
    const wx = this.#turn[p]!;
    const wy = this.#turn[p + 1]!;
    const wz = this.#turn[p + 2]!;
    const qx = parent < 0 ? 0 : linkFrames[12 * parent + 9]!;
    const qy = parent < 0 ? 0 : linkFrames[12 * parent + 10]!;
    const qz = parent < 0 ? 0 : linkFrames[12 * parent + 11]!;
    const vx = this.#speed[p]! + qy * wz - qz * wy;
    const vy = this.#speed[p + 1]! + qz * wx - qx * wz;
    const vz = this.#speed[p + 2]! + qx * wy - qy * wx;
    const kinetic =
      c[r + 3]! * (wy * tz - wz * ty) +
      c[r + 4]! * (wz * tx - wx * tz) +
      c[r + 5]! * (wx * ty - wy * tx) +
      c[r]! * (wy * sz - wz * sy + vy * tz - vz * ty) +
      c[r + 1]! * (wz * sx - wx * sz + vz * tx - vx * tz) +
      c[r + 2]! * (wx * sy - wy * sx + vx * ty - vy * tx);
    const friction =
      parameters[at + VISCOUS]! * qd +
      parameters[at + DRY]! * Math.tanh(qd / DRY_WITHIN_RAD_PER_S) +
      parameters[at + OFFSET]!;
    this.drift[i] = kinetic + weight - friction;
  }
}

/** Column `at` of a row-major 3×3 matrix, times the vector at `from`. */
function column(matrix: Float64Array, at: number, vector: Float64Array, from: number): number {
  return matrix[at]! * vector[from]! + matrix[at + 3]! * vector[from + 1]! + matrix[at + 6]! * vector[from + 2]!;
}
