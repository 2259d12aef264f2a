/**
 * Energy that moving the set-point of an impedance puts into its spring, and how far a step may go within a budget.
 *
 * With the spring's deflection e = x_d − x, its stiffness K and a step Δ of the set-point that is scaled by λ:
 * ΔU(λ) = λ·b + λ²·c, b = e·K·Δ, c = ½·K·Δ². An energy tank that has E left gives the budget min(E − E_min, P_max·dt).
 */

/** What a step does to the spring's energy, J: ΔU(λ) = λ·`workJ` + λ²·`stretchJ`. */
export interface SetPointStep {
  /** b: against or along the force that is there already. */
  readonly workJ: number;
  /** c ≥ 0: what the step alone would stretch. */
  readonly stretchJ: number;
}

/** b and c of a step of `stepM` at a deflection of `deflectionM`, both along one axis. */
export function setPointStep(stiffnessNPerM: number, deflectionM: number, stepM: number): SetPointStep {
  return { workJ: stiffnessNPerM * deflectionM * stepM, stretchJ: (stiffnessNPerM * stepM ** 2) / 2 };
}

/** ΔU, J; negative where the step relaxes the spring. `scale` λ in [0, 1]. */
export function injectedJ({ workJ, stretchJ }: SetPointStep, scale: number): number {
  return scale * workJ + scale ** 2 * stretchJ;
}

/** The largest λ in [0, 1] with ΔU(λ) ≤ `budgetJ`, which is at least 0. */
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

/** Shares of what the damping takes, and of what a relaxing spring gives, that a tank is credited with. */
const CREDIT = 0.9;

/** What a policy may spend. It never falls below its least level by a step that `budgetJ` allowed. */
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

  /** What one step of `periodS` may inject, J, ≥ 0. */
  budgetJ(periodS: number): number {
    const { minJ, powerMaxW } = this.#limits;
    return Math.max(0, Math.min(this.#levelJ - minJ, powerMaxW * periodS));
  }

  /** Books what a step injected (J, signed) and what the controller's damping took meanwhile (J, ≥ 0). */
  book(injected: number, dissipated: number): void {
    const credit = CREDIT * (dissipated + Math.max(0, -injected));
    this.#levelJ = Math.min(this.#limits.maxJ, this.#levelJ - Math.max(0, injected) + credit);
  }
}
