/** What energy a simulated robot has, for checks of what a tank promises. `refreshEnergies` comes before the others. */
import type { Simulation } from './mujoco-module.ts';

/** Brings what energies are worked out from up to date: a physics step leaves it one step old. */
export function refreshEnergies({ module, model, data }: Simulation): void {
  module.mj_kinematics(model, data);
  module.mj_comPos(model, data);
  module.mj_makeM(model, data);
  module.mj_energyPos(model, data);
  module.mj_energyVel(model, data);
}

/** ½·q̇ᵀM(q)·q̇: kinetic energy of all bodies and rotors, J. */
export function kineticOf({ data }: Simulation): number {
  return (data.energy as Float64Array)[1]!;
}

/** Potential of gravity (and of springs in the file) less that of the compensation, J, from any zero. */
export function potentialOf({ model, data }: Simulation): number {
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
