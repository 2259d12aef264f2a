/** Kinetic and gravity energy of a simulation. */
import type { Simulation } from './mujoco-module.ts';

/** Energies at MuJoCo's present state. `refresh` first. */
export class PlantEnergy {
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** Brings what follows from positions up to date: a physics step leaves it one step old. */
  refresh(): void {
    const { module, model, data } = this.#simulation;
    module.mj_kinematics(model, data);
    module.mj_comPos(model, data);
    module.mj_makeM(model, data);
    module.mj_energyPos(model, data);
    module.mj_energyVel(model, data);
  }

  /** ½·q̇ᵀM(q)·q̇, rotors included, J. */
  kineticJ(): number {
    return (this.#simulation.data.energy as Float64Array)[1]!;
  }

  /** Diagonal of the inertia matrix at the degrees of freedom `dofs`. Allocates. */
  inertiaKgM2(dofs: readonly number[]): Float64Array {
    const { module, model, data } = this.#simulation;
    const size = model.nv as number;
    const matrix = new module.DoubleBuffer(size * size);
    try {
      module.mj_fullM(model, data, matrix);
      const view = matrix.GetView() as Float64Array;
      return Float64Array.from(dofs, (dof) => view[dof * (size + 1)]!);
    } finally {
      matrix.delete();
    }
  }

  /** Gravity's (and the file's own springs') potential less that of the compensation, J. */
  potentialJ(): number {
    const { model, data } = this.#simulation;
    const masses = model.body_mass as Float64Array;
    const compensations = model.body_gravcomp as Float64Array;
    const gravity = model.opt.gravity as Float64Array;
    const at = data.xipos as Float64Array;
    let potential = (data.energy as Float64Array)[0]!;
    for (let body = 1; body < masses.length; body++) {
      let along = 0;
      for (let k = 0; k < 3; k++) along += gravity[k]! * at[3 * body + k]!;
      potential += compensations[body]! * masses[body]! * along;
    }
    return potential;
  }
}
