/** How hard the robot presses against what does not move, as MuJoCo's solver found it. */
import type { DoubleBuffer, MjContact } from '@mujoco/mujoco';
import type { Simulation } from './mujoco-module.ts';

/** Reads the contacts of the last physics step. Allocates only while there are contacts. */
export class ContactForce {
  readonly #simulation: Simulation;
  readonly #force: DoubleBuffer;
  /** By geom: whether it is part of what never moves (bodies welded to the world, and those moved by hand). */
  readonly #stands: Uint8Array;
  /** By geom: contacts with these are how the robot stands, and no collision. */
  readonly #carries: Uint8Array;
  #isClosed = false;

  /** `carrying`: names of the geoms that carry the robot, as a floor does a car. */
  constructor(simulation: Simulation, carrying: readonly string[]) {
    this.#simulation = simulation;
    const { module, model } = simulation;
    this.#force = new module.DoubleBuffer(6);
    const welds = model.body_weldid as Int32Array;
    const mocaps = model.body_mocapid as Int32Array;
    this.#stands = Uint8Array.from(model.geom_bodyid as Int32Array, (body) =>
      welds[body] === 0 || mocaps[body]! >= 0 ? 1 : 0,
    );
    this.#carries = new Uint8Array(this.#stands.length);
    for (const name of carrying) this.#carries[simulation.id('geom', name)] = 1;
  }

  /** The largest normal force between the robot and its surroundings, N; 0 without contact. */
  largestN(): number {
    const { module, model, data } = this.#simulation;
    if ((data.ncon as number) === 0) return 0;
    const contacts = data.contact;
    let largest = 0;
    for (let i = 0; i < contacts.size(); i++) {
      const contact = contacts.get(i)!;
      if (this.#isOutside(contact)) {
        module.mj_contactForce(model, data, i, this.#force);
        largest = Math.max(largest, Math.abs((this.#force.GetView() as Float64Array)[0]!));
      }
      // Copies in memory that nobody collects.
      contact.delete();
    }
    contacts.delete();
    return largest;
  }

  /** Frees the memory. Idempotent; nothing may be used afterwards. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#force.delete();
  }

  #isOutside({ geom1, geom2 }: MjContact): boolean {
    const one = geom1 as number;
    const other = geom2 as number;
    if (one < 0 || other < 0 || this.#carries[one] === 1 || this.#carries[other] === 1) return false;
    return this.#stands[one] !== this.#stands[other];
  }
}
