/** A force that a policy adds to what its impedance does: it injects the power F·ẋ, whatever the spring holds. */

/**
 * The share in [0, 1] of the force `forceN` (n: N, N·m) that may act for `dtS` while the tool moves with `velocity` (n: m/s,
 * rad/s), so that it puts in at most `budgetJ` ≥ 0. What brakes is free: 1 where F·ẋ ≤ 0. 0 where a number is not finite.
 * The motion must be that of the time for which it acts; where only the past one is known, keep a reserve. Tick-safe.
 */
export function forceShare(
  forceN: ArrayLike<number>,
  velocity: ArrayLike<number>,
  budgetJ: number,
  dtS: number,
): number {
  let powerW = 0;
  for (let i = 0; i < forceN.length; i++) powerW += forceN[i]! * velocity[i]!;
  if (powerW <= 0) return 1;
  const share = Math.max(0, budgetJ) / (powerW * dtS);
  return share > 0 ? Math.min(1, share) : 0;
}
