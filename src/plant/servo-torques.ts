/** Mean servo torques over the physics steps of a period, as a drive's current is averaged over it. */
import type { Simulation } from './mujoco-module.ts';

/** One actuator per joint, in joint order. */
export class ServoTorques {
  readonly #simulation: Simulation;
  /** [n] index of each joint in the simulation's velocity vector. */
  readonly #dofs: Int32Array;
  readonly #dampingNmSPerRad: Float64Array;
  readonly #maxNm: Float64Array;
  readonly #sumNm: Float64Array;
  readonly #speedBefore: Float64Array;
  #steps = 0;
  #areServos = true;

  /** The actuators must be servos now, and may be driven as motors later. */
  constructor(simulation: Simulation, dofs: readonly number[]) {
    this.#simulation = simulation;
    this.#dofs = Int32Array.from(dofs);
    this.#dampingNmSPerRad = Float64Array.from(dofs, (_, i) => simulation.servoDampingNmSPerRad(i));
    this.#maxNm = Float64Array.from(dofs, (_, i) => simulation.forceMaxN(i));
    this.#sumNm = new Float64Array(dofs.length);
    this.#speedBefore = new Float64Array(dofs.length);
  }

  /** Begins a period. Motors have no damping. Tick-safe. */
  start(drives: 'servos' | 'motors'): void {
    this.#areServos = drives === 'servos';
    this.#sumNm.fill(0);
    this.#steps = 0;
    this.#keepSpeeds();
  }

  /** Adds the physics step that has just passed. Tick-safe. */
  addStep(): void {
    const { actuatorForce, velocityRadPerS } = this.#simulation.views;
    for (let i = 0; i < this.#dofs.length; i++) {
      const forceNm = actuatorForce[i]!;
      // MuJoCo applies the damping at the end of a step and reports it at the beginning; for a saturated servo, it applies none.
      const isDamped = this.#areServos && Math.abs(forceNm) < this.#maxNm[i]!;
      const gain = velocityRadPerS[this.#dofs[i]!]! - this.#speedBefore[i]!;
      this.#sumNm[i] = this.#sumNm[i]! + forceNm - (isDamped ? this.#dampingNmSPerRad[i]! * gain : 0);
    }
    this.#steps++;
    this.#keepSpeeds();
  }

  /** Writes the mean of the added steps into `out` (n), N·m; leaves it unchanged if there were none. Tick-safe. */
  read(out: Float64Array): void {
    for (let i = 0; i < this.#dofs.length && this.#steps > 0; i++) out[i] = this.#sumNm[i]! / this.#steps;
  }

  #keepSpeeds(): void {
    const { velocityRadPerS } = this.#simulation.views;
    for (let i = 0; i < this.#dofs.length; i++) this.#speedBefore[i] = velocityRadPerS[this.#dofs[i]!]!;
  }
}
