/**
 * Rotations as plain arrays: 3×3 matrices row-major, quaternions w, x, y, z. Every function writes its first argument and
 * allocates nothing.
 */

/** Read-only indexable numbers. */
export type Numbers = ArrayLike<number>;

/** Writes into `out` (9) the rotation of fixed-axis roll, pitch, yaw (URDF): Rz(yaw)·Ry(pitch)·Rx(roll). Tick-safe. */
export function matrixFromRpy(out: Float64Array, rollRad: number, pitchRad: number, yawRad: number): void {
  const cr = Math.cos(rollRad);
  const sr = Math.sin(rollRad);
  const cp = Math.cos(pitchRad);
  const sp = Math.sin(pitchRad);
  const cy = Math.cos(yawRad);
  const sy = Math.sin(yawRad);
  out[0] = cy * cp;
  out[1] = cy * sp * sr - sy * cr;
  out[2] = cy * sp * cr + sy * sr;
  out[3] = sy * cp;
  out[4] = sy * sp * sr + cy * cr;
  out[5] = sy * sp * cr - cy * sr;
  out[6] = -sp;
  out[7] = cp * sr;
  out[8] = cp * cr;
}

/** Writes into `out` (9) the rotation by `angleRad` about the unit vector `axis` (3): Rodrigues' formula. Tick-safe. */
export function matrixFromAxisAngle(out: Float64Array, axis: Numbers, angleRad: number): void {
  oneAngle[0] = angleRad;
  matrixFromAxisAngleAt(out, axis, oneAngle, 0);
}

const oneAngle = new Float64Array(1);

/** Like `matrixFromAxisAngle` for the angle at `index` of `anglesRad`: a number passed by value can cost an allocation. Tick-safe. */
export function matrixFromAxisAngleAt(out: Float64Array, axis: Numbers, anglesRad: Numbers, index: number): void {
  const c = Math.cos(anglesRad[index]!);
  const s = Math.sin(anglesRad[index]!);
  const t = 1 - c;
  const x = axis[0]!;
  const y = axis[1]!;
  const z = axis[2]!;
  out[0] = t * x * x + c;
  out[1] = t * x * y - s * z;
  out[2] = t * x * z + s * y;
  out[3] = t * x * y + s * z;
  out[4] = t * y * y + c;
  out[5] = t * y * z - s * x;
  out[6] = t * x * z - s * y;
  out[7] = t * y * z + s * x;
  out[8] = t * z * z + c;
}

/** out = a·b for 3×3 matrices. `out` must be neither `a` nor `b`. Tick-safe. */
export function multiplyMatrix(out: Float64Array, a: Numbers, b: Numbers): void {
  for (let r = 0; r < 9; r += 3) {
    const x = a[r]!;
    const y = a[r + 1]!;
    const z = a[r + 2]!;
    out[r] = x * b[0]! + y * b[3]! + z * b[6]!;
    out[r + 1] = x * b[1]! + y * b[4]! + z * b[7]!;
    out[r + 2] = x * b[2]! + y * b[5]! + z * b[8]!;
  }
}

/** Writes into `out` (4) the unit quaternion of the rotation `m`, with w ≥ 0 (Shepperd 1978). Tick-safe. */
export function quaternionFromMatrix(out: Float64Array, m: Numbers): void {
  const m00 = m[0]!;
  const m11 = m[4]!;
  const m22 = m[8]!;
  const trace = m00 + m11 + m22;
  let w: number;
  let x: number;
  let y: number;
  let z: number;
  if (trace >= m00 && trace >= m11 && trace >= m22) {
    w = 1 + trace;
    x = m[7]! - m[5]!;
    y = m[2]! - m[6]!;
    z = m[3]! - m[1]!;
  } else if (m00 >= m11 && m00 >= m22) {
    w = m[7]! - m[5]!;
    x = 1 + m00 - m11 - m22;
    y = m[1]! + m[3]!;
    z = m[2]! + m[6]!;
  } else if (m11 >= m22) {
    w = m[2]! - m[6]!;
    x = m[1]! + m[3]!;
    y = 1 - m00 + m11 - m22;
    z = m[5]! + m[7]!;
  } else {
    w = m[3]! - m[1]!;
    x = m[2]! + m[6]!;
    y = m[5]! + m[7]!;
    z = 1 - m00 - m11 + m22;
  }
  const scale = (w < 0 ? -1 : 1) / Math.sqrt(w * w + x * x + y * y + z * z);
  out[0] = w * scale;
  out[1] = x * scale;
  out[2] = y * scale;
  out[3] = z * scale;
}

/** Writes into `out` (9) the rotation of the quaternion at `q[offset…offset+3]`, which need not be normalised. Tick-safe. */
export function matrixFromQuaternion(out: Float64Array, q: Numbers, offset = 0): void {
  const w = q[offset]!;
  const x = q[offset + 1]!;
  const y = q[offset + 2]!;
  const z = q[offset + 3]!;
  const s = 2 / (w * w + x * x + y * y + z * z);
  out[0] = 1 - s * (y * y + z * z);
  out[1] = s * (x * y - w * z);
  out[2] = s * (x * z + w * y);
  out[3] = s * (x * y + w * z);
  out[4] = 1 - s * (x * x + z * z);
  out[5] = s * (y * z - w * x);
  out[6] = s * (x * z - w * y);
  out[7] = s * (y * z + w * x);
  out[8] = 1 - s * (x * x + y * y);
}

/**
 * Writes into `out[offset…offset+2]` the rotation vector (axis × angle, rad, base frame) that rotates `current` into
 * `target`: target = exp(out)·current, with an angle in [0, π]. Tick-safe.
 */
export function rotationError(out: Float64Array, target: Numbers, current: Numbers, offset = 0): void {
  // E = target·currentᵀ; only its diagonal and antisymmetric part are needed.
  const e00 = rowDot(target, current, 0, 0);
  const e11 = rowDot(target, current, 3, 3);
  const e22 = rowDot(target, current, 6, 6);
  const x = (rowDot(target, current, 6, 3) - rowDot(target, current, 3, 6)) / 2;
  const y = (rowDot(target, current, 0, 6) - rowDot(target, current, 6, 0)) / 2;
  const z = (rowDot(target, current, 3, 0) - rowDot(target, current, 0, 3)) / 2;
  const sine = Math.sqrt(x * x + y * y + z * z);
  const cosine = (e00 + e11 + e22 - 1) / 2;
  if (sine > 1e-6 || cosine > 0) {
    const scale = sine < 1e-12 ? 1 : Math.atan2(sine, cosine) / sine;
    out[offset] = x * scale;
    out[offset + 1] = y * scale;
    out[offset + 2] = z * scale;
    return;
  }
  // Near half a turn the antisymmetric part carries only the sign of the axis. The axis itself comes from the symmetric
  // part, cos·I + (1 − cos)·axis·axisᵀ: from the row of its largest component, as a small one loses its own sign in rounding.
  const k = e00 >= e11 && e00 >= e22 ? 0 : e11 >= e22 ? 1 : 2;
  const ax = symmetric(target, current, k, 0) - (k === 0 ? cosine : 0);
  const ay = symmetric(target, current, k, 1) - (k === 1 ? cosine : 0);
  const az = symmetric(target, current, k, 2) - (k === 2 ? cosine : 0);
  const angle = Math.atan2(sine, cosine);
  const scale = (ax * x + ay * y + az * z < 0 ? -angle : angle) / Math.sqrt(ax * ax + ay * ay + az * az);
  out[offset] = ax * scale;
  out[offset + 1] = ay * scale;
  out[offset + 2] = az * scale;
}

/** Rotation about the base z axis, rad in (−π, π], that brings `from` closest to `to`. Tick-safe. */
export function yawBetween(to: Numbers, from: Numbers): number {
  const sine = rowDot(to, from, 3, 0) - rowDot(to, from, 0, 3);
  const cosine = rowDot(to, from, 0, 0) + rowDot(to, from, 3, 3);
  return sine === 0 && cosine === 0 ? 0 : Math.atan2(sine, cosine);
}

/** Writes into `out` (9) the matrix `m` rotated by `yawRad` about the base z axis. `out` must not be `m`. Tick-safe. */
export function turnAboutZ(out: Float64Array, m: Numbers, yawRad: number): void {
  const c = Math.cos(yawRad);
  const s = Math.sin(yawRad);
  for (let k = 0; k < 3; k++) {
    const top = m[k]!;
    const middle = m[k + 3]!;
    out[k] = c * top - s * middle;
    out[k + 3] = s * top + c * middle;
    out[k + 6] = m[k + 6]!;
  }
}

function rowDot(a: Numbers, b: Numbers, rowA: number, rowB: number): number {
  return a[rowA]! * b[rowB]! + a[rowA + 1]! * b[rowB + 1]! + a[rowA + 2]! * b[rowB + 2]!;
}

/** Entry (i, j) of the symmetric part of a·bᵀ. */
function symmetric(a: Numbers, b: Numbers, i: number, j: number): number {
  return (rowDot(a, b, 3 * i, 3 * j) + rowDot(a, b, 3 * j, 3 * i)) / 2;
}
