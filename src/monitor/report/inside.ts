/** Whether a point lies inside a shape: pictures leave out faces that other shapes hide for certain. */
import type { DrawnShape } from '../../record/index.ts';

/**
 * True where `point`, in the shape's own frame (m), lies inside the shape grown by `marginM` (negative: shrunk).
 * `sizeM` are MuJoCo's size numbers. A plane has no inside; an ellipsoid grows by its half-axes.
 */
export function isInside(
  type: DrawnShape,
  sizeM: readonly number[],
  point: readonly [number, number, number],
  marginM: number,
): boolean {
  const [s0 = 0, s1 = 0, s2 = 0] = sizeM;
  const [x, y, z] = point;
  switch (type) {
    case 'plane':
      return false;
    case 'sphere':
      return Math.hypot(x, y, z) < s0 + marginM;
    case 'capsule':
      return Math.hypot(x, y, Math.max(0, Math.abs(z) - s1)) < s0 + marginM;
    case 'cylinder':
      return Math.hypot(x, y) < s0 + marginM && Math.abs(z) < s1 + marginM;
    case 'box':
      return Math.abs(x) < s0 + marginM && Math.abs(y) < s1 + marginM && Math.abs(z) < s2 + marginM;
    case 'ellipsoid':
      return Math.hypot(x / (s0 + marginM), y / (s1 + marginM), z / (s2 + marginM)) < 1;
  }
}
