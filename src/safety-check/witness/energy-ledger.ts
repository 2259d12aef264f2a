/**
 * External energy bookkeeping of a simulated robot: stored energy, input, and whether the tank paid for it. H = kinetic
 * + gravity potential + Σ U(s − q); surplus = H + E − H₀ − E₀ with E the tank's content. For a chain that keeps its
 * promise the surplus never rises above 0, whatever the commands: contacts, friction and dampers only dissipate energy.
 */
import type { RobotModel } from '../../model/index.ts';
import type { CheckedPlant } from '../plants.ts';

/** Returns the energy of a joint's spring at the error `e`, J (rad, N·m/rad, N·m): quadratic until the servo saturates, then linear. */
export function springJ(errorRad: number, stiffness: number, torqueMax: number): number {
  const e = Math.abs(errorRad);
  const knee = torqueMax / stiffness;
  return e <= knee ? (stiffness * e * e) / 2 : torqueMax * e - (torqueMax * knee) / 2;
}

export class EnergyLedger {
  readonly #model: RobotModel;
  readonly #plant: CheckedPlant;
  #startJ = 0;
  kineticJ = 0;

  constructor(model: RobotModel, plant: CheckedPlant) {
    this.#model = model;
    this.#plant = plant;
  }

  /** Checks a tick, after which the tank holds `tankJ`. Returns the surplus, J. */
  check(tankJ: number): number {
    return this.#storedJ() + tankJ - this.#startJ;
  }

  /** Begins with `tankJ` in the tank and the robot in its present state. */
  begin(tankJ: number): void {
    this.#startJ = this.#storedJ() + tankJ;
  }

  #storedJ(): number {
    const { setPointRad, positionRad } = this.#plant;
    this.kineticJ = this.#plant.kineticJ();
    let stored = this.kineticJ + this.#plant.potentialJ();
    for (let i = 0; i < positionRad.length; i++) {
      const { stiffnessNmPerRad, torqueMaxNm } = this.#model.joints[i]!;
      stored += springJ(setPointRad[i]! - positionRad[i]!, stiffnessNmPerRad, torqueMaxNm);
    }
    return stored;
  }
}
