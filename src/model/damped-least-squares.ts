/**
 * Inverse differential kinematics by damped least squares: min ‖W(J·dq − e)‖² + λ²‖dq‖², with a damping λ that grows near
 * singular poses (Nakamura and Hanafusa, "Inverse kinematic solutions with singularity robustness", 1986).
 */
import type { Numbers } from './rotation.ts';

/** λ² far from singular poses: small enough to lose < 0.1 % of a motion along a direction of gain 0.03. */
const FLOOR = 1e-6;
/** λ at a singular pose, in the Jacobian's units (m and rad per rad). */
const SINGULAR = 0.05;

/** Damped least-squares solver for one arm. Owns its scratch memory; nothing allocates after construction. */
export class DampedLeastSquares {
  readonly #joints: number;
  readonly #gram: Float64Array;
  readonly #factor: Float64Array;
  readonly #right: Float64Array;
  readonly #weighted: Float64Array;
  /** Selected task rows, 1 or 0 each: x, y, z, and rotation about x, y, z of the base frame. */
  readonly #rows: Float64Array;

  constructor(joints: number, rows: Numbers) {
    this.#joints = joints;
    this.#rows = Float64Array.from(rows);
    const size = Math.min(joints, 6);
    this.#gram = new Float64Array(size * size);
    this.#factor = new Float64Array(size * size);
    this.#right = new Float64Array(size);
    this.#weighted = new Float64Array(6 * joints);
  }

  /**
   * Writes into `out` (n, rad) the joint motion for the tool motion `error` (6: m then rad, base frame), given the
   * 6×n `jacobian`. Below the manipulability `healthyGain` the damping starts to grow; `extraDamping` (λ², ≥ 0) is always
   * added. Returns the manipulability √det of the Gram matrix. Never fails: at a singular pose, motion along the lost
   * direction is dropped. Tick-safe.
   */
  solve(out: Float64Array, jacobian: Numbers, error: Numbers, healthyGain: number, extraDamping = 0): number {
    this.#buildGram(jacobian);
    const floor = FLOOR + extraDamping;
    const gain = Math.sqrt(this.#factorise(floor));
    if (gain < healthyGain) {
      const lack = 1 - gain / healthyGain;
      this.#factorise(floor + SINGULAR * SINGULAR * lack * lack);
    }
    const n = this.#joints;
    const weighted = this.#weighted;
    const right = this.#right;
    if (n <= 6) {
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let r = 0; r < 6; r++) sum += weighted[r * n + j]! * error[r]!;
        right[j] = sum;
      }
      this.#substitute();
      for (let j = 0; j < n; j++) out[j] = right[j]!;
      return gain;
    }
    for (let r = 0; r < 6; r++) right[r] = error[r]! * this.#rows[r]!;
    this.#substitute();
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let r = 0; r < 6; r++) sum += weighted[r * n + j]! * right[r]!;
      out[j] = sum;
    }
    return gain;
  }

  /** Computes WJ, and the smaller Gram matrix: JᵀJ for up to six joints, JJᵀ above. */
  #buildGram(jacobian: Numbers): void {
    const n = this.#joints;
    const weighted = this.#weighted;
    for (let r = 0; r < 6; r++) {
      const keep = this.#rows[r]!;
      for (let j = 0; j < n; j++) weighted[r * n + j] = jacobian[r * n + j]! * keep;
    }
    const size = Math.min(n, 6);
    const depth = n <= 6 ? 6 : n;
    const outer = n <= 6 ? 1 : n;
    const inner = n <= 6 ? n : 1;
    for (let a = 0; a < size; a++) {
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (let k = 0; k < depth; k++) sum += weighted[a * outer + k * inner]! * weighted[b * outer + k * inner]!;
        this.#gram[a * size + b] = sum;
      }
    }
  }

  /** Cholesky factorisation of Gram + damping·I (positive definite as damping > 0); returns its determinant. */
  #factorise(damping: number): number {
    const size = this.#right.length;
    const l = this.#factor;
    let determinant = 1;
    for (let a = 0; a < size; a++) {
      for (let b = 0; b <= a; b++) {
        let sum = this.#gram[a * size + b]!;
        for (let k = 0; k < b; k++) sum -= l[a * size + k]! * l[b * size + k]!;
        if (a === b) {
          // Rounding may push a pivot below the damping, its lower bound.
          const pivot = Math.max(sum + damping, damping);
          determinant *= pivot;
          l[a * size + a] = Math.sqrt(pivot);
        } else {
          l[a * size + b] = sum / l[b * size + b]!;
        }
      }
    }
    return determinant;
  }

  #substitute(): void {
    const size = this.#right.length;
    const l = this.#factor;
    const x = this.#right;
    for (let a = 0; a < size; a++) {
      let sum = x[a]!;
      for (let k = 0; k < a; k++) sum -= l[a * size + k]! * x[k]!;
      x[a] = sum / l[a * size + a]!;
    }
    for (let a = size - 1; a >= 0; a--) {
      let sum = x[a]!;
      for (let k = a + 1; k < size; k++) sum -= l[k * size + a]! * x[k]!;
      x[a] = sum / l[a * size + a]!;
    }
  }
}

/**
 * Task rows for an arm with `joints` joints between base and tool: all six from six joints on, position and yaw from four,
 * position below.
 */
export function taskRows(joints: number): readonly number[] {
  if (joints >= 6) return [1, 1, 1, 1, 1, 1];
  return joints >= 4 ? [1, 1, 1, 0, 0, 1] : [1, 1, 1, 0, 0, 0];
}
