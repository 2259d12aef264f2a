/**
 * A servo as a spring and a damper: stored energy and certain dissipation, with its torque limit. The torque of a servo
 * is τ = clip(K·e − d·q̇, ±τ_max) with e = set-point − joint (`docs/safety-case.md`, energy tank).
 */
import type { JointModel } from '../../model/index.ts';

/**
 * Returns the energy, J, in the spring of stiffness K > 0 (N·m/rad) behind a torque limit τ_max > 0 (N·m) at the error
 * `errorRad`: the integral of clip(K·e, ±τ_max), ½Ke² up to the knee τ_max/K and linear after it. Tick-safe; NaN in,
 * NaN out.
 */
export function springJ(errorRad: number, stiffnessNmPerRad: number, torqueMaxNm: number): number {
  const error = Math.abs(errorRad);
  const kneeRad = torqueMaxNm / stiffnessNmPerRad;
  if (error <= kneeRad) return 0.5 * stiffnessNmPerRad * error * error;
  return torqueMaxNm * (error - 0.5 * kneeRad);
}

/** The same for a joint of a robot. Tick-safe. */
export function jointSpringJ(joint: JointModel, errorRad: number): number {
  return springJ(errorRad, joint.stiffnessNmPerRad, joint.torqueMaxNm);
}

/** Indices into the argument of `toDissipatedJ`: d, N·m·s/rad; m, N·m; Δ, rad; dt, s; and the result, J. */
export const DAMPING = 0;
export const HEADROOM = 1;
export const MOVED = 2;
export const WITHIN = 3;
export const SURE = 4;

/**
 * Fills `SURE`: the least energy, J ≥ 0, that a damper d ≥ 0 (N·m·s/rad) dissipates while its joint moves by Δ within
 * dt, for any motion in between, if it has m left to its torque limit at every position between the two ends.
 *
 * Where the spring alone is θ = τ_max − m from saturation, the servo dissipates at least |q̇|·min(d|q̇|, m) ≥ h(|q̇|),
 * with the convex h(v) = d·v² up to v = m/(2d) and m·v − m²/(4d) after it. A joint that moves by Δ passes every
 * position between, and by Jensen's inequality ∫h(|q̇|)dt ≥ dt·h(|Δ|/dt): d·Δ²/dt for all but the fastest. Tick-safe; 0
 * where nothing is certain.
 */
export function toDissipatedJ(damper: Float64Array): void {
  const dampingNmSPerRad = damper[DAMPING]!;
  const headroomNm = damper[HEADROOM]!;
  const dtS = damper[WITHIN]!;
  damper[SURE] = 0;
  if (!(dtS > 0 && headroomNm > 0 && dampingNmSPerRad > 0)) return;
  const moved = Math.abs(damper[MOVED]!);
  const damperNm = (dampingNmSPerRad * moved) / dtS;
  const saturatingJ = headroomNm * moved - (headroomNm * headroomNm * dtS) / (4 * dampingNmSPerRad);
  const sureJ = damperNm <= headroomNm / 2 ? damperNm * moved : saturatingJ;
  if (sureJ > 0) damper[SURE] = sureJ;
}
