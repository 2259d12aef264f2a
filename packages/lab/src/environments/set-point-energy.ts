/**
 * Energy that moving the set-point of an impedance puts into its spring, and the largest step within a budget.
 *
 * With the spring's deflection e = x_d − x, its stiffness K and a step Δ of the set-point that is scaled by λ:
 * ΔU(λ) = λ·b + λ²·c, b = e·K·Δ, c = ½·K·Δ². An energy tank with E left gives the budget min(E − E_min, P_max·dt).
 */

/** Effect of a step on the spring's energy, J: ΔU(λ) = λ·`workJ` + λ²·`stretchJ`. */
export interface SetPointStep {
  /** b: against or along the present force. */
  readonly workJ: number;
  /** c ≥ 0: stretch by the step alone. */
  readonly stretchJ: number;
}

/** Returns b and c of a step of `stepM` at a deflection of `deflectionM`, both along one axis. */
export function setPointStep(stiffnessNPerM: number, deflectionM: number, stepM: number): SetPointStep {
  return { workJ: stiffnessNPerM * deflectionM * stepM, stretchJ: (stiffnessNPerM * stepM ** 2) / 2 };
}

/** Returns ΔU, J; negative if the step relaxes the spring. `scale` λ in [0, 1]. */
export function injectedJ({ workJ, stretchJ }: SetPointStep, scale: number): number {
  return scale * workJ + scale ** 2 * stretchJ;
}

/** Returns the largest λ in [0, 1] with ΔU(λ) ≤ `budgetJ`, which is at least 0. */
export function affordableScale({ workJ, stretchJ }: SetPointStep, budgetJ: number): number {
  if (workJ + stretchJ <= budgetJ) return 1;
  // b + c > budget ≥ 0, so Δ is not 0 and c > 0.
  const root = Math.sqrt(workJ ** 2 + 4 * stretchJ * budgetJ);
  return Math.max(0, Math.min(1, (root - workJ) / (2 * stretchJ)));
}

/** Limits of an energy tank. */
export interface TankLimits {
  readonly startJ: number;
  readonly minJ: number;
  readonly maxJ: number;
  readonly powerMaxW: number;
}

/** Share of the dissipated energy, and of that released by a relaxing spring, that is credited to a tank. */
const CREDIT = 0.9;

/** Energy that a policy may spend. A step allowed by `budgetJ` never lowers it below its minimum. */
export class EnergyTank {
  readonly #limits: TankLimits;
  #levelJ: number;

  constructor(limits: TankLimits) {
    this.#limits = limits;
    this.#levelJ = limits.startJ;
  }

  get levelJ(): number {
    return this.#levelJ;
  }

  reset(): void {
    this.#levelJ = this.#limits.startJ;
  }

  /** Returns the energy that one step of `periodS` may inject, J, ≥ 0. */
  budgetJ(periodS: number): number {
    const { minJ, powerMaxW } = this.#limits;
    return Math.max(0, Math.min(this.#levelJ - minJ, powerMaxW * periodS));
  }

  /** Books the energy injected by a step (J, signed) and dissipated by the controller's damping meanwhile (J, ≥ 0). */
  book(injected: number, dissipated: number): void {
    const credit = CREDIT * (dissipated + Math.max(0, -injected));
    this.#levelJ = Math.min(this.#limits.maxJ, this.#levelJ - Math.max(0, injected) + credit);
  }
}
