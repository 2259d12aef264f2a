/** The step towards a target for a planar arm: Jacobian transpose, from an observation [q1, q2 (rad), x, y (m), dx, dy (dm)]. */
export function stepTowards([q1, q2, x, y, dx, dy], out) {
  const [x2, y2] = [0.25 * Math.cos(q1 + q2), 0.25 * Math.sin(q1 + q2)];
  out[0] = clip(5 * (x * dy - y * dx));
  out[1] = clip(8 * (x2 * dy - y2 * dx));
}

function clip(value) {
  return Math.max(-1, Math.min(1, value));
}
