/**
 * One spring between the tool and a set-point that moves, as Cartesian impedance controllers have it: e = x_d − x, the
 * orientation as a rotation vector. A step Δ of the set-point at the error e puts in ΔU(λ) = λ·eᵀKΔ + ½λ²·ΔᵀKΔ for the share
 * λ of it. Exact where the controller does not saturate, and for turns where the three rotational stiffnesses are equal.
 */

/** Six numbers: x, y, z (m), then a rotation vector (rad), base frame. */
export type Six = ArrayLike<number>;

/** ½·eᵀKe, J, for the stiffnesses `k` (N/m, N·m/rad). Tick-safe. */
export function poseSpringJ(error: Six, k: Six): number {
  let sum = 0;
  for (let i = 0; i < 6; i++) sum += 0.5 * k[i]! * error[i]! * error[i]!;
  return sum;
}

/** What the share `scale` of the step `step` puts in at the error `error`, J; negative where it takes out. Tick-safe. */
export function setPointStepJ(error: Six, step: Six, k: Six, scale: number): number {
  let linear = 0;
  let square = 0;
  for (let i = 0; i < 6; i++) {
    linear += error[i]! * k[i]! * step[i]!;
    square += 0.5 * step[i]! * k[i]! * step[i]!;
  }
  return scale * linear + scale * scale * square;
}

/**
 * The largest share λ ∈ [0, 1] of `step` that puts in at most `budgetJ` ≥ 0: 1 where b + c ≤ budget, else
 * (−b + √(b² + 4c·budget))/(2c), with b = eᵀKΔ and c = ½ΔᵀKΔ. 0 where a number is not finite. Tick-safe.
 */
export function setPointShare(error: Six, step: Six, k: Six, budgetJ: number): number {
  const whole = setPointStepJ(error, step, k, 1);
  const budget = Math.max(0, budgetJ);
  if (whole <= budget) return 1;
  const c = poseSpringJ(step, k);
  const b = whole - c;
  const share = (Math.sqrt(b * b + 4 * c * budget) - b) / (2 * c);
  return share > 0 ? Math.min(1, share) : 0;
}

/**
 * The share μ ∈ [0, 1] of a change of stiffness from `k` to `kNext` that the budget pays for at the error `error`: the change
 * puts in c₀ = ½·eᵀ(K⁺ − K)e, in proportion to its share. It comes before the step, which is then paid with K⁺. Tick-safe.
 */
export function stiffnessShare(error: Six, k: Six, kNext: Six, budgetJ: number): number {
  const changeJ = poseSpringJ(error, kNext) - poseSpringJ(error, k);
  if (changeJ <= budgetJ || changeJ <= 0) return 1;
  const share = budgetJ / changeJ;
  return share > 0 ? share : 0;
}
