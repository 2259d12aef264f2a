/** Rigid frames and vectors: composition, roll, pitch and yaw, products. For loading, not for the tick. */
import { matrixFromQuaternion, multiplyMatrix, type Numbers } from '../model/index.ts';

export type Triple = readonly [number, number, number];

/** Frame relative to another: rotation (9, row-major) and origin, m. */
export interface Frame {
  readonly rotation: Float64Array;
  readonly at: Triple;
}

export function frameOf(positions: Numbers, quaternions: Numbers, index: number): Frame {
  const rotation = new Float64Array(9);
  const at = [0, 1, 2].map((k) => positions[3 * index + k]!) as never as Triple;
  matrixFromQuaternion(
    rotation,
    [0, 1, 2, 3].map((k) => quaternions[4 * index + k]!),
    0,
  );
  return { rotation, at };
}

/** Returns `inner`, which is given in `outer`, relative to the parent of `outer`. */
export function compose(outer: Frame, inner: Frame): Frame {
  const rotation = new Float64Array(9);
  multiplyMatrix(rotation, outer.rotation, inner.rotation);
  return { rotation, at: pointIn(outer, inner.at) };
}

/** Transforms a point from `frame` to its parent. */
export function pointIn({ rotation: r, at }: Frame, point: Triple): Triple {
  return [0, 1, 2].map(
    (k) => at[k]! + r[3 * k]! * point[0] + r[3 * k + 1]! * point[1] + r[3 * k + 2]! * point[2],
  ) as never as Triple;
}

/** Transforms a direction from `frame` to its parent. */
export function directionIn({ rotation }: Frame, direction: Triple): Triple {
  return pointIn({ rotation, at: [0, 0, 0] }, direction);
}

export const IDENTITY: Frame = { rotation: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), at: [0, 0, 0] };

/** Returns fixed-axis roll, pitch, yaw of a rotation, as in URDF, rad: R = Rz(yaw)·Ry(pitch)·Rx(roll). */
export function rpyOf(r: Float64Array): Triple {
  const level = Math.hypot(r[0]!, r[3]!);
  // At pitch ±90°, yaw and roll turn about the same axis: all of it is returned as roll.
  if (level < 1e-9) return [Math.atan2(-r[5]!, r[4]!), Math.atan2(-r[6]!, level), 0];
  return [Math.atan2(r[7]!, r[8]!), Math.atan2(-r[6]!, level), Math.atan2(r[3]!, r[0]!)];
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
}

export function cross(a: ArrayLike<number>, b: ArrayLike<number>): Triple {
  return [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];
}
