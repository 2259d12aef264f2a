/** Pose and Jacobian of an arm's tool point, to compare a task with its robot before anything starts. Not for the tick path. */
import type { RobotModel } from '../../core/index.ts';

type Vec3 = readonly [number, number, number];
/** Rows of a rotation matrix. */
type Matrix3 = readonly [Vec3, Vec3, Vec3];

/** Tool point and, for each joint, what turning it does to the tool. */
export interface ArmPose {
  /** Base frame, m. */
  readonly tcpM: Vec3;
  /** One row a joint: velocity (m/s) and angular velocity (rad/s) of the tool per rad/s, base frame. */
  readonly jacobian: readonly (readonly [number, number, number, number, number, number])[];
}

/** The arm at `positionRad`, one number a joint. Siciliano et al., "Robotics", 2009, §3.1: the geometric Jacobian. */
export function armPose(robot: RobotModel, positionRad: readonly number[]): ArmPose {
  let rotation: Matrix3 = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]; // biome-ignore format: a matrix
  let origin: Vec3 = [0, 0, 0];
  const axes: Vec3[] = [];
  const origins: Vec3[] = [];
  for (const [i, joint] of robot.joints.entries()) {
    origin = add(origin, apply(rotation, joint.originXyzM));
    rotation = multiply(rotation, fromRpy(joint.originRpyRad));
    axes.push(apply(rotation, joint.axis));
    origins.push(origin);
    rotation = multiply(rotation, aboutAxis(joint.axis, positionRad[i] ?? 0));
  }
  const tcpM = add(origin, apply(rotation, robot.tool.originXyzM));
  const jacobian = axes.map((axis, i) => {
    const at = origins[i]!;
    const arm: Vec3 = [tcpM[0] - at[0], tcpM[1] - at[1], tcpM[2] - at[2]];
    return [...cross(axis, arm), ...axis] as const;
  });
  return { tcpM, jacobian };
}

/**
 * Joint speeds (rad/s) of least norm that move the tool with `twist` (m/s, rad/s; base frame), by damped least squares
 * with a damping too small to matter away from singular poses: q̇ = Jᵀ (J Jᵀ + λI)⁻¹ twist.
 */
export function jointSpeedsFor(pose: ArmPose, twist: readonly number[]): readonly number[] {
  const damping = 1e-8;
  const matrix = twist.map((target, r) => [
    ...twist.map((_, c) => pose.jacobian.reduce((sum, row) => sum + row[r]! * row[c]!, r === c ? damping : 0)),
    target,
  ]);
  const weights = solve(matrix);
  return pose.jacobian.map((row) => row.reduce((sum, value, r) => sum + value * weights[r]!, 0));
}

/** Solves the augmented system in place: Gauss and Jordan with pivoting; the matrix is positive definite. */
function solve(rows: number[][]): number[] {
  const n = rows.length;
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(rows[r]![c]!) > Math.abs(rows[pivot]![c]!)) pivot = r;
    [rows[c], rows[pivot]] = [rows[pivot]!, rows[c]!];
    const top = rows[c]!;
    for (let r = 0; r < n; r++) {
      if (r === c) continue;
      const factor = rows[r]![c]! / top[c]!;
      for (let k = c; k <= n; k++) rows[r]![k]! -= factor * top[k]!;
    }
  }
  return rows.map((row, r) => row[n]! / row[r]!);
}

function add(a: Vec3, b: Vec3): Vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function apply(m: Matrix3, v: Vec3): Vec3 {
  const row = (r: Vec3): number => r[0] * v[0] + r[1] * v[1] + r[2] * v[2];
  return [row(m[0]), row(m[1]), row(m[2])];
}

function multiply(a: Matrix3, b: Matrix3): Matrix3 {
  const row = (r: Vec3): Vec3 =>
    [0, 1, 2].map((c) => r[0] * b[0][c]! + r[1] * b[1][c]! + r[2] * b[2][c]!) as unknown as Vec3;
  return [row(a[0]), row(a[1]), row(a[2])];
}

/** Rodrigues' formula; `axis` is a unit vector. */
function aboutAxis([x, y, z]: Vec3, angleRad: number): Matrix3 {
  const c = Math.cos(angleRad);
  const s = Math.sin(angleRad);
  const v = 1 - c;
  return [
    [c + x * x * v, x * y * v - z * s, x * z * v + y * s],
    [y * x * v + z * s, c + y * y * v, y * z * v - x * s],
    [z * x * v - y * s, z * y * v + x * s, c + z * z * v],
  ];
}

/** Fixed-axis roll, pitch, yaw as in URDF. */
function fromRpy([roll, pitch, yaw]: Vec3): Matrix3 {
  return multiply(multiply(aboutAxis([0, 0, 1], yaw), aboutAxis([0, 1, 0], pitch)), aboutAxis([1, 0, 0], roll));
}
